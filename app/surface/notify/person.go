package notify

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// who names a person.
type who struct{ tenant, person string }

// person is somebody who is notified. One goroutine decides what to show; what it
// decides is done in others, so that a slow device holds up no other.
type person struct {
	n   *Notifier
	who who

	mu       sync.Mutex
	contacts map[string]*Contact
	leaving  map[string]bool
	prefs    Prefs
	tickets  map[hub.Address]*hub.Ticket
	seen     map[hub.Address]time.Time
	slots    map[string]map[string]*slot
	snoozed  map[hub.Address]hub.Snooze
	off      map[hub.Address]bool      // what is put off
	back     map[hub.Address]time.Time // since when it no longer is
	loaded   bool                      // every open ask is known, and what was told

	ready chan struct{} // closed then
	wake  chan struct{}
	stop  context.CancelFunc
	work  sync.WaitGroup
}

func (n *Notifier) newPerson(ctx context.Context, w who) *person {
	p := &person{
		n: n, who: w, contacts: map[string]*Contact{}, leaving: map[string]bool{}, tickets: map[hub.Address]*hub.Ticket{}, seen: map[hub.Address]time.Time{}, back: map[hub.Address]time.Time{},
		slots: map[string]map[string]*slot{}, ready: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	ctx, p.stop = context.WithCancel(ctx)
	p.work.Go(func() { p.follow(ctx) })
	p.work.Go(func() { p.run(ctx) })
	return p
}

// close ends it. What is being sent is finished, within its time limit.
func (p *person) close() {
	p.stop()
	p.work.Wait()
}

func (p *person) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// know sets the contacts and preferences.
func (p *person) know(contacts map[string]*Contact, prefs Prefs) {
	p.mu.Lock()
	for id, c := range p.contacts {
		if contacts[id] == nil && len(p.live(id)) > 0 {
			p.leaving[id] = true
			contacts[id] = c
		}
	}
	for id := range p.leaving {
		if c := contacts[id]; c != nil && c != p.contacts[id] {
			delete(p.leaving, id) // it is back
		}
	}
	p.contacts, p.prefs = contacts, prefs
	p.mu.Unlock()
	p.signal()
}

// live returns the slots of a contact that may show something.
func (p *person) live(contact string) (all []*slot) {
	for _, s := range p.slots[contact] {
		if !s.Done && !s.Test {
			all = append(all, s)
		}
	}
	return all
}

// follow learns of the person's asks.
func (p *person) follow(ctx context.Context) {
	for ctx.Err() == nil {
		f, err := p.n.hub.Follow(ctx, p.who.tenant, &hub.Filter{Person: p.who.person, Desk: true, Unconsumed: true}, "")
		if err == nil {
			err = p.hear(ctx, f)
			f.Close()
		}
		if errors.Is(err, hub.ErrStopped) {
			return
		}
		sleep(ctx, time.Second)
	}
}

func (p *person) hear(ctx context.Context, f *hub.Follower) error {
	var told map[hub.Address]bool // since a reset
	for {
		events, err := f.Next(ctx)
		if err != nil {
			return err
		}
		ready := false
		p.mu.Lock()
		for _, e := range events {
			switch {
			case e.Reset:
				told = map[hub.Address]bool{}
			case e.Ticket != nil:
				p.learn(e.Ticket)
				if told != nil {
					told[e.Ticket.Address] = true
				}
			case e.Ready:
				ready = true
			}
		}
		var missing []hub.Address
		if ready && told != nil {
			for a := range p.tickets {
				if !told[a] {
					missing = append(missing, a) // closed meanwhile, and consumed
				}
			}
			told = nil
		}
		p.mu.Unlock()
		for _, a := range missing {
			if err := p.look(ctx, a); err != nil {
				return err
			}
		}
		if ready && !p.loaded {
			if err := p.load(ctx); err != nil {
				return err
			}
			close(p.ready)
		}
		p.signal()
	}
}

// learn notes a ticket as it is now.
func (p *person) learn(t *hub.Ticket) {
	if old := p.tickets[t.Address]; old != nil && old.Revision > t.Revision {
		return
	}
	p.tickets[t.Address] = t
	if _, ok := p.seen[t.Address]; !ok {
		p.seen[t.Address] = p.n.opts.Now()
	}
}

// look reads an ask. One that is gone is forgotten.
func (p *person) look(ctx context.Context, a hub.Address) error {
	t, err := p.n.hub.Get(ctx, a)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.learn(t)
	case errors.Is(err, hub.ErrNotFound):
		delete(p.tickets, a)
	default:
		return err
	}
	return nil
}

// load reads what was told before this process began to, and how those asks are.
func (p *person) load(ctx context.Context) error {
	now := p.n.opts.Now()
	var look []hub.Address
	err := p.n.each(ctx, hub.Query{Kind: hub.KindTold, Tenant: p.who.tenant, Person: &p.who.person}, func(r hub.Record) {
		s, err := readSlot(r)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil || s.Done && now.Sub(s.Sent) > rateFor && !p.knows(s) {
			return
		}
		p.take(s)
		if !s.Done && !s.Test {
			for _, a := range s.Asks {
				if p.tickets[a] == nil {
					look = append(look, a)
				}
			}
		}
	})
	for _, a := range look {
		if err == nil {
			err = p.look(ctx, a)
		}
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.loaded = true
	p.mu.Unlock()
	return nil
}

// knows reports whether one of the slot's asks is still of interest.
func (p *person) knows(s *slot) bool {
	return slices.ContainsFunc(s.Asks, func(a hub.Address) bool { return p.tickets[a] != nil })
}

// take makes a slot that was read one of ours.
func (p *person) take(s *slot) {
	all := p.slots[s.Contact]
	if all == nil {
		all = map[string]*slot{}
		p.slots[s.Contact] = all
	}
	if old := all[s.id]; old != nil && old.revision >= s.revision {
		return
	}
	all[s.id] = s
}

// run shows what is to be shown.
func (p *person) run(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-p.ready:
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if snoozed, err := p.n.hub.Snoozed(ctx, p.who.tenant, p.who.person); err == nil {
			p.mu.Lock()
			p.snoozed = snoozed
			p.mu.Unlock()
		}
		puts, next := p.decide()
		for _, one := range puts {
			p.work.Go(func() {
				p.show(ctx, one)
				p.signal()
			})
		}
		wait := time.Hour
		if !next.IsZero() {
			wait = min(wait, max(next.Sub(p.n.opts.Now()), 50*time.Millisecond))
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
		case <-p.wake:
		case <-timer.C:
		}
	}
}

// decide plans, and marks what is about to be shown.
func (p *person) decide() ([]put, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	v := &view{
		now: p.n.opts.Now(), person: p.who.person, tickets: p.tickets, seen: p.seen, limits: p.n.limits, prefs: &p.prefs, slots: p.slots,
		attended: p.n.attendedBy(p.who), snoozed: p.snoozed, back: p.back, leaving: p.leaving, inbox: p.n.opts.URL(""),
		url: func(a hub.Address) string { return p.n.opts.URL(p.n.hub.Handle(a)) },
	}
	p.notePutOff(v)
	v.contacts = slices.SortedFunc(maps.Values(p.contacts), before)
	puts, next := v.plan()
	for _, one := range puts {
		one.slot.busy = true
		if p.slots[one.contact.ID] == nil {
			p.slots[one.contact.ID] = map[string]*slot{}
		}
		one.slot.Alerting = one.note.Alert
		p.slots[one.contact.ID][one.slot.id] = one.slot
	}
	return puts, next
}

// forget drops what is of no use any more.
func (p *person) forget() {
	now := p.n.opts.Now()
	used := map[hub.Address]bool{}
	for contact, all := range p.slots {
		for id, s := range all {
			if s.Done && !s.busy && now.Sub(s.Sent) > rateFor && !p.knows(s) {
				delete(all, id)
				continue
			}
			for _, a := range s.Asks {
				used[a] = used[a] || !s.Done
			}
		}
		if p.leaving[contact] && len(p.live(contact)) == 0 {
			delete(p.leaving, contact)
			delete(p.contacts, contact)
		}
	}
	machine := slices.ContainsFunc(slices.Collect(maps.Values(p.contacts)), func(c *Contact) bool {
		l, _ := p.n.limits(c.Kind)
		return l.Machine
	})
	for a, t := range p.tickets {
		if !t.Open() && !used[a] && !(machine && t.Consumed.IsZero()) {
			delete(p.tickets, a)
			delete(p.seen, a)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

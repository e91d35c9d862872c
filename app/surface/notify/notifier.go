package notify

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Notifier tells people of the asks of a hub. All methods may be called from several
// goroutines, and in any process over the store.
type Notifier struct {
	hub   *hub.Hub
	store hub.Store
	opts  Options

	mu       sync.Mutex
	channels map[Kind]Channel
	known    map[who]*entry // of everybody who can be notified
	people   map[who]*person
	attended map[who]map[hub.Address]time.Time
	failing  map[hub.Address]bool // contacts, as this process knows
	leading  context.Context      // nil: another process notifies
	repliers map[Kind]context.CancelFunc

	stop context.CancelFunc
	work sync.WaitGroup // what runs for as long as the notifier
	led  sync.WaitGroup // what runs for as long as it leads
}

// entry is what the store says of a person.
type entry struct {
	contacts map[string]*Contact
	prefs    Prefs
}

// Start begins to notify. Close the notifier before the hub. Channels that come later
// are set with SetChannel.
func Start(h *hub.Hub, store hub.Store, o *Options) *Notifier {
	n := &Notifier{
		hub: h, store: store, opts: *o, channels: map[Kind]Channel{}, known: map[who]*entry{}, people: map[who]*person{},
		attended: map[who]map[hub.Address]time.Time{}, repliers: map[Kind]context.CancelFunc{}, failing: map[hub.Address]bool{},
	}
	for kind, c := range o.Channels {
		n.channels[kind] = c
	}
	p := &n.opts
	p.Wait = cmp.Or(p.Wait, firstWait)
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.URL == nil {
		p.URL = func(string) string { return "" }
	}
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	n.work.Go(func() { n.lead(ctx) })
	return n
}

// Close ends it. What is under way is finished or written down.
func (n *Notifier) Close() {
	n.stop()
	n.work.Wait()
}

// SetChannel puts a channel into use, or out of use if it is nil.
func (n *Notifier) SetChannel(kind Kind, c Channel) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if end := n.repliers[kind]; end != nil {
		end()
		delete(n.repliers, kind)
	}
	if c == nil {
		delete(n.channels, kind)
	} else {
		n.channels[kind] = c
		n.listen(kind, c)
	}
	for _, p := range n.people {
		p.signal()
	}
}

func (n *Notifier) channel(kind Kind) Channel {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.channels[kind]
}

// limits returns what a channel can show; false: there is no such channel.
func (n *Notifier) limits(kind Kind) (Limits, bool) {
	c := n.channel(kind)
	if l, ok := c.(Limited); ok {
		return l.Limits(), true
	}
	return Limits{}, c != nil
}

// listen has a channel bring what people do there, if it does and this process leads.
// n.mu is held.
func (n *Notifier) listen(kind Kind, c Channel) {
	r, ok := c.(Replier)
	if !ok || n.leading == nil || n.leading.Err() != nil {
		return
	}
	ctx, end := context.WithCancel(n.leading)
	n.repliers[kind] = end
	n.led.Go(func() {
		defer end()
		for pause := time.Second; ctx.Err() == nil; pause = min(2*pause, time.Minute) {
			began := n.opts.Now()
			err := r.Replies(ctx, &desk{n, kind})
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				n.opts.Log.Warn("replies of a channel do not arrive", "channel", kind, "err", err)
				n.replies(ctx, kind, err)
			}
			if n.opts.Now().Sub(began) > time.Minute {
				pause = time.Second
			}
			sleep(ctx, pause)
		}
	})
}

// linked returns everybody's contacts of a kind that are on.
func (n *Notifier) linked(kind Kind) (all []*Contact) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.known {
		for _, c := range e.contacts {
			if c.Kind == kind && !c.Off {
				all = append(all, c)
			}
		}
	}
	return all
}

// replies notes at every contact of a kind that replies do not arrive.
func (n *Notifier) replies(ctx context.Context, kind Kind, err error) {
	for _, c := range n.linked(kind) {
		n.result(ctx, c, err)
	}
}

// result notes at a contact whether it works.
func (n *Notifier) result(ctx context.Context, c *Contact, err error) {
	gone := errors.Is(err, ErrGone)
	var retry *RetryError
	if errors.As(err, &retry) && (retry.Never || retry.After > 0 && retry.After <= time.Minute) {
		return // the service is busy, or does not like this note: the contact works
	}
	key := hub.Address{Tenant: c.Tenant, Person: c.Person, ID: c.ID}
	n.mu.Lock()
	failing, ok := n.failing[key] // newer than the contact, perhaps
	n.failing[key] = err != nil
	n.mu.Unlock()
	if !ok {
		failing = !c.Failing.IsZero()
	}
	if failing == (err != nil) && !gone {
		return
	}
	change[Contact](ctx, n, hub.KindNotify, contactAddress(c.Tenant, c.Person, c.ID), 0, func(c *Contact, found bool) bool {
		if !found || (err == nil) == c.Failing.IsZero() && (!gone || c.Off) {
			return false
		}
		c.Failing, c.Error = time.Time{}, ""
		if err != nil {
			c.Failing, c.Error = n.opts.Now().UTC(), cut(err.Error(), 300)
		}
		c.Off = c.Off || gone
		return true
	})
}

// Attend says that the person is at an ask at this moment.
func (n *Notifier) Attend(tenant, person string, ask hub.Address) {
	now, w := n.opts.Now(), who{tenant, person}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.attended[w] == nil {
		n.attended[w] = map[hub.Address]time.Time{}
	}
	for a, at := range n.attended[w] {
		if now.Sub(at) >= attendFor {
			delete(n.attended[w], a)
		}
	}
	if len(n.attended[w]) < 100 {
		n.attended[w][ask] = now
	}
	if p := n.people[w]; p != nil {
		p.signal()
	}
}

func (n *Notifier) attendedBy(w who) map[hub.Address]time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := map[hub.Address]time.Time{}
	for a, at := range n.attended[w] {
		all[a] = at
	}
	return all
}

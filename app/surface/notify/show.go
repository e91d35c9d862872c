package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/saysohq/sayso/hub"
)

const (
	putLimit = 20 * time.Second       // how long a channel may take
	calm     = 500 * time.Millisecond // before what could not be done is tried again
	saveFor  = 10 * time.Second       // how long the store may take to write down what happened
)

func readSlot(r hub.Record) (*slot, error) {
	s := &slot{id: r.Address.ID, revision: r.Revision}
	err := json.Unmarshal(r.Data, s)
	return s, err
}

// show shows a note: it writes down that it is about to, has the channel do it, and
// writes down what became of it.
func (p *person) show(ctx context.Context, one put) {
	// The next process must know, whatever becomes of this one.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), putLimit+2*saveFor)
	defer cancel()
	channel := p.n.channel(one.contact.Kind)
	if channel == nil || !p.still(ctx, one) {
		sleep(ctx, calm)
		p.settle(one, one.was)
		return
	}
	s := one.slot.clone()
	s.busy = true
	s.Sending = p.n.opts.Now().UTC()
	if err := p.n.storeSlot(late, one.contact, s); err != nil {
		// Another node was faster, or the store does not take it: it is read again.
		sleep(ctx, calm)
		p.again(late, one)
		return
	}
	limited, cancel := context.WithTimeout(late, putLimit)
	where, err := channel.Put(limited, one.contact, one.note, s.Where)
	cancel()
	p.n.result(late, one.contact, err)
	p.finish(late, one, s, where, err)
}

// still looks once more whether the ask is open, just before somebody is told.
func (p *person) still(ctx context.Context, one put) bool {
	if !one.note.Alert || len(one.note.Asks) != 1 || one.machine {
		return true
	}
	a := one.note.Asks[0].Address
	if err := p.look(ctx, a); err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tickets[a]
	return t != nil && t.Open() && t.Revision == one.note.Asks[0].Revision
}

// settle puts the slot back to what it was before, or drops a new one.
func (p *person) settle(one put, was *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.slots[one.contact.ID]
	if all[one.slot.id] != one.slot {
		return
	}
	if was == nil {
		delete(all, one.slot.id)
		return
	}
	was.busy = false
	all[one.slot.id] = was
}

// storeSlot writes a slot over the revision that it is of.
func (n *Notifier) storeSlot(ctx context.Context, c *Contact, s *slot) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	revision, err := n.store.Put(ctx, hub.Record{Kind: hub.KindTold, Address: s.address(c), TTL: keepTold, Data: data}, s.revision)
	if err == nil {
		s.revision = revision
	}
	return err
}

// again reads a slot that another has changed.
func (p *person) again(ctx context.Context, one put) {
	var r hub.Record
	var err error
	for range maxRetries {
		if r, err = p.n.store.Get(ctx, hub.KindTold, one.slot.address(one.contact)); err == nil || errors.Is(err, hub.ErrNotFound) || ctx.Err() != nil {
			break
		}
		sleep(ctx, 200*time.Millisecond)
	}
	p.settle(one, one.was)
	if err != nil {
		return
	}
	if s, err := readSlot(r); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.Sending.IsZero() || p.n.opts.Now().Sub(s.Sending) > putLimit {
			p.take(s)
			return
		}
		s.Retry = s.Sending.Add(putLimit) // another process sends it right now
		p.take(s)
	}
}

// finish writes down what became of a note.
func (p *person) finish(ctx context.Context, one put, s *slot, where string, err error) {
	now := p.n.opts.Now().UTC()
	if len(where) > maxWhere {
		where, err = "", fmt.Errorf("notify: %s returned a place of %d bytes", one.contact.Kind, len(where))
	}
	apply := func(s *slot) {
		s.Sending, s.Alerting = time.Time{}, false
		l, _ := p.n.limits(one.contact.Kind)
		var retry *RetryError
		unknown := err != nil && !errors.As(err, &retry) && !errors.Is(err, ErrGone)
		switch {
		case err == nil:
			s.Where, s.Shown, s.Over = where, one.sum, one.note.Over
			s.Attempts, s.Retry, s.Error, s.Doubt = 0, time.Time{}, "", false
			if one.note.Alert {
				if s.Sent.IsZero() {
					s.First = now // it failed until now: the reminders begin here
				}
				s.Sent = now
			}
			s.Done = s.Over && s.Where == "" || one.machine && s.Over
			return
		case errors.Is(err, ErrGone), retry != nil && retry.Never:
			s.Done, s.Error = true, cut(err.Error(), 300)
			return
		case unknown && one.note.Alert && !l.Again:
			s.Sent, s.Doubt = now, true // it may have arrived: not this round again
			if s.Attempts++; s.Attempts > 1 {
				s.Retry = now.Add(rateFor * time.Duration(min(s.Attempts-1, 36))) // a service that fails may well deliver
			}
		default:
			s.Attempts++
			s.Retry = now.Add(pause(s.id, s.Attempts))
			if retry != nil && retry.After > 0 {
				s.Retry = now.Add(min(retry.After, maxPause))
			}
			if one.note.Alert && retry != nil { // it did not arrive
				s.Round = 0
				s.Sent = time.Time{}
				if one.was != nil {
					s.Round, s.Sent, s.Doubt = one.was.Round, one.was.Sent, one.was.Doubt
				}
			}
			if unknown { // the same once more
				s.Sending, s.Alerting = now, one.note.Alert
			}
		}
		s.Error = cut(err.Error(), 300)
	}
	apply(s)
	for range maxRetries {
		err := p.n.storeSlot(ctx, one.contact, s)
		if err == nil || ctx.Err() != nil {
			break
		}
		// The person did something with the note meanwhile: that stays.
		if r, err := p.n.store.Get(ctx, hub.KindTold, s.address(one.contact)); err == nil {
			if now, err := readSlot(r); err == nil {
				now.busy = true
				apply(now)
				s = now
			}
			continue
		}
		sleep(ctx, 200*time.Millisecond)
	}
	s.busy = false
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots[one.contact.ID][s.id] = s
}

const maxPause = 6 * time.Hour

// pause is how long to wait after so many failures: 5 s, 25 s, and so on up to six
// hours, half of it spread so that not everything comes at once.
func pause(id string, attempts int) time.Duration {
	d := 5 * time.Second
	for i := 1; i < attempts && d < maxPause; i++ {
		d *= 5
	}
	d = min(d, maxPause)
	h := fnv.New64a()
	fmt.Fprint(h, id, attempts)
	return d/2 + time.Duration(h.Sum64()%uint64(d/2))
}

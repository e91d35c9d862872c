package notify

import (
	"context"
	"errors"

	"github.com/saysohq/sayso/hub"
)

// person returns who is notified at a contact, nil if this process does not do that.
func (d *desk) person(c *Contact) *person {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	return d.n.people[who{c.Tenant, c.Person}]
}

// slots returns what is shown at a contact, as it is stored.
func (d *desk) slots(ctx context.Context, c *Contact) (all []*slot, err error) {
	err = d.n.each(ctx, hub.Query{Kind: hub.KindTold, Tenant: c.Tenant, Person: &c.Person, Conversation: c.ID}, func(r hub.Record) {
		if s, err := readSlot(r); err == nil {
			all = append(all, s)
		}
	})
	return all, err
}

// find returns what is shown at a contact and is of that token, nil if nothing is.
func (d *desk) find(ctx context.Context, c *Contact, match func(*slot) bool) (*slot, error) {
	var at *hub.Address
	look := func(s *slot) {
		if match(s) {
			a := s.address(c)
			at = &a
		}
	}
	if p := d.person(c); p != nil {
		p.mu.Lock()
		for _, s := range p.slots[c.ID] {
			look(s)
		}
		p.mu.Unlock()
	}
	if at == nil {
		all, err := d.slots(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			look(s)
		}
	}
	if at == nil {
		return nil, nil
	}
	r, err := d.n.store.Get(ctx, hub.KindTold, *at)
	if errors.Is(err, hub.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := readSlot(r)
	if err != nil || !match(s) {
		return nil, err
	}
	return s, nil
}

// update changes a slot that the notifier may be about to change, too.
func (d *desk) update(ctx context.Context, c *Contact, s *slot, fn func(*slot)) error {
	now, revision, err := change[slot](ctx, d.n, hub.KindTold, s.address(c), keepTold, func(v *slot, found bool) bool {
		if found {
			fn(v)
		}
		return found
	})
	if err != nil {
		return err
	}
	now.id, now.revision = s.id, revision
	if p := d.person(c); p != nil {
		p.mu.Lock()
		if old := p.slots[c.ID][s.id]; old != nil && !old.busy {
			p.slots[c.ID][s.id] = now
		} else if old != nil {
			fn(old) // it is being sent, and written anew afterwards
		}
		p.mu.Unlock()
		p.signal()
	}
	return nil
}

// know has the notifier see a ticket at once.
func (d *desk) know(c *Contact, t *hub.Ticket) {
	p := d.person(c)
	if p == nil || t == nil {
		return
	}
	p.mu.Lock()
	if p.tickets[t.Address] != nil {
		p.learn(t)
	}
	p.mu.Unlock()
	p.signal()
}

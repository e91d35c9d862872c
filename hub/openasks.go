package hub

import (
	"context"
	"sync"
)

// counts knows how many asks are open of the askers that are active here.
type counts struct {
	mu   sync.Mutex
	tick uint64
	all  map[scope]*count
}

// count is the open asks of one asker.
type count struct {
	used uint64 // the tick of the last use; guarded by counts

	mu     sync.Mutex
	follow *Follower          // nil: begin anew
	open   map[Address]uint64 // by revision; zero: reserved
}

func (cs *counts) init() { cs.all = map[scope]*count{} }

// ReserveOpen counts an ask that is about to be submitted, unless its asker has as
// many open as it may, most. Release takes it back if it did not come to be open;
// it is never nil.
//
// The asks are listed once, and then counted by what this hub hears of all hubs over
// the store. So several hubs together may let a few too many pass at the same
// moment.
func (h *Hub) ReserveOpen(ctx context.Context, addr Address, asker string, most int) (ok bool, release func(), err error) {
	c := h.counts.of(askerScope(&addr))
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.update(ctx, h, addr.Tenant, asker); err != nil {
		return false, func() {}, err
	}
	if _, known := c.open[addr]; known {
		return true, func() {}, nil // the same ask again
	}
	if len(c.open) >= most {
		return false, func() {}, nil
	}
	c.open[addr] = 0
	return true, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if revision, known := c.open[addr]; known && revision == 0 {
			delete(c.open, addr)
		}
	}, nil
}

func (cs *counts) of(s scope) *count {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.all[s]
	if c == nil {
		c = &count{open: map[Address]uint64{}}
		cs.all[s] = c
	}
	c.used = cs.tick
	return c
}

// update takes in what changed since the last use. The lock is held.
func (c *count) update(ctx context.Context, h *Hub, tenant, asker string) error {
	if c.follow == nil {
		f, err := h.Follow(ctx, tenant, &Filter{Asker: asker, nobody: asker == ""}, "")
		if err != nil {
			return err
		}
		c.follow = f
	}
	for {
		steps, err := c.follow.poll(ctx)
		if err != nil {
			return err
		}
		for _, s := range steps {
			c.take(s)
		}
		wait := c.follow.when.Sub(h.now())
		switch {
		case len(steps) > 0 || c.follow.page != nil && wait <= 0:
		case c.follow.page == nil && c.follow.at != nil:
			return nil
		default: // the store could not be read
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		}
	}
}

func (c *count) take(s step) {
	addr, revision, open := Address{}, uint64(0), false
	switch {
	case s.Reset: // those that are being submitted are not listed yet
		for addr, revision := range c.open {
			if revision > 0 {
				delete(c.open, addr)
			}
		}
		return
	case s.Ticket != nil:
		addr, revision, open = s.Ticket.Address, s.Ticket.Revision, s.Ticket.Open()
	case s.change != nil:
		addr, revision, open = s.change.record.Address, s.change.record.Revision, !s.change.record.Closed
	default:
		return
	}
	if open {
		c.open[addr] = revision
	} else {
		delete(c.open, addr)
	}
}

// turn moves on by one tick, and forgets what was not used for a while.
func (cs *counts) turn(linger uint64) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.tick++
	for s, c := range cs.all {
		if cs.tick-c.used < linger || !c.mu.TryLock() {
			continue
		}
		if c.follow != nil {
			c.follow.Close()
			c.follow = nil
		}
		clear(c.open)
		c.mu.Unlock()
		delete(cs.all, s)
	}
}

package hub

import (
	"context"
	"sync"
)

// surfaceQueue is how many changes wait for a surface before it has to list again.
const surfaceQueue = 1024

// Change is what a surface is told: a ticket that is new or has changed, or that
// it has to list again.
type Change struct {
	Ticket *Ticket // nil when one of the others is set
	Reset  bool    // changes may have been missed: list again
	Ready  bool    // every open ticket was told since the reset; only [Asker].Watch tells them and says so
	Err    error   // a record changed that cannot be read
}

// Watch calls fn, one call at a time, for every change of the tenant's tickets
// that match the filter, whatever their status, until ctx ends or the hub stops.
// The first call is a Reset: the surface lists then, and misses nothing. A ticket
// may come again unchanged; one with a lower revision than was seen is old news.
//
// A surface that is slow in fn is told to list again, and holds up nobody else.
// So is every surface whenever changes may have been missed, and now and then in any
// case ([Options].Relist). [Hub.Follow] does the listing, too.
func (h *Hub) Watch(ctx context.Context, tenant string, f *Filter, fn func(Change)) error {
	if f == nil {
		f = &Filter{}
	}
	s := newSurface(f)
	leave, err := h.attach(ctx, tenant, s, true)
	if err != nil {
		return err
	}
	defer leave()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.done:
			return ErrStopped
		case <-s.wake:
		}
		queue, missed := s.take()
		if missed {
			fn(Change{Reset: true})
		}
		for _, c := range queue {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			h.inform(ctx, s, c, fn)
		}
	}
}

func (h *Hub) inform(ctx context.Context, s *surface, c *change, fn func(Change)) {
	t, err := h.told(ctx, c)
	switch {
	case err != nil:
		fn(Change{Err: err})
	case s.filter.match(t):
		fn(Change{Ticket: t})
	}
}

// surface is one call of Watch, or one follower. It begins as one that has missed
// something.
type surface struct {
	filter    Filter
	interests []*interest
	next      uint64 // the tick at which it has to list again, zero: never; guarded by interests

	mu     sync.Mutex
	queue  []*change
	missed bool
	wake   chan struct{} // holds one token
}

func newSurface(f *Filter) *surface {
	s := &surface{filter: *f, wake: make(chan struct{}, 1), missed: true}
	s.filter.Status, s.filter.Unconsumed = AnyStatus, false
	s.wake <- struct{}{}
	return s
}

// attach has the surface told of what its filter may select, from its return on. It
// ends with leave.
func (h *Hub) attach(ctx context.Context, tenant string, s *surface, relists bool) (leave func(), err error) {
	if relists {
		in := &h.interests
		in.mu.Lock()
		s.next = in.tick + in.relist + in.jitter(in.relist/4)
		in.mu.Unlock()
	}
	for _, scope := range s.filter.scopes(tenant) {
		s.interests = append(s.interests, h.use(scope, s))
	}
	leave = func() {
		for _, one := range s.interests {
			h.leave(one, s)
		}
	}
	for _, one := range s.interests {
		if err := h.awaitReady(ctx, one); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// scopes are what a filter has to be told of.
func (f *Filter) scopes(tenant string) []scope {
	var own []scope
	if f.Desk {
		own = []scope{{tenant, personal, f.Person}}
	}
	switch {
	case f.Person != "":
		return []scope{{tenant, byPerson, f.Person}, {tenant, byPerson, ""}, {tenant, personal, f.Person}}
	case f.Asker != "" || f.nobody:
		return []scope{{tenant, byAsker, AskerToken(f.Asker)}}
	case f.Conversation != "":
		return []scope{{tenant, byConversation, f.Conversation}}
	}
	return append(own, scope{tenant: tenant})
}

// offer never blocks.
func (s *surface) offer(c *change) {
	if s.filter.Conversation != "" && s.filter.Conversation != c.record.Address.Conversation {
		return
	}
	s.mu.Lock()
	full := len(s.queue) == surfaceQueue
	if !full {
		s.queue = append(s.queue, c)
	}
	s.mu.Unlock()
	if full {
		s.lose(true)
		return
	}
	s.ring()
}

// lose has the surface list again. What is queued is told after that, since lists
// may lag, unless there is too much of it.
func (s *surface) lose(queue bool) {
	s.mu.Lock()
	s.missed = true
	if queue {
		s.queue = nil
	}
	s.mu.Unlock()
	s.ring()
}

func (s *surface) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *surface) take() (queue []*change, missed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue, missed = s.queue, s.missed
	s.queue, s.missed = nil, false
	return queue, missed
}

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
// Now and then every surface is, because bells may be lost and lists may lag: soon
// after it began, and then less and less often ([Options].Relist).
//
// Watch uses no watch of the store of its own, and no goroutine or timer.
func (h *Hub) Watch(ctx context.Context, tenant string, f *Filter, fn func(Change)) error {
	if f == nil {
		f = &Filter{}
	}
	s := &surface{filter: *f, wake: make(chan struct{}, 1), missed: true}
	s.filter.Status = AnyStatus
	s.wake <- struct{}{}
	h.surfaces.add(tenant, s)
	defer h.surfaces.remove(tenant, s)
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

// surfaces are the calls of Watch, by inbox, so that a change is offered only to
// those whom it may concern.
type surfaces struct {
	mu       sync.Mutex
	all      map[inboxKey]map[*surface]struct{}
	tick     uint64
	min, max uint64 // ticks between two lists of a surface
}

// inboxKey is an inbox of a tenant, or all of them.
type inboxKey struct {
	tenant, person string
	every          bool
}

// surface is one call of Watch.
type surface struct {
	filter Filter
	next   uint64 // the tick at which it has to list again
	pause  uint64 // ticks from then to the time after; guarded by surfaces

	mu     sync.Mutex
	queue  []*change
	missed bool
	wake   chan struct{} // holds one token
}

func (ss *surfaces) init(least, most uint64) {
	ss.all = map[inboxKey]map[*surface]struct{}{}
	ss.min, ss.max = least, most
}

// keys are the inboxes that a filter looks into.
func (f *Filter) keys(tenant string) []inboxKey {
	if f.Person == "" {
		return []inboxKey{{tenant: tenant, every: true}}
	}
	return []inboxKey{{tenant: tenant, person: f.Person}, {tenant: tenant}}
}

func (ss *surfaces) add(tenant string, s *surface) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.soon(s)
	for _, k := range s.filter.keys(tenant) {
		if ss.all[k] == nil {
			ss.all[k] = map[*surface]struct{}{}
		}
		ss.all[k][s] = struct{}{}
	}
}

func (ss *surfaces) remove(tenant string, s *surface) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, k := range s.filter.keys(tenant) {
		delete(ss.all[k], s)
		if len(ss.all[k]) == 0 {
			delete(ss.all, k)
		}
	}
}

// tell offers a change to the surfaces whose inbox it is in. It never blocks.
func (ss *surfaces) tell(c *change) {
	tenant, person := c.record.Address.Tenant, c.record.Address.Person
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for s := range ss.all[inboxKey{tenant: tenant, person: person}] {
		s.offer(c)
	}
	for s := range ss.all[inboxKey{tenant: tenant, every: true}] {
		s.offer(c)
	}
}

// reset has every surface list again, now and soon after.
func (ss *surfaces) reset() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, in := range ss.all {
		for s := range in {
			ss.soon(s)
			s.lose(false)
		}
	}
}

func (ss *surfaces) soon(s *surface) { s.next, s.pause = ss.tick+ss.min, min(2*ss.min, ss.max) }

// relist moves on by one tick and has those surfaces list again whose turn it is.
func (ss *surfaces) relist() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.tick++
	for _, in := range ss.all {
		for s := range in {
			if s.next == ss.tick {
				s.next, s.pause = ss.tick+s.pause, min(2*s.pause, ss.max)
				s.lose(false)
			}
		}
	}
}

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

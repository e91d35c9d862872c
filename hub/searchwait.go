package hub

import (
	"context"
	"sync"
)

// attempt is at something that those who search need. They wait for the same one, and
// are told together if it fails; who comes later begins the next.
type attempt struct {
	done chan struct{}
	err  error // when it is done
}

func newSearchFeed() searchFeed {
	return searchFeed{turn: make(chan struct{}, 1), gone: make(chan struct{})}
}

// index returns the index of a tenant as the store is now: what this hub has stored is
// in it, and what others have as soon as this hub has heard of it. The first search
// makes it. That takes time where much is stored, and goes on if ctx ends before. What
// is open comes first: who needs what is closed waits for all. If the store cannot be
// read, whoever waits is told why, and the next search tries again.
func (h *Hub) index(ctx context.Context, tenant string, all bool) (*searchIndex, error) {
	for {
		x, err := h.searches.of(tenant, h.keeping())
		if err != nil {
			return nil, err
		}
		err = h.bringUp(ctx, x, all)
		switch {
		case err == nil:
			return x, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isClosed(h.done):
			return nil, ErrStopped
		case !isClosed(x.feed.gone): // else it was dropped meanwhile, and there is another one
			return nil, err
		}
	}
}

func isClosed(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	default:
		return false
	}
}

// of returns the index of a tenant, which may be a new one.
func (s *searches) of(tenant string, keep keeping) (*searchIndex, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, ErrStopped
	}
	x := s.all[tenant]
	if x == nil {
		x = newSearchIndex(tenant, keep)
		if s.all == nil {
			s.all = map[string]*searchIndex{}
		}
		s.all[tenant] = x
	}
	x.feed.used = s.tick
	return x, nil
}

// bringUp brings an index up to date, with what is closed if all is set.
func (h *Hub) bringUp(ctx context.Context, x *searchIndex, all bool) error {
	f := &x.feed
	if f.opened.Load() {
		select {
		case f.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		case <-h.done:
			return ErrStopped
		}
		if err := h.feed(ctx, x); err != nil {
			return err
		}
	} else if err := h.await(ctx, h.opening(x)); err != nil {
		return err
	}
	if a, full := h.filling(x); all && !full {
		return h.await(ctx, a)
	}
	return nil
}

// await returns what came of an attempt.
func (h *Hub) await(ctx context.Context, a *attempt) error {
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	case <-h.done:
		return ErrStopped
	}
}

// opening returns the attempt to take in what is open.
func (h *Hub) opening(x *searchIndex) *attempt {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	h.attempt(x, &f.opening, func(ctx context.Context) error {
		select {
		case f.turn <- struct{}{}:
			return h.feed(ctx, x)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return f.opening
}

// filling returns the attempt to take in what is closed, if there is something to take
// in, and whether that was done before.
func (h *Hub) filling(x *searchIndex) (a *attempt, full bool) {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ready != f.filled {
		h.attempt(x, &f.filling, func(ctx context.Context) error { return h.fill(ctx, x) })
	}
	return f.filling, f.full
}

// attempt begins an attempt, unless one is under way. The feed's lock is held.
func (h *Hub) attempt(x *searchIndex, current **attempt, fn func(ctx context.Context) error) {
	if *current != nil {
		return
	}
	a := &attempt{done: make(chan struct{})}
	*current = a
	if h.searching(x, func(ctx context.Context) {
		defer close(a.done)
		a.err = fn(ctx)
		x.feed.mu.Lock()
		*current = nil
		x.feed.mu.Unlock()
	}) {
		return
	}
	a.err = ErrStopped
	close(a.done)
}

// searching runs fn as a part of the hub, for as long as the index is used.
func (h *Hub) searching(x *searchIndex, fn func(ctx context.Context)) bool {
	s := &h.searches
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	h.work.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-h.done:
			case <-x.feed.gone:
			case <-ctx.Done():
			}
			cancel()
		})
		fn(ctx)
		cancel()
		watch.Wait()
	})
	return true
}

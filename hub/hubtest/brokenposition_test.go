package hubtest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// unplaced lists everything, whatever position it is given.
type unplaced struct{ *hub.Memory }

func (s unplaced) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	q.After = nil
	return s.Memory.List(ctx, q)
}

// anywhere takes a position that it knows nothing of for one that it does.
type anywhere struct{ *hub.Memory }

func (s anywhere) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	if errors.Is(err, hub.ErrPosition) {
		return hub.Page{}, nil
	}
	return page, err
}

// unheard lists only what it has heard of, whatever the reader has.
type unheard struct{ *hub.Memory }

func (s unheard) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	if least := q.Least[0]; least > 0 && page.Position != nil {
		page.Position.Parts[0] = least - 1
		page.Records = slices.DeleteFunc(page.Records, func(r hub.Record) bool { return r.Revision >= least })
	}
	return page, err
}

// lagging lists what was there before the last writes.
type lagging struct {
	*hub.Memory
	mu   sync.Mutex
	last []hub.Address
}

func (s *lagging) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	revision, err := s.Memory.Put(ctx, r, expect)
	s.mu.Lock()
	s.last = append(s.last, r.Address)
	s.mu.Unlock()
	<-time.After(time.Millisecond)
	return revision, err
}

// Watch is ready after some of the writes.
func (s *lagging) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	<-time.After(5 * time.Millisecond)
	return s.Memory.Watch(ctx, q, ready, fn)
}

func (s *lagging) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []hub.Record
	for _, r := range page.Records {
		if len(s.last) == 0 || r.Address != s.last[len(s.last)-1] {
			kept = append(kept, r)
		}
	}
	page.Records = kept
	return page, err
}

// askerless has no askers in its filters.
type askerless struct{ *hub.Memory }

func (s askerless) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	q.Asker = nil
	return s.Memory.List(ctx, q)
}

func (s askerless) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	q.Asker = nil
	return s.Memory.Watch(ctx, q, ready, fn)
}

// deafStore can be made deaf. It finds out what it missed, or one of two wrong
// things.
type deafStore struct {
	*hub.Memory
	never, everybody bool

	mu      sync.Mutex
	deaf    bool
	watches []func(hub.Record)
}

func deafen(s hub.Store, deaf bool) {
	if s, ok := s.(*deafStore); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.deaf = deaf
	}
}

func (s *deafStore) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	s.mu.Lock()
	s.watches = append(s.watches, fn)
	s.mu.Unlock()
	return s.Memory.Watch(ctx, q, ready, func(r hub.Record) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case !s.deaf:
			fn(r)
		case s.everybody:
			for _, other := range s.watches {
				other(hub.Record{})
			}
		case !s.never:
			fn(hub.Record{})
		}
	})
}

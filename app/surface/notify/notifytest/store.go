package notifytest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/saysohq/sayso/hub"
)

// Store is a store that can be away, as when its machine is gone: the notifier reads
// and writes nothing then.
type Store struct {
	hub.Store
	away   atomic.Bool
	missed atomic.Int64
}

var errAway = errors.New("the storage is away")

// SetAway has it go or come back.
func (s *Store) SetAway(away bool) { s.away.Store(away) }

// Away reports whether it is away.
func (s *Store) Away() bool { return s.away.Load() }

// Missed returns how many reads failed while it was away.
func (s *Store) Missed() int64 { return s.missed.Load() }

func (s *Store) Get(ctx context.Context, kind hub.Kind, a hub.Address) (hub.Record, error) {
	if s.Away() {
		s.missed.Add(1)
		return hub.Record{}, errAway
	}
	return s.Store.Get(ctx, kind, a)
}

func (s *Store) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if s.Away() {
		return 0, errAway
	}
	return s.Store.Put(ctx, r, expect)
}

package httpapi

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso/hub"
)

// bareStore rings bells without data, as for records that are too large, and fails to read as often as it is told to.
type bareStore struct {
	*hub.Memory
	fails   atomic.Int32
	resumed func()
}

func (s *bareStore) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	return s.Memory.Watch(ctx, q, ready, func(r hub.Record) {
		r.Data = nil
		fn(r)
	})
}

func (s *bareStore) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	if s.fails.Add(-1) >= 0 {
		return hub.Record{}, errors.New("the disk is busy")
	}
	return s.Memory.Get(ctx, kind, addr)
}

func (s *bareStore) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := s.Memory.List(ctx, q)
	if q.After != nil {
		s.resumed()
	}
	return page, err
}

// A change that cannot be read for a moment is told all the same.
func TestStreamUnread(t *testing.T) {
	resumed := make(chan struct{}, 100)
	store := &bareStore{Memory: hub.NewMemory(nil), resumed: func() { resumed <- struct{}{} }}
	w := newWorldOver(t, store, nil, nil)
	ada := w.follower(w.listen(t), "ada", "/v1/events")
	if got := names(collect(t, ada, 2)); got != "reset, ready" {
		t.Fatalf("ada begins with %s", got)
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		<-resumed // what comes now is heard, and not listed
		store.fails.Store(1)
		w.ask(t, "a1")
		w.ask(t, "a2")
	}()
	var told []sseEvent
	for ctx := within(t, soon); len(told) < 2; { // it may be cut, and comes back
		err := ada.follow(ctx, func(e sseEvent) bool {
			told = append(told, e)
			return len(told) < 2
		})
		if ctx.Err() != nil {
			t.Fatalf("%v after %s", err, names(told))
		}
	}
	<-asked
	if got := names(told); got != "a1 pending@1, a2 pending@2" {
		t.Errorf("ada is told %s", got)
	}
	if store.fails.Load() >= 0 {
		t.Error("nothing was read")
	}
}

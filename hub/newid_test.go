package hub_test

import (
	"context"
	"testing"

	"github.com/saysohq/sayso/hub"
)

// told notes which records were said to be new.
type told struct {
	hub.Store
	fresh []bool
}

func (s *told) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	s.fresh = append(s.fresh, r.Fresh)
	return s.Store.Put(ctx, r, expect)
}

// TestNewID: only an id that the hub drew itself, and only once, needs no look for
// an earlier ask.
func TestNewID(t *testing.T) {
	t.Parallel()
	store := &told{Store: hub.NewMemory(nil)}
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	drawn, err := h.NewID()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		asker, id string
		want      bool
	}{{"a", "", true}, {"a", "own", false}, {"a", drawn, true}, {"b", drawn, false}} {
		store.fresh = nil
		if _, err := h.Submit(t.Context(), "t", ofAsker(c.asker, c.id, "Deploy?")); err != nil {
			t.Fatal(err)
		}
		if len(store.fresh) != 1 || store.fresh[0] != c.want {
			t.Errorf("%q of %q: new %v, want %v", c.id, c.asker, store.fresh, c.want)
		}
	}
}

package hub_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// losing loses the reply to every other write.
type losing struct {
	hub.Store
	n int
}

func (s *losing) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	revision, err := s.Store.Put(ctx, r, expect)
	if s.n++; s.n%2 == 1 && err == nil {
		return 0, hub.ErrUndecided
	}
	return revision, err
}

// TestStored: a hub tells of what it stored, once, also if the store did not say so.
func TestStored(t *testing.T) {
	t.Parallel()
	for _, lossy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lossy %v", lossy), func(t *testing.T) {
			t.Parallel()
			var store hub.Store = hub.NewMemory(nil)
			if lossy {
				store = &losing{Store: store}
			}
			var told []string
			began := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
			var later atomic.Int64 // the hub looks at the clock, too
			now := func() time.Time { return began.Add(time.Duration(later.Load())) }
			h, err := hub.Open(t.Context(), store, &hub.Options{
				Now: now, Tick: 24 * time.Hour,
				Stored: func(before, after *hub.Ticket) {
					was := "new"
					if before != nil {
						was = string(before.Status())
					}
					told = append(told, after.Ask.ID+" "+was+" "+string(after.Status()))
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Stop()
			ask := func(id string) *hub.Ticket {
				a := &sayso.Ask{ID: id, Deadline: began.Add(time.Hour), Questions: []sayso.Question{{Text: "Which?"}}}
				a.Normalize()
				ticket, err := h.Submit(t.Context(), "acme", a)
				if err != nil {
					t.Fatal(err)
				}
				return ticket
			}
			o := &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ada"}}
			first, _ := ask("a1"), ask("a2")
			ask("a1")
			for range 2 { // the second one changes nothing
				if _, err := h.Close(t.Context(), first, o, nil); err != nil {
					t.Fatal(err)
				}
			}
			later.Store(int64(2 * time.Hour))
			if _, err := h.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := []string{"a1 new pending", "a2 new pending", "a1 pending declined", "a2 pending expired"}
			if !slices.Equal(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}

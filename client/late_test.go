package client_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestLate: whoever looks after the call died gets the outcome, and only one of
// all who look.
func TestLate(t *testing.T) {
	t.Parallel()
	t.Run("this version", func(t *testing.T) { late(t, false) })
	t.Run("an earlier version", func(t *testing.T) { late(t, true) })
}

func late(t *testing.T, old bool) {
	f := newFake(t)
	f.old = old
	c := f.client(nil)
	for _, id := range []string{"a1", "a2", "a3", "a4"} {
		a := ask(id)
		a.Origin.Conversation = "c1"
		if _, err := c.Submit(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	ago := func(id string, d time.Duration) {
		t.Helper()
		seen := f.find(id)
		o := answered(seen.Ask, "words for "+id)
		o.By, o.At = person, time.Now().Add(-d)
		if _, err := f.now().Close(t.Context(), seen, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	ago("a1", time.Hour)
	ago("a2", time.Hour)
	ago("a3", 0) // whoever asked may be about to take it
	if _, err := c.Withdraw(t.Context(), f.now().Handle(f.find("a4").Address), sayso.StatusCancelled, "not needed"); err != nil {
		t.Fatal(err)
	}
	if got, open, err := hub.TakeLate(t.Context(), c, "c2", time.Now()); err != nil || len(got) != 0 || open != 0 {
		t.Errorf("another conversation: %v, %d open, %v", got, open, err)
	}

	var told atomic.Int32
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			late, open, err := hub.TakeLate(context.Background(), c, "c1", time.Now())
			if err != nil || open != 1 {
				t.Errorf("%d open, %v", open, err)
			}
			for _, l := range late {
				if l.Outcome.Status != sayso.StatusAnswered || l.Outcome.Answers[0].Other != "words for "+l.Ask.ID {
					t.Errorf("told %+v", l.Outcome)
				}
			}
			told.Add(int32(len(late)))
		})
	}
	work.Wait()
	if told.Load() != 2 {
		t.Errorf("2 late answers were told %d times", told.Load())
	}
	left := map[string]bool{}
	err := hub.Each(t.Context(), c, &hub.Filter{Unconsumed: true}, func(tk *hub.Ticket) bool { left[tk.Ask.ID] = true; return true })
	if err != nil || len(left) != 2 || !left["a3"] || !left["a4"] {
		t.Errorf("not taken yet: %v, %v", left, err)
	}
}

package hub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func yearAsk(id string, deadline time.Time) *sayso.Ask {
	a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "Renew?"}}, Deadline: deadline}
	a.Normalize()
	return a
}

// TestYear waits for 365 days: for an answer, and for a deadline.
func TestYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const year = 365 * 24 * time.Hour
		start := time.Now()
		opts := &hub.Options{Tick: 10 * time.Minute} // at a second, a year has too many
		opts.RereadMax = time.Hour
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), opts)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		ends := make(chan time.Duration, 2)
		wait := func(a *sayso.Ask, want sayso.Status) {
			ticket, err := h.Ask(t.Context(), "acme", a)
			if err != nil || ticket.Status() != want {
				t.Errorf("after %v: %+v, %v; want %s", time.Since(start), ticket, err, want)
			}
			ends <- time.Since(start)
		}
		go wait(yearAsk("deadline", start.Add(year)), sayso.StatusExpired)
		go wait(yearAsk("answer", time.Time{}), sayso.StatusAnswered)
		synctest.Wait()

		<-time.After(year - time.Second)
		if len(ends) > 0 {
			t.Fatalf("a wait ends after %v", <-ends)
		}
		shown, err := h.Get(t.Context(), hub.AddressOf("acme", yearAsk("answer", time.Time{})))
		if err != nil {
			t.Fatal(err)
		}
		in := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "alice"})
		if _, err := in.Close(t.Context(), shown, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "yes"}); err != nil {
			t.Fatal(err)
		}
		if took := <-ends; took != year-time.Second {
			t.Errorf("the answer arrives after %v", took)
		}
		if took := <-ends; took < year || took > year+opts.Tick {
			t.Errorf("the deadline fires after %v", took)
		}
	})
}

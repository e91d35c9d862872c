package telegram_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/hub"
)

// TestLost has every call of the Bot API go wrong in turn, before it is done or after
// it: the connection breaks, the server is broken, or it wants to be left alone. A
// person answers and takes it back meanwhile, each once.
func TestLost(t *testing.T) {
	faults := map[string]telegramtest.Fault{
		"not done": {}, "done": {Done: true}, "500": {Status: 500, Text: "Internal Server Error"},
		"429": {Status: 429, Text: "Too Many Requests: retry after 3", RetryAfter: 3},
	}
	calls := 0
	for name, f := range faults {
		for at := 1; ; at++ {
			reached := false
			t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) { reached = lose(t, at, f) })
			if !reached || t.Failed() {
				break
			}
			calls++
		}
	}
	if calls < 40 {
		t.Errorf("only %d calls went wrong", calls)
	}
	t.Logf("%d calls went wrong", calls)
}

// lose plays with one call going wrong, and reports whether that call came.
func lose(t *testing.T, at int, f telegramtest.Fault) (reached bool) {
	withReal(t, func(r *real) {
		ann := r.link(42, "ann", notify.DetailText)
		var mu sync.Mutex
		n := 0
		r.s.Fail(func(string, json.RawMessage) *telegramtest.Fault {
			mu.Lock()
			defer mu.Unlock()
			if n++; n != at {
				return nil
			}
			reached = true
			return &f
		})
		ask := r.ask("one", "ann", nil)
		// What may have been sent is not sent again before a minute has passed.
		<-time.After(5 * time.Minute)
		button := func(label string) int64 {
			t.Helper()
			all := ann.FromBot()
			slices.Reverse(all)
			for _, m := range all {
				if slices.Contains(m.Labels(), label) {
					return m.ID
				}
			}
			t.Fatalf("there is no button %q: %+v", label, all)
			return 0
		}
		ann.Press(button("2. SQLite"), "2. SQLite")
		<-time.After(5 * time.Minute)
		if got, _ := r.now(ask).Outcome.Answer("q1"); !slices.Equal(got.Selected, []string{"o2"}) {
			t.Fatalf("the press was lost: %+v", r.now(ask).Outcome)
		}
		ann.Press(button("Undo"), "Undo")
		<-time.After(5 * time.Minute)
		now := r.now(ask)
		if !now.Open() || len(now.History) != 1 || now.History[0].Why != hub.Undone {
			t.Errorf("after one answer and one undo it is %+v with %+v", now.Outcome, now.History)
		}
		if r.s.Pending() != 0 {
			t.Errorf("%d updates are not confirmed", r.s.Pending())
		}
		for _, refused := range r.s.Refusals() {
			if !strings.Contains(refused, "message is not modified") {
				t.Errorf("refused: %s", refused)
			}
		}
	})
	return reached
}

package hub_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestTakesRelay: what the ticket says beforehand is what Relay does.
func TestTakesRelay(t *testing.T) {
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	for name, c := range map[string]struct {
		change func(*sayso.Ask)
		want   bool
	}{
		"anybody may answer": {func(*sayso.Ask) {}, true},
		"to named people":    {func(a *sayso.Ask) { a.To = []string{"ann"} }, false},
		"a sign-in is asked": {func(a *sayso.Ask) { a.MinAssurance = sayso.AssuranceLogin }, false},
	} {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which?"}}}
		a.Normalize()
		c.change(a)
		ticket, err := h.Submit(t.Context(), "t", a)
		if err != nil {
			t.Fatal(err)
		}
		if got := ticket.TakesRelay(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "x"}}}
		if _, err := h.Relay(t.Context(), ticket, o, sayso.Responder{ID: "ann"}); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

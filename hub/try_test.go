package hub_test

import (
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestTry: an ask is stored and not waited for; the outcome that is there counts as
// received, and what was undone is open again.
func TestTry(t *testing.T) {
	t.Parallel()
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	r := h.Resolver("acme")
	a := &sayso.Ask{ID: "a", Origin: sayso.Origin{Asker: "bot"}, Questions: []sayso.Question{{Text: "Name?"}}}
	a.Normalize()
	try := func(want sayso.Status) string {
		t.Helper()
		o, handle, err := sayso.Try(t.Context(), r, a)
		if err != nil || o.Status != want {
			t.Fatalf("%+v, %v, want %s", o, err, want)
		}
		return handle
	}
	handle := try(sayso.StatusPending)
	addr, err := h.Address(handle)
	if err != nil {
		t.Fatal(err)
	}
	in := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"})
	say := func(text string) *hub.Ticket {
		t.Helper()
		open, err := h.Get(t.Context(), addr)
		if err != nil {
			t.Fatal(err)
		}
		closed, err := in.Close(t.Context(), open, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: text}}})
		if err != nil {
			t.Fatal(err)
		}
		return closed
	}
	if _, err := in.Undo(t.Context(), say("first")); err != nil {
		t.Fatal(err)
	}
	try(sayso.StatusPending)
	closed := say("second")
	if again := try(sayso.StatusAnswered); again != handle {
		t.Errorf("the handle was %q, is %q", handle, again)
	}
	if _, err := in.Undo(t.Context(), closed); !errors.Is(err, hub.ErrConsumed) {
		t.Errorf("undoing: %v", err)
	}
	a.Questions[0].Secret = true
	if _, _, err := sayso.Try(t.Context(), r, a); !errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("a secret: %v", err)
	}
}

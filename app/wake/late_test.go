package wake_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

// TestTakeLateAgain: a person asks a question again whose answer the session has. It
// gets the new one, once, and no other session does.
func TestTakeLateAgain(t *testing.T) {
	t.Parallel()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	notes := &wake.Notes{Dir: t.TempDir()}
	asker := h.Asker("t", sayso.Responder{ID: "mcp"})
	desk := h.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}).(hub.Desk)
	say := func(x *hub.Ticket, words string) {
		t.Helper()
		if _, err := desk.Close(t.Context(), x, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: words}}}); err != nil {
			t.Fatal(err)
		}
	}
	wantLate := func(session string, want ...string) {
		t.Helper()
		late, err := notes.TakeLate(t.Context(), asker, "claude", session)
		if err != nil || len(late) != len(want) {
			t.Fatalf("session %s is told %d answers, %v, want %q", session, len(late), err, want)
		}
		for i, x := range late {
			if got := x.Outcome.Answers[0].Other; got != want[i] {
				t.Errorf("session %s is told %q, want %q", session, got, want[i])
			}
		}
	}
	var asked []*hub.Ticket
	for _, session := range []string{"s1", "s2"} {
		a := &sayso.Ask{ID: "ask_" + session, Questions: []sayso.Question{{Text: "Which licence?"}}, Origin: sayso.Origin{Conversation: "shop"}}
		a.Normalize()
		x, err := asker.Submit(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		const gone = "another boot/1/2/3"
		if err := notes.Asked(&wake.Note{Handle: x.Handle, Session: wake.Session{Agent: "claude", ID: session, Process: gone}, Through: gone}); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, x)
	}
	say(asked[0], "MIT") // late
	say(asked[1], "BSD") // in time
	if _, err := asker.Consume(t.Context(), asked[1].Handle); err != nil {
		t.Fatal(err)
	}
	wantLate("s1", "MIT")
	for i, session := range []string{"s1", "s2"} {
		again, err := desk.AskAgain(t.Context(), asked[i])
		if err != nil {
			t.Fatal(err)
		}
		wantLate(session)
		say(again, "Apache for "+session)
	}
	wantLate("s1", "Apache for s1")
	wantLate("s1")
	wantLate("s2", "Apache for s2")
	wantLate("s2")
}

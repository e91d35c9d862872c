package doortest

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// gemini is the agent of the cases that do not depend on which one it is.
func gemini(t *testing.T) *acpAgent {
	for i := range acpAgents {
		if acpAgents[i].name == "gemini" {
			return &acpAgents[i]
		}
	}
	t.Fatal("there is no such agent")
	return nil
}

// TestACPHubKilled: with the hub dead, the editor decides; after a kill in between,
// the inbox does; and when the editor has gone, nobody can allow it any more.
func TestACPHubKilled(t *testing.T) {
	t.Parallel()
	w, a := New(t), gemini(t)
	model := modeltest.New(t, modeltest.Steps(a.run("touch one"), a.run("touch two"), a.run("touch three"), modeltest.Say("done")))
	e := a.open(w, model)
	e.prompt("go")
	card, options := e.card()
	first := w.Asked()
	if err := w.tryKillHub(); err != nil {
		t.Fatal(err)
	}
	e.choose(card, options, a.once)
	until(t, "the first command", func() bool { return w.exists("one") })
	w.StartHub()
	if o := w.Closed(first); o.Status != sayso.StatusAnswered || first.Ask.Verdict(o).Offer.Label != a.once {
		t.Errorf("decided in the editor, and the inbox says %+v", o)
	}

	second := w.Asked()
	w.KillHub()
	if w.exists("two") {
		t.Error("it ran when the hub was killed")
	}
	w.Answer(second, a.once)
	until(t, "the second command", func() bool { return w.exists("two") })

	third := w.Asked()
	e.Stdin.Close()
	if o := w.Closed(third); o.Status != sayso.StatusCancelled || w.exists("three") {
		t.Errorf("the editor has gone, and the inbox says %+v", o)
	}
}

// TestACPNoEditor leaves the editor out. A large command is opened and allowed: all of
// it runs. What a person declines to decide does not.
func TestACPNoEditor(t *testing.T) {
	t.Parallel()
	w, a := New(t), gemini(t)
	large := "echo " + strings.Repeat("word ", 4_000) + "&& touch one"
	model := modeltest.New(t, modeltest.Steps(a.run(large), a.run("touch two"), modeltest.Say("done")))
	e := a.open(w, model, "--no-editor")
	end := e.prompt("go")
	asked := w.Asked()
	whole, opened, err := hub.Whole(t.Context(), w.Hub(), asked)
	if err != nil || len(opened) == 0 || !strings.Contains(whole.Questions[0].Body, "word && touch one") {
		t.Fatalf("the whole command: %v, %d opened", err, len(opened))
	}
	allow := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
		{QuestionID: sayso.VerdictQuestion, Selected: []string{asked.Ask.Approval.Allows()[0].ID}},
	}}
	if _, err := w.Hub().Answer(t.Context(), asked, allow); err == nil {
		t.Error("a command was allowed that nobody has opened")
	}
	allow.Answers[0].Opened = opened
	if _, err := w.Hub().Answer(t.Context(), asked, allow); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the large command", func() bool { return w.exists("one") })

	if _, err := w.Hub().Answer(t.Context(), w.Asked(), &sayso.Outcome{Status: sayso.StatusDeclined}); err != nil {
		t.Fatal(err)
	}
	if stop := end(); stop != "end_turn" || w.exists("two") {
		t.Errorf("nobody decided, the turn ended with %q, and it ran: %v", stop, w.exists("two"))
	}
	if strings.Contains(e.Out(), "session/request_permission") {
		t.Error("the editor was asked")
	}
}

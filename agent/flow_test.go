package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
)

// A tool call, a question, the answer, and on with the tools that remain.
func TestAskAndGoOn(t *testing.T) {
	t.Parallel()
	for _, wire := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, wire, modeltest.Steps(
				uses(use("read", text("a")), use("ask_user", questions("Which database?", "PostgreSQL", "SQLite")), use("write", text("b"))),
				modeltest.Say("done"),
			), nil)
			w.send("c1", "m1", "Set up a service")
			c := w.rest("c1", "awaiting_user_response")
			if len(w.ran) != 1 || w.host.Active() != 0 {
				t.Fatalf("ran %v, %d at work", w.ran, w.host.Active())
			}
			a := c.Asks()[0]
			if a.Origin.Conversation != "c1" || a.Origin.Host != "sayso-agent" {
				t.Errorf("origin %+v", a.Origin)
			}
			w.answer(a, chose("o2"))
			got := tell(w.rest("c1", "idle"))
			want := `== 0: idle
user: Set up a service
model: 
  #1 read {"text":"a"}
  #2 ask_user {"questions":[{"multiSelect":false,"options":[{"label":"PostgreSQL"},{"label":"SQLite"}],"question":"Which database?"}]}
  #3 write {"text":"b"}
tool: 
  #1 read did {"text":"a"}
tool: 
  #2 {"answers":{"Which database?":"SQLite"}}
tool: 
  #3 write did {"text":"b"}
model: done
`
			if got != want {
				t.Errorf("the conversation is\n%s\nwant\n%s", got, want)
			}
			last := w.model.Requests()
			if n := len(last[len(last)-1].Results); n != 3 {
				t.Errorf("the model was told %d results", n)
			}
		})
	}
}

func TestMixedQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(
		uses(use("ask_user", map[string]any{"questions": []any{
			one("Which database?", false, "PostgreSQL", "SQLite"), one("Which languages?", true, "Go", "Rust", "C"), one("Name?", false, "a", "b"),
		}})),
		modeltest.Say("done"),
	), nil)
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	w.answer(a, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
		{QuestionID: "q1", Selected: []string{"o1"}},
		{QuestionID: "q2", Selected: []string{"o1", "o2"}},
		{QuestionID: "q3", Other: "Vincent"},
	}})
	got := tell(w.rest("c1", "idle"))
	if want := `{"answers":{"Which database?":"PostgreSQL","Which languages?":"Go, Rust","Name?":"Vincent"}}`; !strings.Contains(got, want) {
		t.Errorf("the conversation is\n%s\nand lacks %s", got, want)
	}
}

func TestInvalidCallIsCorrected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(
		uses(use("ask_user", map[string]any{"questions": []any{}})),
		uses(use("nonsense", nil)),
		uses(use("ask_user", questions("Which?", "a", "b"))),
		modeltest.Say("done"),
	), nil)
	w.send("c1", "m1", "Go")
	c := w.rest("c1", "awaiting_user_response")
	for i, want := range []string{"Must have 1-4 questions", `There is no tool "nonsense".`} {
		r := c.Transcript[2+2*i].Results[0]
		if !r.IsError || r.Text != want {
			t.Errorf("result %d is %+v, want %q", i, r, want)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(
		uses(use("ask_user", questions("Which?", "a", "b")), use("write", text("x"))),
		modeltest.Say("as you like"),
	), nil)
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	if err := w.host.Cancel(w.context(), "c1", "no longer"); err != nil {
		t.Fatal(err)
	}
	got := tell(w.rest("c1", "idle"))
	for _, want := range []string{"#1 error User cancelled the question\n", "#2 error The call was not run"} {
		if !strings.Contains(got, want) {
			t.Errorf("the conversation is\n%s\nand lacks %q", got, want)
		}
	}
	ticket, err := w.hub.Get(w.context(), w.addressOf(a))
	if err != nil || ticket.Status() != sayso.StatusCancelled || ticket.Outcome.By.Kind != sayso.ByAsker {
		t.Errorf("the ask is %+v, %v", ticket.Outcome, err)
	}
	w.send("c1", "m2", "And now?") // a cancelled turn leaves a transcript that models accept
	if c := w.rest("c1", "idle"); c.Transcript[len(c.Transcript)-1].Text != "as you like" {
		t.Error(tell(c))
	}
	if len(w.ran) != 0 {
		t.Errorf("ran %v", w.ran)
	}
}

// The dialog's own cancel ends the turn, as in seed 3.
func TestCancelledByThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b")), use("write", text("x"))), modeltest.Say("done")), nil)
	w.send("c1", "m1", "Go")
	w.answer(w.rest("c1", "awaiting_user_response").Asks()[0], &sayso.Outcome{Status: sayso.StatusCancelled})
	if got := tell(w.rest("c1", "idle")); !strings.Contains(got, "#1 error User cancelled the question") || len(w.ran) != 0 {
		t.Errorf("ran %v, the conversation is\n%s", w.ran, got)
	}
}

func TestMessageInPlaceOfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")), nil)
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	w.send("c1", "m2", "Take the second")
	w.rest("c1", "idle")
	ticket, err := w.hub.Get(w.context(), w.addressOf(a))
	if err != nil || ticket.Status() != sayso.StatusSuperseded {
		t.Errorf("the ask is %+v, %v", ticket, err)
	}
	if last := w.model.Requests(); last[len(last)-1].Last != "Take the second" {
		t.Errorf("the model heard %q", last[len(last)-1].Last)
	}
}

func TestModelFailsAndComesBack(t *testing.T) {
	t.Parallel()
	down := make(chan struct{})
	w := newWorld(t, wires[0], func(_ context.Context, r *modeltest.Request) modeltest.Reply {
		select {
		case <-down:
			return modeltest.Say("done")
		default:
			return modeltest.Reply{Status: 529}
		}
	}, nil)
	w.send("c1", "m1", "Go")
	w.rest("c1", "failed")
	if n := len(w.model.Requests()); n != conversation.MaxAttempts {
		t.Errorf("%d attempts", n)
	}
	close(down)
	if err := w.host.Retry(w.context(), "c1"); err != nil {
		t.Fatal(err)
	}
	w.rest("c1", "idle")
}

// A host that is stopped and opened again knows everything.
func TestSleepAcrossHosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")), nil)
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	w.host.Stop()
	if err := w.host.Send(w.context(), "c1", "m2", "x"); err == nil {
		t.Error("a stopped host takes messages")
	}
	w.answer(a, chose("o1")) // while nobody is there
	w.opts.Name = "another"
	w.open()
	w.rest("c1", "idle")
}

func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(modeltest.Say("done")), nil)
	for _, id := range []string{"", "a~b", strings.Repeat("x", 300)} {
		if err := w.host.Send(w.context(), id, "m1", "x"); err != agent.ErrID {
			t.Errorf("id %q: %v", id, err)
		}
	}
	if err := w.host.Cancel(w.context(), "nobody", ""); err != agent.ErrNotFound {
		t.Error(err)
	}
	w.send("c1", "m1", "x")
	w.rest("c1", "idle")
	if err := w.host.Retry(w.context(), "c1"); err == nil {
		t.Error("a retry of nothing")
	}
	w.send("c1", "m1", "x") // the same message again
	if c := w.rest("c1", "idle"); len(c.Transcript) != 2 {
		t.Error(tell(c))
	}
}

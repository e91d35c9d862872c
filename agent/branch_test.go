package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
)

// twoQuestions asks twice, with tools around the second question.
func twoQuestions() modeltest.Script {
	return modeltest.Steps(
		uses(use("ask_user", questions("Which database?", "PostgreSQL", "SQLite"))),
		uses(use("read", text("a")), use("ask_user", questions("Which port?", "80", "8080")), use("write", text("b"))),
		modeltest.Say("done"),
	)
}

// A branch has the answers before its question, and asks that one anew; what was
// done before it is not done again.
func TestBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], twoQuestions(), nil)
	w.send("c1", "m1", "Set up a service")
	w.answer(w.rest("c1", "awaiting_user_response").Asks()[0], chose("o2"))
	first := w.asked("c1", "Which port?")
	w.answer(first, chose("o1"))
	before := tell(w.rest("c1", "idle"))
	ran := len(w.ran)

	id, err := w.host.Branch(w.context(), "c1", 2, "b")
	if err != nil || id != "c1.b" || agent.ParentOf(id) != "c1" || agent.ParentOf("c1") != "" {
		t.Fatal(id, err)
	}
	again := w.asked(id, "Which port?")
	if again.ID == first.ID {
		t.Error("the question of the branch is the old one")
	}
	w.answer(again, chose("o2"))
	c := w.rest(id, "idle")
	got := tell(c)
	for _, want := range []string{`{"answers":{"Which database?":"SQLite"}}`, `{"answers":{"Which port?":"8080"}}`, "model: done"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, got)
		}
	}
	if len(w.ran) != ran+1 { // write, which comes after the question
		t.Errorf("ran %v", w.ran[ran:])
	}
	if now := tell(w.rest("c1", "idle")); now != before {
		t.Errorf("the conversation has become\n%s\nwas\n%s", now, before)
	}
	all := w.host.Questions(c)
	if len(all) != 2 || all[0].Outcome == nil || all[1].Outcome == nil || all[1].Outcome.Answers[0].Selected[0] != "o2" || all[1].Number != 2 {
		t.Errorf("questions %+v", all)
	}
	for _, n := range []int{0, 3} {
		if _, err := w.host.Branch(w.context(), "c1", n, "x"); err == nil {
			t.Errorf("a branch before question %d", n)
		}
	}
	if _, err := w.host.Branch(w.context(), "c1", 1, "a.b"); err != agent.ErrID {
		t.Error(err)
	}
	if _, err := w.host.Branch(w.context(), "c1", 2, "b"); err == nil {
		t.Error("two branches have one name")
	}
}

// A host that dies right after it has written a branch leaves it to the next one.
func TestBranchIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], twoQuestions(), nil)
	w.send("c1", "m1", "Set up a service")
	w.answer(w.rest("c1", "awaiting_user_response").Asks()[0], chose("o2"))
	w.asked("c1", "Which port?")
	if err := w.host.Plant(w.context(), "c1", 1, "c1.b"); err != nil {
		t.Fatal(err)
	}
	w.host.Stop()
	w.opts.Name = "another"
	w.open()
	w.asked("c1.b", "Which database?")
}

// asked waits until a conversation asks this.
func (w *world) asked(id, question string) *sayso.Ask {
	w.t.Helper()
	ctx := w.context()
	for {
		c, err := w.host.Wait(ctx, id)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, a := range c.Asks() {
			if a.Questions[0].Text == question {
				return a
			}
		}
	}
}

// A summary takes the place of what was said, with every question and answer as it
// was; the transcript keeps all of it.
func TestCompact(t *testing.T) {
	t.Parallel()
	play := twoQuestions()
	w := newWorld(t, wires[0], func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
		switch {
		case strings.Contains(r.Last, "Summarise this conversation"):
			return modeltest.Say("A service was set up.")
		case strings.HasPrefix(r.Last, "And "):
			return modeltest.Say("Nothing.")
		}
		return play(ctx, r)
	}, nil)
	w.send("c1", "m1", "Set up a service")
	w.answer(w.rest("c1", "awaiting_user_response").Asks()[0], chose("o2"))
	w.answer(w.asked("c1", "Which port?"), &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "4242"}}})
	w.rest("c1", "idle")
	if err := w.host.Compact(w.context(), "c1"); err != agent.ErrShort {
		t.Errorf("there is nothing before the last message, and the summary is %v", err)
	}
	w.send("c1", "m2", "And now?")
	c := w.rest("c1", "idle")
	size, length := c.Size(), len(c.Transcript)
	if err := w.host.Compact(w.context(), "c1"); err != nil {
		t.Fatal(err)
	}
	c = w.rest("c1", "idle")
	if len(c.Transcript) != length+1 || c.Size() >= size {
		t.Errorf("%d entries of %d bytes were %d of %d", len(c.Transcript), c.Size(), length, size)
	}
	e := c.Transcript[length]
	for _, want := range []string{"A service was set up.", "Which database?", "SQLite", "Which port?", "4242"} {
		if !strings.Contains(e.Text, want) {
			t.Errorf("%q is not in %q", want, e.Text)
		}
	}
	var kept []journal.Closed
	if err := json.Unmarshal([]byte(e.Content), &kept); err != nil || len(kept) != 2 || kept[0].Outcome.Answers[0].Selected[0] != "o2" || kept[1].Outcome.Answers[0].Other != "4242" {
		t.Errorf("%s %v", e.Content, err)
	}
	w.host.Stop()
	w.open() // it is kept
	w.send("c1", "m3", "And then?")
	w.rest("c1", "idle")
	all := w.model.Requests()
	last := all[len(all)-1]
	if !strings.HasPrefix(last.Prompt, "What was said before") || len(last.Results) != 0 || last.Last != "And then?" {
		t.Errorf("the model was told first %q, %d results, and last %q", last.Prompt, len(last.Results), last.Last)
	}
	if n := len(w.host.Questions(w.rest("c1", "idle"))); n != 2 {
		t.Errorf("%d questions", n)
	}
}

// An ask says what waits behind it, whatever the model says.
func TestBlocked(t *testing.T) {
	t.Parallel()
	lies := questions("Which?", "a", "b")
	lies["metadata"] = map[string]any{"blocked": map[string]any{"tools": []any{"the world"}}, "source": "setup"}
	w := newWorld(t, wires[0], modeltest.Route(
		modeltest.Steps(uses(use("ask_user", lies), use("read", text("a")), use("write", text("b"))), uses(use("spawn_agents", agents("scout", "Look around")), use("write", text("c"))), modeltest.Say("done")),
		modeltest.RouteTo{Word: "Look around", Script: modeltest.Steps(uses(use("ask_user", questions("Where?", "here", "there")), use("read", text("d"))), modeltest.Say("nothing"))},
	), nil)
	w.send("c1", "m1", "Go")
	for _, want := range []string{
		`{"blocked":{"tools":["read","write"]},"source":"setup"}`,
		`{"blocked":{"agents":["main"],"tools":["read","write"]}}`,
	} {
		var a *sayso.Ask
		for a == nil {
			c, err := w.host.Wait(w.context(), "c1")
			if err != nil {
				t.Fatal(err)
			}
			if all := c.Asks(); len(all) > 0 && (len(all[0].Origin.Agents) > 0) == strings.Contains(want, "agents") {
				a = all[0]
			}
		}
		if got, err := json.Marshal(a.Metadata); err != nil || string(got) != want {
			t.Errorf("metadata %s, want %s", got, want)
		}
		w.answer(a, chose("o1"))
	}
	w.rest("c1", "idle")
}

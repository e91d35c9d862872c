package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
)

// half is a text that a record holds once and not twice.
var half = strings.Repeat("x", journal.MaxRecord/2)

// again stops the host and opens another one, which must find nothing to do.
func (w *world) again(id, state string) *agent.Conversation {
	w.t.Helper()
	asked := len(w.model.Requests())
	w.host.Stop()
	w.open()
	c := w.rest(id, state)
	if n := len(w.model.Requests()); n != asked {
		w.t.Errorf("the model was asked %d times more by the next host", n-asked)
	}
	return c
}

// A reply that cannot be kept fails the turn, once and for all: no host asks for it
// again by itself.
func TestReplyTooLarge(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]modeltest.Reply{
		"words": modeltest.Say(half),
		"call":  uses(use("write", text(half))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, wires[0], func(_ context.Context, r *modeltest.Request) modeltest.Reply {
				if strings.HasSuffix(r.Last, "Less") {
					return modeltest.Say("done")
				}
				return reply
			}, nil)
			w.send("c1", "m1", "Go")
			w.rest("c1", "failed")
			c := w.again("c1", "failed")
			want := "The model's reply is too large to be kept: a record of the conversation has 960 KB at most. Ask for less at a time."
			if got := c.State.(conversation.Failed).Error; got != want {
				t.Errorf("it failed with %q, want %q", got, want)
			}
			if n := len(w.model.Requests()); n != 1 || len(w.ran) != 0 {
				t.Errorf("the model was asked %d times, ran %v", n, w.ran)
			}
			w.send("c1", "m2", "Less")
			if c := w.rest("c1", "idle"); c.Transcript[len(c.Transcript)-1].Text != "done" {
				t.Error(tell(c))
			}
		})
	}
}

// Of a sub-agent that says too much the parent is told that, and of many that say
// too much together, too.
func TestReportTooLarge(t *testing.T) {
	t.Parallel()
	fifth := half[:journal.MaxRecord/5]
	for _, c := range []struct {
		name    string
		reports [3]string
		want    string
	}{
		{"one", [3]string{half, "ok", "ok"}, `"isError":true},{"agent":"b","text":"ok"},{"agent":"c","text":"ok"}]`},
		{"together", [3]string{fifth, fifth, fifth}, `"text":"The report of the sub-agent is too large to be kept`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, wires[0], modeltest.Route(
				modeltest.Steps(uses(use("spawn_agents", agents("a", "task 0", "b", "task 1", "c", "task 2"))), modeltest.Say("done")),
				modeltest.RouteTo{Word: "task 0", Script: modeltest.Steps(modeltest.Say(c.reports[0]))},
				modeltest.RouteTo{Word: "task 1", Script: modeltest.Steps(modeltest.Say(c.reports[1]))},
				modeltest.RouteTo{Word: "task 2", Script: modeltest.Steps(modeltest.Say(c.reports[2]))},
			), nil)
			w.send("c1", "m1", "Go")
			w.rest("c1", "idle")
			got := w.again("c1", "idle")
			if words := got.Transcript[2].Results[0].Text; !strings.Contains(words, c.want) || got.Transcript[len(got.Transcript)-1].Text != "done" {
				t.Errorf("the conversation lacks %s:\n%.2000s", c.want, tell(got))
			}
			if n := len(w.model.Requests()); n != 5 {
				t.Errorf("the model was asked %d times", n)
			}
		})
	}
}

// A tool has run whose result cannot be kept: it is not run again, and the model
// knows. What the model is not told is left out first.
func TestResultTooLarge(t *testing.T) {
	t.Parallel()
	structured, err := json.Marshal(half + half)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		result agent.Result
		want   string
	}{
		{"structured", agent.Result{Text: "short", Structured: structured}, "#1 short\n"},
		{"text", agent.Result{Text: half + half}, "#1 error The tool has run, but its result is too large to be kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			w := newWorld(t, wires[0], modeltest.Steps(uses(use("dump", nil)), modeltest.Say("done")), func(o *agent.Options) {
				o.MaxToolText = 2 * len(half)
				o.Tools = []agent.Tool{{Name: "dump", Repeat: true, Run: func(context.Context, agent.Call) (agent.Result, error) {
					runs++
					return c.result, nil
				}}}
			})
			w.send("c1", "m1", "Go")
			w.rest("c1", "idle")
			if got := tell(w.again("c1", "idle")); !strings.Contains(got, c.want) || runs != 1 {
				t.Errorf("%d runs; the conversation lacks %s:\n%.2000s", runs, c.want, got)
			}
		})
	}
}

// What a person says is kept, or the person is told that it is not.
func TestMessageTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")), nil)
	if err := w.host.Send(w.context(), "c1", "m1", half+half); !errors.Is(err, agent.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := w.host.Get(w.context(), "c1"); !errors.Is(err, agent.ErrNotFound) {
		t.Error(err)
	}
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	if err := w.host.Send(w.context(), "c1", "m2", half+half); !errors.Is(err, agent.ErrTooLarge) {
		t.Error(err)
	}
	long := half[:journal.MaxRecord*2/5] // the hub takes it; the journal would have it three times
	w.answer(a, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: long}}})
	if got := tell(w.rest("c1", "idle")); !strings.Contains(got, long) {
		t.Errorf("the answer is lost:\n%.2000s", got)
	}
}

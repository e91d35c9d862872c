package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// ids lists all conversations.
func (w *world) ids() []string {
	w.t.Helper()
	var all []string
	if err := w.host.List(w.context(), func(s agent.Summary) bool { all = append(all, s.ID); return true }); err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func (w *world) purged(id string, force bool, want ...string) {
	w.t.Helper()
	got, err := w.host.Purge(w.context(), id, force)
	if err != nil || !slices.Equal(got, want) {
		w.t.Fatalf("purged %v, %v, want %v", got, err, want)
	}
}

func (w *world) busy(id, who, state string) {
	w.t.Helper()
	var busy *agent.BusyError
	if got, err := w.host.Purge(w.context(), id, false); !errors.As(err, &busy) || *busy != (agent.BusyError{Conversation: who, State: state}) || got != nil {
		w.t.Fatalf("purged %v, %v; want %s to be busy in %s", got, err, who, state)
	}
}

// A conversation is removed with its branches, and nothing of it comes back.
func TestPurge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], twoQuestions(), nil)
	for _, id := range []string{"c1", "c10"} {
		w.send(id, "m1", "Set up a service")
		w.answer(w.rest(id, "awaiting_user_response").Asks()[0], chose("o2"))
		w.answer(w.asked(id, "Which port?"), chose("o1"))
		w.rest(id, "idle")
	}
	branch, err := w.host.Branch(w.context(), "c1", 2, "b")
	if err != nil {
		t.Fatal(err)
	}
	a := w.asked(branch, "Which port?")
	w.busy("c1", branch, "awaiting_user_response")
	w.answer(a, chose("o2"))
	w.rest(branch, "idle")
	w.purged("c1", false, branch, "c1")
	if _, err := w.host.Purge(w.context(), "c1", true); !errors.Is(err, agent.ErrNotFound) {
		t.Error(err)
	}
	asked := len(w.model.Requests())
	w.host.Stop()
	w.open()
	w.rest("c10", "idle")
	if got := w.ids(); !slices.Equal(got, []string{"c10"}) || len(w.model.Requests()) != asked || w.host.Active() != 0 {
		t.Errorf("there are %v, the model was asked %d times more, %d at work", got, len(w.model.Requests())-asked, w.host.Active())
	}
	w.send("c1", "m1", "Set up a service") // another one of that name
	if c := w.rest("c1", "awaiting_user_response"); len(c.Transcript) != 2 {
		t.Error(tell(c))
	}
}

// By force, what a conversation and its sub-agents ask is taken back first.
func TestPurgeWhileItWaits(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]modeltest.Script{
		"ask": modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")),
		"ask of a sub-agent": modeltest.Route(
			modeltest.Steps(uses(use("spawn_agents", agents("a", "the task"))), modeltest.Say("done")),
			modeltest.RouteTo{Word: "the task", Script: modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done"))},
		),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, wires[0], script, nil)
			w.send("c1", "m1", "Go")
			a := w.asked("c1", "Which?")
			state := "awaiting_user_response"
			if len(a.Origin.Agents) > 0 {
				state = "awaiting_sub_agents"
			}
			w.busy("c1", "c1", state)
			ticket, err := w.hub.Get(w.context(), w.addressOf(a))
			if err != nil || !ticket.Open() {
				t.Fatalf("the ask is %v, %v", ticket, err)
			}
			w.purged("c1", true, "c1")
			late := chose("o1")
			late.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}
			var closed *hub.ClosedError
			if _, err := w.hub.Close(w.context(), ticket, late, nil); !errors.As(err, &closed) {
				t.Fatalf("an answer to what was removed: %v", err)
			}
			if o := closed.Ticket.Outcome; o.Status != sayso.StatusCancelled || o.By.Kind != sayso.ByAsker {
				t.Errorf("the ask is %+v", o)
			}
			w.host.Stop()
			w.open()
			if got := w.ids(); len(got) != 0 {
				t.Errorf("there are %v", got)
			}
		})
	}
}

func TestPurgeWhileItWorks(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, wires[0], gated(), func(o *agent.Options) {
		o.Name, o.Tools, o.Lease = "a", []agent.Tool{g.tool("a")}, time.Minute
	})
	other := w.another("b", g)
	w.send("c1", "m1", "Go")
	<-g.entered
	w.busy("c1", "c1", "tool_executing")
	var elsewhere *agent.ElsewhereError
	if _, err := other.Purge(w.context(), "c1", true); !errors.As(err, &elsewhere) {
		t.Errorf("what another host works on: %v", err)
	}
	w.purged("c1", true, "c1") // which stops the tool
	if got := w.ids(); len(got) != 0 {
		t.Errorf("there are %v", got)
	}
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// held are asks that cannot be withdrawn while the hub is away.
type held struct {
	hub.Asker
	away  atomic.Bool
	tried chan struct{}
}

func (h *held) Withdraw(ctx context.Context, handle string, status sayso.Status, reason string) (*hub.Ticket, error) {
	if h.away.Load() {
		select {
		case h.tried <- struct{}{}:
		default:
		}
		return nil, errors.New("the hub is away")
	}
	return h.Asker.Withdraw(ctx, handle, status, reason)
}

// A conversation whose question cannot be taken back is not removed: somebody would
// answer it for nobody.
func TestPurgeWhileTheHubIsAway(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")))
	h := &held{Asker: w.opts.Asks, tried: make(chan struct{}, 1)}
	h.away.Store(true)
	w.opts.Asks = h
	w.open()
	w.send("c1", "m1", "Go")
	a := w.asked("c1", "Which?")
	ctx, cancel := context.WithCancel(w.context())
	ended := make(chan error, 1)
	go func() { _, err := w.host.Purge(ctx, "c1", true); ended <- err }()
	<-h.tried
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the purge ended with %v", err)
	}
	if got := w.ids(); !slices.Equal(got, []string{"c1"}) {
		t.Errorf("there are %v", got)
	}
	w.host.Stop()
	h.away.Store(false)
	w.open()
	w.purged("c1", true, "c1")
	if ticket, err := w.hub.Get(w.context(), w.addressOf(a)); err != nil || ticket.Open() {
		t.Errorf("the ask is %v, %v", ticket, err)
	}
}

package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// writes notes everything that is written, in order: each is a flush on a disk.
type writes struct {
	mu  sync.Mutex
	all []string
}

func (w *writes) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, what)
}

type countedJournal struct {
	journal.Journal
	*writes
}

func (c countedJournal) Append(ctx context.Context, id string, r journal.Record, after uint64) (uint64, error) {
	what := []string{"journal:", r.Status}
	if r.State == nil {
		what = append(what, "(no state)")
	}
	if r.Claim != "" {
		what = append(what, "(claim)")
	}
	if r.Closed != nil {
		what = append(what, "(answer)")
	}
	if !r.Owner.IsZero() {
		what = append(what, "(working)")
	}
	c.note(strings.Join(what, " "))
	return c.Journal.Append(ctx, id, r, after)
}

type countedStore struct {
	hub.Store
	*writes
}

func (c countedStore) Put(ctx context.Context, r hub.Record, after uint64) (uint64, error) {
	c.note("hub: " + string(r.Kind))
	return c.Store.Put(ctx, r, after)
}

// What a conversation writes, and so how many flushes it costs. A line that is added
// here is paid for by every conversation.
func TestWrites(t *testing.T) {
	t.Parallel()
	ask := use("ask_user", questions("Which?", "a", "b"))
	for name, c := range map[string]struct {
		script  modeltest.Script
		answers int
		want    []string
	}{
		"ask": {modeltest.Steps(uses(ask), modeltest.Say("done")), 1, []string{
			"journal: llm_requesting (working)",
			"journal: awaiting_user_response",
			"hub: ticket", // asked
			"hub: ticket", // answered
			"hub: ticket", // taken
			"journal: llm_requesting (answer) (working)",
			"journal: idle",
		}},
		"two asks of one reply": {modeltest.Steps(uses(ask, use("ask_user", questions("Really?", "a", "b"))), modeltest.Say("done")), 2, []string{
			"journal: llm_requesting (working)",
			"journal: awaiting_user_response",
			"hub: ticket", "hub: ticket", "hub: ticket",
			"journal: awaiting_user_response (answer)",
			"hub: ticket", "hub: ticket", "hub: ticket",
			"journal: llm_requesting (answer) (working)",
			"journal: idle",
		}},
		"tools": {modeltest.Steps(uses(use("read", text("r")), use("write", text("w")), use("nothing", nil)), modeltest.Say("done")), 0, []string{
			"journal: llm_requesting (working)",
			"journal: tool_executing (working)", // read, which may be repeated
			"journal: tool_executing (claim) (working)",
			"journal: llm_requesting (working)", // with the result, and that there is no such tool
			"journal: idle",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newClosedWorld(t, wires[0], c.script)
			log := &writes{}
			h, err := hub.Open(t.Context(), countedStore{hub.NewMemory(nil), log}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(h.Stop)
			w.hub, w.opts.Asks = h, h.Asker("home", sayso.Responder{})
			w.opts.Journal = countedJournal{w.journal, log}
			w.opts.Tools = []agent.Tool{w.tool("read"), w.tool("write")}
			w.opts.Tools[0].Repeat = true
			w.open()
			w.send("c1", "m1", "Go")
			for range c.answers {
				c := w.rest("c1", "awaiting_user_response")
				w.answer(c.Asks()[0], chose("o1"))
				w.closed("c1", len(c.Closed)+1)
			}
			w.rest("c1", "idle")
			w.host.Stop()
			if !slices.Equal(log.all, c.want) {
				t.Errorf("written was\n\t%s\nwant\n\t%s", strings.Join(log.all, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}

// closed waits until a conversation has heard so many outcomes.
func (w *world) closed(id string, n int) {
	w.t.Helper()
	news := make(chan struct{}, 1)
	defer w.host.Subscribe(func(agent.Update) {
		select {
		case news <- struct{}{}:
		default:
		}
	})()
	for ctx := w.context(); ; {
		c, err := w.host.Get(ctx, id)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(c.Closed) >= n {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			w.t.Fatalf("%s has heard %d outcomes, want %d", id, len(c.Closed), n)
		}
	}
}

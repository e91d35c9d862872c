package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
)

// gate is a tool that says when it runs, and waits to be let on.
type gate struct {
	entered chan string
	leave   chan struct{}
}

func newGate() *gate { return &gate{make(chan string, 8), make(chan struct{})} }

func (g *gate) tool(host string) agent.Tool {
	return agent.Tool{Name: "gate", Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
		g.entered <- host
		select {
		case <-g.leave:
			return agent.Result{Text: "passed by " + host}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	}}
}

// another opens a second host over the same journal and hub.
func (w *world) another(name string, g *gate) *agent.Host {
	w.t.Helper()
	o := w.opts
	o.Name, o.Tools = name, []agent.Tool{g.tool(name)}
	h, err := agent.Open(w.t.Context(), &o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(h.Stop)
	return h
}

func gated() modeltest.Script {
	return modeltest.Steps(uses(use("gate", nil)), modeltest.Say("done"))
}

// One host at a time works on a conversation; when it is at rest, any of them may.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, wires[0], gated(), func(o *agent.Options) {
		o.Name, o.Tools, o.Lease = "a", []agent.Tool{g.tool("a")}, time.Minute
	})
	b := w.another("b", g)
	w.send("c1", "m1", "Go")
	<-g.entered
	var elsewhere *agent.ElsewhereError
	if err := b.Cancel(w.context(), "c1", ""); !errors.As(err, &elsewhere) || elsewhere.Host != "a" {
		t.Errorf("another host works on it: %v", err)
	}
	close(g.leave)
	w.rest("c1", "idle")
	if err := b.Send(w.context(), "c1", "m2", "And now?"); err != nil {
		t.Error(err)
	}
	if c, err := b.Wait(w.context(), "c1"); err != nil || c.Transcript[len(c.Transcript)-1].Text != "done" {
		t.Errorf("%v, %v", c, err)
	}
}

// What a host leaves unfinished, another one finishes when the lease is over.
func TestHostDies(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, wires[0], gated(), func(o *agent.Options) {
		o.Name, o.Tools, o.Lease = "a", []agent.Tool{g.tool("a")}, time.Second
	})
	w.send("c1", "m1", "Go")
	<-g.entered
	b := w.another("b", g)
	w.host.Die()
	w.host = b
	c := w.rest("c1", "idle")
	if got := tell(c); !strings.Contains(got, "#1 error The call was interrupted") {
		t.Error(got)
	}
}

// A host that is replaced while it works can save nothing any more, and ends.
func TestHostIsReplaced(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, wires[0], gated(), func(o *agent.Options) {
		o.Name, o.Tools, o.Lease = "a", []agent.Tool{g.tool("first")}, time.Minute
	})
	w.send("c1", "m1", "Go")
	<-g.entered
	first := w.host
	w.host = w.another("a", g)
	c := w.rest("c1", "idle")
	close(g.leave) // the first one has its result now, too late
	if err := first.Send(w.context(), "c2", "m1", "Go"); err == nil {
		// It may not have noticed yet. What it does is safe all the same.
		t.Log("the first host still takes messages")
	}
	first.Stop()
	after, err := w.host.Get(t.Context(), "c1")
	if err != nil || tell(after) != tell(c) || !strings.Contains(tell(c), "#1 error The call was interrupted") {
		t.Errorf("the conversation was\n%s\nand is\n%s, %v", tell(c), tell(after), err)
	}
	if ok, err := w.journal.Hosts(t.Context()); err != nil || len(ok) != 1 {
		t.Errorf("there are %v, %v", ok, err)
	}
}

func TestReplacedHostEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], gated(), func(o *agent.Options) { o.Tools, o.Lease = nil, time.Second })
	first := w.host
	w.open()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !errors.Is(first.Retry(w.context(), "nobody"), agent.ErrStopped) {
		<-look.C
	}
	if err := w.host.Retry(w.context(), "nobody"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("the one that replaced it: %v", err)
	}
}

// flaky is a journal that fails to be read when it is told to.
type flaky struct {
	journal.Journal
	broken atomic.Int32 // how many times more
}

func (f *flaky) Read(ctx context.Context, id string) (*journal.Log, error) {
	if f.broken.Add(-1) >= 0 {
		return nil, errors.New("the disk is away")
	}
	return f.Journal.Read(ctx, id)
}

// An answer that comes while the journal cannot be read is not forgotten.
func TestAnswerWhileTheJournalIsAway(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")))
	f := &flaky{Journal: w.journal}
	w.opts.Journal = f
	w.open()
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	f.broken.Store(3)
	w.answer(a, chose("o1"))
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for f.broken.Load() > 0 { // who waits would read it, too
		<-look.C
	}
	w.rest("c1", "idle")
}

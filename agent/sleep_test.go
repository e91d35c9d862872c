package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

func oneAsk() modeltest.Script {
	return modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done"))
}

// gone are asks at a hub that takes none.
type gone struct {
	hub.Asker
	tried chan struct{}
}

func (g *gone) Submit(context.Context, *sayso.Ask) (*hub.Ticket, error) {
	select {
	case g.tried <- struct{}{}:
	default:
	}
	return nil, errors.New("the hub is away")
}

// What sleeps is saved before its ask is put. If the host dies between the two, the
// next one puts it.
func TestAskThatWasNotPut(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], oneAsk())
	asks := w.opts.Asks
	g := &gone{asks, make(chan struct{}, 1)}
	w.opts.Asks = g
	w.open()
	w.send("c1", "m1", "Go")
	<-g.tried
	c, err := w.host.Get(t.Context(), "c1")
	if err != nil || c.Working != "" || len(c.Asks()) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	w.host.Die()
	if _, err := w.hub.Get(t.Context(), w.addressOf(c.Asks()[0])); !errors.Is(err, hub.ErrNotFound) {
		t.Fatalf("the ask: %v", err)
	}
	w.opts.Asks = asks
	w.open()
	w.asked("c1", "Which?")
	w.await(c.Asks()[0])
	w.answer(c.Asks()[0], chose("o1"))
	w.rest("c1", "idle")
}

// A message in place of an answer, by a host that does not know whether the ask was
// put: nobody is left with a question that nobody wants answered.
func TestMessageToAskThatWasNotPut(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("as you like")))
	asks := w.opts.Asks
	g := &gone{asks, make(chan struct{}, 1)}
	w.opts.Asks, w.opts.Name = g, "a"
	w.open()
	w.send("c1", "m1", "Go")
	<-g.tried
	c, err := w.host.Get(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	a := w.host
	w.opts.Asks, w.opts.Name = asks, "b"
	w.open()
	w.send("c1", "m2", "Never mind")
	w.rest("c1", "idle")
	a.Stop()
	ticket, err := w.hub.Get(t.Context(), w.addressOf(c.Asks()[0]))
	if err != nil || ticket.Status() != sayso.StatusSuperseded {
		t.Errorf("the ask is %+v, %v", ticket, err)
	}
}

// lossy is a journal that does not take the first answer.
type lossy struct {
	journal.Journal
	broken atomic.Bool
}

func (f *lossy) Append(ctx context.Context, id string, r journal.Record, after uint64) (uint64, error) {
	if r.Closed != nil && f.broken.CompareAndSwap(true, false) {
		return 0, errors.New("the disk is away")
	}
	return f.Journal.Append(ctx, id, r, after)
}

// An answer that was taken and could not be saved is taken again.
func TestAnswerThatWasNotSaved(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], oneAsk())
	f := &lossy{Journal: w.journal}
	f.broken.Store(true)
	w.opts.Journal, w.opts.Lease = f, time.Second
	w.open()
	w.send("c1", "m1", "Go")
	c := w.rest("c1", "awaiting_user_response")
	w.answer(c.Asks()[0], chose("o1"))
	w.closed("c1", 1)
	w.rest("c1", "idle")
	if f.broken.Load() {
		t.Error("the journal took everything")
	}
}

// await waits until the hub has an ask.
func (w *world) await(a *sayso.Ask) {
	w.t.Helper()
	ctx := w.context()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := w.hub.Get(ctx, w.addressOf(a)); err == nil {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			w.t.Fatal("the ask is not put")
		}
	}
}

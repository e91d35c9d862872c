package faulttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_R07 loses the reply to a write, and only that. The caller, or another process that does the same again
// because the caller gave up, learns that it was done, and it has been done once.
func TestFigure_R07(t *testing.T) {
	faults(t)
	const agents = 16
	cuts := either(1000, 10_000)
	node := enginetest.StartNode(t, enginetest.Spec{Dir: t.TempDir()})
	// Without an archive, asking is one write and no read.
	healthy := openHub(t, openStore(t, node.Connect(), &natsstore.Options{NoAudit: true}))
	var writes atomic.Int64
	var all sync.WaitGroup
	for agent := range agents {
		a := newLoser(t, node, healthy)
		all.Go(func() {
			for i := range (cuts + agents - 1) / agents {
				if err := a.round(t.Context(), fmt.Sprintf("ask_%d_%d", agent, i), i); err != nil {
					t.Errorf("agent %d, round %d: %v", agent, i, err)
					return
				}
				writes.Add(2)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	done := lastSequence(t, node.Connect(), "ASK2-00")
	if done != uint64(writes.Load()) {
		t.Errorf("%d effects of %d writes", done, writes.Load())
	}
	figure(t, "R07", int(done)-int(writes.Load()), fmt.Sprintf("extra-effects/%d-lost-replies", writes.Load()/2))
}

// loser is an agent whose replies get lost.
type loser struct {
	cut     *cutter
	nc      *nats.Conn
	hub     *hub.Hub
	healthy *hub.Hub
}

func newLoser(t *testing.T, node *enginetest.Node, healthy *hub.Hub) *loser {
	o := node.ConnectOptions()
	a := &loser{cut: newCutter(t, o.URLs[0]), healthy: healthy}
	o.URLs = []string{a.cut.URL}
	nc, err := natsserver.Connect(t.Context(), o)
	must(t, err)
	t.Cleanup(nc.Close)
	a.nc = nc
	a.hub = openHub(t, openStore(t, nc, &natsstore.Options{Timeout: 100 * time.Millisecond, NoAudit: true}))
	return a
}

// round asks and answers, and loses the reply to the one or the other. Every second time the caller gives up, and
// another process does it again.
func (a *loser) round(ctx context.Context, id string, i int) error {
	var open *hub.Ticket // with it, closing is one write and no read
	submit := func(ctx context.Context, h *hub.Hub) (*hub.Ticket, error) {
		return h.Submit(ctx, tenant, newAsk(id))
	}
	closing := func(ctx context.Context, h *hub.Hub) (*hub.Ticket, error) {
		return h.Close(ctx, open, answer("ann", "o1"), &hub.CloseOptions{Nonce: id})
	}
	for step, op := range []func(context.Context, *hub.Hub) (*hub.Ticket, error){submit, closing} {
		do := func() (*hub.Ticket, error) { return op(ctx, a.healthy) }
		if step == i/2%2 {
			do = func() (*hub.Ticket, error) { return a.lose(ctx, id, op, i%2 == 0) }
		}
		t, err := do()
		if err != nil {
			return err
		}
		if step == 0 {
			open = t
		}
		if t.Open() != (step == 0) || step == 1 && t.Nonce != id {
			return fmt.Errorf("the ask is %s, nonce %q", t.Status(), t.Nonce)
		}
	}
	return nil
}

// lose runs an operation whose reply is lost.
func (a *loser) lose(ctx context.Context, id string, op func(context.Context, *hub.Hub) (*hub.Ticket, error), giveUp bool) (*hub.Ticket, error) {
	addr := hub.AddressOf(tenant, newAsk(id))
	before, err := a.healthy.Get(ctx, addr)
	if err != nil && !errors.Is(err, hub.ErrNotFound) {
		return nil, err
	}
	type result struct {
		t   *hub.Ticket
		err error
	}
	calling, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	done := make(chan result, 1)
	for a.nc.FlushWithContext(calling) != nil { // it may not be back from the last time
		if !pause(calling, time.Millisecond) {
			return nil, calling.Err()
		}
	}
	a.cut.Cut()
	go func() {
		brief, cancel := context.WithTimeout(calling, 30*time.Second)
		defer cancel()
		t, err := op(brief, a.hub)
		done <- result{t, err}
	}()
	for after := before; ; { // until it has had its effect
		if after, err = a.healthy.Get(ctx, addr); err == nil && (before == nil || after.Revision != before.Revision) {
			break
		}
		select {
		case r := <-done: // the request was lost as well, with the connection
			a.cut.Heal()
			if r.err == nil {
				return nil, fmt.Errorf("it returned %v although nothing was stored and its reply was lost", r.t)
			}
			return op(ctx, a.healthy)
		case <-time.After(time.Millisecond):
		}
	}
	if giveUp {
		cancel()
		r := <-done
		a.cut.Heal()
		if r.err == nil {
			return nil, errors.New("it succeeded without a reply")
		}
		return op(ctx, a.healthy)
	}
	a.cut.Heal()
	r := <-done
	return r.t, r.err
}

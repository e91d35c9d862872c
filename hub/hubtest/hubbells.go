package hubtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// never has a hub read nothing again by itself.
func never(o *hub.Options) { o.RereadMin = 1e6 * time.Hour }

// testBells has a hub depend on bells: they are heard, or it is heard that they
// may have been missed, and then everything is read at once.
func (s *suite) testBells(t *testing.T) {
	store, ctx := s.new(t), within(t)
	surface := s.open(t, s.peer(t, store))
	for name, fault := range map[string]Fault{"heard": {}, "unclear": {Gap: true}, "cut off": {Drop: true}} {
		var on atomic.Bool
		faulty := &Faulty{Store: store, Plan: func(step Step) Fault {
			if step.Op == OpBell && on.Load() {
				return fault
			}
			return Fault{}
		}}
		agent := s.open(t, faulty, never)
		ticket := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk(name)))
		done := waitFor(ctx, agent, ticket.Address)
		settled := faulty.Steps()
		eventually(t, "the first read is over", func() bool { return faulty.Steps() >= settled+2 && agent.Attached(ticket.Address) })
		on.Store(true)
		must[*hub.Ticket](t)(surface.Close(ctx, ticket, says("alice", "o1"), nil))
		if fault.Drop { // the connection is lost, and with it the bell
			faulty.Cut(errBroken)
		}
		wantChoice(t, get(t, done), says("alice", "o1"))
		agent.Stop()
	}
}

// testLostBells has no bell heard at all, and nobody say so.
func (s *suite) testLostBells(t *testing.T) {
	store, ctx := s.new(t), within(t)
	deaf := &Faulty{Store: store, Plan: func(step Step) Fault { return Fault{Drop: true} }}
	agent, surface := s.open(t, deaf), s.open(t, s.peer(t, store))
	var waits []<-chan waited
	for i := range 20 {
		ticket := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk(fmt.Sprint(i))))
		waits = append(waits, waitFor(ctx, agent, ticket.Address))
		eventually(t, "somebody waits", func() bool { return agent.Attached(ticket.Address) })
	}
	for i := range waits {
		shown := must[*hub.Ticket](t)(surface.Get(ctx, hub.AddressOf(tenant, newAsk(fmt.Sprint(i)))))
		must[*hub.Ticket](t)(surface.Close(ctx, shown, says("alice", "o1"), nil))
	}
	for _, w := range waits {
		wantChoice(t, get(t, w), says("alice", "o1"))
	}
}

// testOldBells has the bell of an outcome ring after it was undone, before or
// after whoever waits has read that. It is not taken for an answer.
func (s *suite) testOldBells(t *testing.T) {
	for _, slow := range []bool{false, true} {
		store, ctx := s.new(t), within(t)
		hold, release, read := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var held, waiting atomic.Bool
		var bells atomic.Int32
		agent := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
			switch {
			case step.Op == OpBell && step.Record.Closed && held.CompareAndSwap(false, true):
				close(hold)
				<-release
			case step.Op == OpBell:
				bells.Add(1)
			case step.Op == OpGet && waiting.Load():
				<-read
			}
			return Fault{}
		}})
		surface := s.open(t, s.peer(t, store))
		listen(ctx, agent)
		open := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk("a")))
		closed := must[*hub.Ticket](t)(surface.Close(ctx, open, says("alice", "o1"), nil))
		<-hold
		must[*hub.Ticket](t)(surface.Undo(ctx, closed, person("alice")))
		waiting.Store(slow)
		before := bells.Load()
		done := waitFor(ctx, agent, open.Address)
		eventually(t, "somebody waits", func() bool { return agent.Attached(open.Address) })
		close(release)
		if slow {
			eventually(t, "the old bell rings", func() bool { return bells.Load() > before })
		}
		close(read)
		select {
		case w := <-done:
			t.Errorf("an outcome that was undone ends the wait: %+v", w.ticket)
		case <-time.After(5 * s.tick()):
		}
		must[*hub.Ticket](t)(surface.Close(ctx, open, says("bob", "o2"), nil))
		wantChoice(t, get(t, done), says("bob", "o2"))
		agent.Stop()
		surface.Stop()
	}
}

// listen has a hub hear of everything, from now on.
func listen(ctx context.Context, h *hub.Hub) {
	ready := make(chan struct{})
	began := sync.OnceFunc(func() { close(ready) })
	go h.Watch(ctx, tenant, nil, func(hub.Change) { began() })
	<-ready
}

// testHeldBells has a bell ring before the first read is over, and the read come
// to nothing. The wait ends all the same.
func (s *suite) testHeldBells(t *testing.T) {
	for name, end := range map[string]struct {
		read error // what the first read comes to; nil: it never ends
		want error
	}{
		"read fails for good": {fmt.Errorf("%w: as planned", hub.ErrNotFound), hub.ErrNotFound},
		"context ends":        {nil, context.Canceled},
	} {
		store, ctx := s.new(t), within(t)
		rung, stop := make(chan struct{}), make(chan struct{})
		var waiting atomic.Bool
		agent := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
			switch {
			case step.Op == OpGet && waiting.Load() && end.read != nil:
				<-rung
				return Fault{Err: end.read}
			case step.Op == OpGet && waiting.Load():
				<-stop
			}
			return Fault{}
		}}, never)
		surface := s.open(t, s.peer(t, store))
		bells := make(chan hub.Change, 10)
		go agent.Watch(ctx, tenant, nil, func(c hub.Change) { bells <- c })
		<-bells // the reset: it listens
		open := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk("a")))
		waiting.Store(true)
		mine, cancel := context.WithCancel(ctx)
		done := waitFor(mine, agent, open.Address)
		eventually(t, "somebody waits", func() bool { return agent.Attached(open.Address) })
		must[*hub.Ticket](t)(surface.Close(ctx, open, withdrawn(), nil))
		for c := range bells { // surfaces are told after whoever waits
			if c.Ticket != nil && !c.Ticket.Open() {
				break
			}
		}
		close(rung)
		if end.read == nil {
			cancel()
		}
		select {
		case w := <-done:
			wantErr(t, w.err, end.want)
		case <-time.After(soon):
			t.Errorf("%s: the wait does not end", name)
		}
		close(stop)
		cancel()
		agent.Stop()
		surface.Stop()
	}
}

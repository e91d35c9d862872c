package hubtest

import (
	"context"
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// resolved is what came of asking in the background.
type resolved struct {
	outcome *sayso.Outcome
	err     error
}

func askWith(ctx context.Context, r sayso.Resolver, a *sayso.Ask) <-chan resolved {
	done := make(chan resolved, 1)
	go func() {
		o, err := r.Ask(ctx, a)
		done <- resolved{o, err}
	}()
	return done
}

func (s *suite) testResolver(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	addr := hub.AddressOf(tenant, newAsk("a"))
	done := askWith(ctx, h.Resolver(tenant), newAsk("a"))
	eventually(t, "the agent waits", func() bool {
		_, err := other.Get(ctx, addr)
		return err == nil && h.Attached(addr)
	})
	shown := must[*hub.Ticket](t)(other.Get(ctx, addr))
	must[*hub.Ticket](t)(other.Close(ctx, shown, says("alice", "o1"), nil))
	if r := <-done; r.err != nil || choice(r.outcome) != choice(says("alice", "o1")) {
		t.Fatalf("the agent is told %s, %v", choice(r.outcome), r.err)
	}
	if got := must[*hub.Ticket](t)(other.Get(ctx, addr)); got.Consumed.IsZero() {
		t.Error("the agent has the outcome, and the ticket does not say so")
	}
	_, err := other.Undo(ctx, shown, person("alice"))
	wantErr(t, err, hub.ErrConsumed)
}

// testResolverLoses has the terminal answer while the hub waits.
func (s *suite) testResolverLoses(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	sf := show(t, h.Inbox(tenant, person("bob")))
	nameless := says("alice", "o1")
	nameless.By = sayso.Responder{}
	elsewhere := &sayso.Outcome{Status: sayso.StatusSuperseded, By: sayso.Responder{Kind: sayso.ByAsker}}
	for id, c := range map[string]struct{ answer, want *sayso.Outcome }{
		"known":   {says("alice", "o1"), says("alice", "o1")},
		"unknown": {nameless, elsewhere},
	} {
		addr := hub.AddressOf(tenant, newAsk(id))
		terminal := sayso.ResolverFunc(func(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
			eventually(t, "the hub shows the ask", func() bool { return h.Attached(addr) && len(sf.open()) == 1 })
			return c.answer, nil
		})
		o := must[*sayso.Outcome](t)(sayso.Race(h.Resolver(tenant), terminal).Ask(ctx, newAsk(id)))
		if choice(o) != choice(c.answer) {
			t.Errorf("%s: the race ends with %s", id, choice(o))
		}
		got := must[*hub.Ticket](t)(h.Get(ctx, addr))
		wantChoice(t, got, c.want)
		if got.Consumed.IsZero() {
			t.Errorf("%s: the agent has the outcome, and the ticket does not say so", id)
		}
		eventually(t, "the surface folds", func() bool { return len(sf.open()) == 0 })
		if told := sf.told(id); told != choice(c.want) {
			t.Errorf("%s: the surface is told %s", id, told)
		}
	}
}

// testResolverCancelled lets go of an ask, and finds the answer later.
func (s *suite) testResolverCancelled(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	addr := hub.AddressOf(tenant, newAsk("a"))
	mine, cancel := context.WithCancel(ctx)
	done := askWith(mine, h.Resolver(tenant), newAsk("a"))
	eventually(t, "the agent waits", func() bool {
		_, err := h.Get(ctx, addr)
		return err == nil && h.Attached(addr)
	})
	cancel()
	if r := <-done; !errors.Is(r.err, context.Canceled) || r.outcome != nil {
		t.Fatalf("the agent is told %s, %v", choice(r.outcome), r.err)
	}
	open := must[*hub.Ticket](t)(h.Get(ctx, addr))
	if !open.Open() || h.Attached(addr) {
		t.Fatalf("the agent has gone, and the ask is %s", choice(open.Outcome))
	}
	must[*hub.Ticket](t)(h.Close(ctx, open, says("alice", "o2"), nil))
	if o := must[*sayso.Outcome](t)(h.Resolver(tenant).Ask(ctx, newAsk("a"))); choice(o) != choice(says("alice", "o2")) {
		t.Errorf("the agent comes back and is told %s", choice(o))
	}
}

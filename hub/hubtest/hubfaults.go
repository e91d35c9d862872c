package hubtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// testBetweenSteps answers an ask at each step that asking and waiting take,
// with its bell lost, late or heard. Whatever the moment, the answer arrives.
func (s *suite) testBetweenSteps(t *testing.T) {
	for _, bells := range []string{"heard", "lost", "unclear"} {
		for name, wait := range map[string]func(context.Context, *hub.Hub, *sayso.Ask) (*hub.Ticket, error){
			"ask": func(ctx context.Context, h *hub.Hub, a *sayso.Ask) (*hub.Ticket, error) { return h.Ask(ctx, tenant, a) },
			"submit and wait": func(ctx context.Context, h *hub.Hub, a *sayso.Ask) (*hub.Ticket, error) {
				ticket, err := h.Submit(ctx, tenant, a)
				if err != nil {
					return nil, err
				}
				return h.Wait(ctx, ticket.Address)
			},
		} {
			answered := 0
			for at := 1; at <= 12; at++ {
				if s.answerAt(t, at, bells, wait) {
					answered++
				}
			}
			if answered < 2 {
				t.Errorf("%s, bells %s: there were only %d steps to answer at", name, bells, answered)
			}
		}
	}
}

// answerAt has an ask answered at the given step and reports whether the step
// came. Before it is stored an ask cannot be answered; the answer comes later.
func (s *suite) answerAt(t *testing.T, at int, bells string, wait func(context.Context, *hub.Hub, *sayso.Ask) (*hub.Ticket, error)) bool {
	store, ctx := s.new(t), within(t)
	surface := s.open(t, s.peer(t, store))
	a := newAsk("a")
	var once sync.Once
	answer := func() bool {
		shown, err := surface.Get(ctx, hub.AddressOf(tenant, a))
		if err != nil {
			return false
		}
		once.Do(func() {
			if _, err := surface.Close(ctx, shown, says("alice", "o1"), nil); err != nil {
				t.Error(err)
			}
		})
		return true
	}
	var reached atomic.Bool
	agent := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
		if step.N == at {
			reached.Store(answer())
		}
		if step.Op == OpBell {
			return Fault{Drop: bells == "lost", Gap: bells == "unclear"}
		}
		return Fault{}
	}})
	done := make(chan waited, 1)
	go func() {
		ticket, err := wait(ctx, agent, a)
		done <- waited{ticket, err}
	}()
	eventually(t, "the ask is stored", func() bool { _, err := surface.Get(ctx, hub.AddressOf(tenant, a)); return err == nil })
	if !reached.Load() {
		eventually(t, "somebody waits or has left", func() bool { return agent.Attached(hub.AddressOf(tenant, a)) || len(done) > 0 })
		answer()
	}
	wantChoice(t, get(t, done), says("alice", "o1"))
	agent.Stop()
	surface.Stop()
	return reached.Load()
}

var errBroken = errors.New("the line is cut")

// testFaultAtAnyStep plays one ask from beginning to end, and again with a fault
// at every step, each kind of fault in turn. Whoever is told of an error tries
// again, as people and programs do. There is one outcome, and it is the right one.
func (s *suite) testFaultAtAnyStep(t *testing.T) {
	for name, fault := range map[string]func(Step) Fault{
		"undecided": func(Step) Fault { return Fault{Err: fmt.Errorf("%w: no leader", hub.ErrUndecided)} },
		"broken":    func(Step) Fault { return Fault{Err: errBroken} },
		"bell lost": func(step Step) Fault { return Fault{Drop: step.Op == OpBell} },
		"gap":       func(step Step) Fault { return Fault{Gap: step.Op == OpBell} },
	} {
		steps := s.play(t, name, 0, fault)
		for at := 1; at <= steps+2; at++ {
			s.play(t, fmt.Sprint(name, " at step ", at), at, fault)
		}
		t.Logf("%s: %d steps", name, steps)
	}
}

// play plays one ask with a fault at one step, and returns how many steps it took.
func (s *suite) play(t *testing.T, name string, at int, fault func(Step) Fault) int {
	store, ctx := s.new(t), within(t)
	var base atomic.Int64 // opening the hubs is not part of the play
	base.Store(1 << 40)
	faulty := &Faulty{Store: store, Plan: func(step Step) Fault {
		if at > 0 && step.N == at+int(base.Load()) {
			return fault(step)
		}
		return Fault{}
	}}
	agent, surface := s.open(t, faulty), s.open(t, faulty)
	base.Store(int64(faulty.Steps()))
	again := func(what string, fn func() error) {
		t.Helper()
		for range 3 {
			err := fn()
			if err == nil {
				return
			}
			if !errors.Is(err, errBroken) {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
		}
		t.Fatalf("%s: %s fails again and again", name, what)
	}
	var ticket *hub.Ticket
	var err error
	again("submitting", func() error { ticket, err = agent.Submit(ctx, tenant, newAsk("a")); return err })
	done := make(chan waited, 1)
	go func() {
		var w waited
		for range 3 {
			if w.ticket, w.err = agent.Wait(ctx, ticket.Address); !errors.Is(w.err, errBroken) {
				break
			}
		}
		done <- w
	}()
	again("closing", func() error {
		_, err := surface.Close(ctx, ticket, says("alice", "o1"), &hub.CloseOptions{Nonce: "click"})
		return err
	})
	closed := get(t, done)
	wantChoice(t, closed, says("alice", "o1"))
	again("consuming", func() error { _, err := agent.Consume(ctx, closed); return err })
	again("losing", func() error {
		_, err := surface.Close(ctx, ticket, says("bob", "o2"), nil)
		var lost *hub.ClosedError
		if errors.As(err, &lost) {
			wantChoice(t, lost.Ticket, says("alice", "o1"))
			return nil
		}
		return err
	})
	steps := faulty.Steps() - int(base.Load())
	agent.Stop()
	surface.Stop()
	got := must[*hub.Ticket](t)(s.open(t, store).Get(ctx, ticket.Address))
	wantChoice(t, got, says("alice", "o1"))
	if got.Nonce != "click" || len(got.History) > 0 || got.Consumed.IsZero() {
		t.Fatalf("%s: in the end the ticket is %+v", name, got)
	}
	return steps
}

// testDeathAtAnyStep has the agent's process die at every step of asking. The
// next process asks again, and gets the one answer that was given.
func (s *suite) testDeathAtAnyStep(t *testing.T) {
	for at := 1; at <= 12; at++ {
		store, ctx := s.new(t), t.Context()
		var dead atomic.Bool
		agent := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
			if step.N >= at && step.Op != OpList {
				dead.Store(true)
			}
			if dead.Load() {
				return Fault{Err: errBroken, Drop: true}
			}
			return Fault{}
		}})
		surface := s.open(t, s.peer(t, store))
		mine, kill := context.WithCancel(ctx)
		first := askWith(mine, agent.Resolver(tenant), newAsk("a"))
		// A person answers as soon as there is something to answer.
		answer := func() bool {
			shown, err := surface.Get(ctx, hub.AddressOf(tenant, newAsk("a")))
			if err != nil || !shown.Open() {
				return err == nil
			}
			must[*hub.Ticket](t)(surface.Close(ctx, shown, says("alice", "o1"), nil))
			return true
		}
		eventually(t, "the ask is stored, or the agent is dead", func() bool { return answer() || dead.Load() })
		select {
		case <-first: // it broke, or was quick
		case <-time.After(20 * s.tick()):
		}
		kill()
		agent.Stop()
		next := askWith(ctx, s.open(t, store).Resolver(tenant), newAsk("a"))
		eventually(t, "the ask is stored again", answer)
		r := <-next
		if r.err != nil {
			t.Fatal(r.err)
		}
		o := r.outcome
		if choice(o) != choice(says("alice", "o1")) {
			t.Fatalf("died at step %d: the next process is told %s", at, choice(o))
		}
		if got := must[*hub.Ticket](t)(surface.Get(ctx, hub.AddressOf(tenant, newAsk("a")))); len(got.History) > 0 {
			t.Fatalf("died at step %d: %+v", at, got)
		}
		surface.Stop()
	}
}

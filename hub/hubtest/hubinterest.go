package hubtest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func (s *suite) testReserveOpen(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	submit := func(h *hub.Hub, asker, id string, most int) (*hub.Ticket, bool) {
		t.Helper()
		a := newAsk(id)
		a.Origin.Asker = asker
		ok, _, err := h.ReserveOpen(ctx, hub.AddressOf(tenant, a), asker, most)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return nil, false
		}
		return must[*hub.Ticket](t)(h.Submit(ctx, tenant, a)), true
	}
	for _, asker := range []string{"deployer", ""} {
		first, _ := submit(h, asker, "1", 3)
		submit(other, asker, "2", 3)
		eventually(t, "the other's ask counts", func() bool {
			probe := newAsk("probe")
			probe.Origin.Asker = asker
			ok, release, err := h.ReserveOpen(ctx, hub.AddressOf(tenant, probe), asker, 2)
			if ok {
				release()
			}
			return err == nil && !ok
		})
		if _, ok := submit(h, asker, "3", 3); !ok {
			t.Error("the third of three is refused")
		}
		if _, ok := submit(h, asker, "4", 3); ok {
			t.Error("the fourth of three is let through")
		}
		if _, ok := submit(h, asker, "3", 3); !ok {
			t.Error("the same ask again is refused")
		}
		if _, ok := submit(h, asker+"x", "4", 3); !ok {
			t.Error("another asker is refused")
		}
		must[*hub.Ticket](t)(other.Close(ctx, first, withdrawn(), nil))
		eventually(t, "a closed ask makes room", func() bool { _, ok := submit(h, asker, "4", 3); return ok })
	}
}

// testInterest: a hub hears of what somebody at it needs, and of nothing else.
func (s *suite) testInterest(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var heard atomic.Int64
	hearing := &Faulty{Store: s.peer(t, store), Plan: func(step Step) Fault {
		if step.Op == OpBell && step.Record.Kind != "" {
			heard.Add(1)
		}
		return Fault{}
	}}
	h, quiet := s.open(t, store), s.open(t, hearing)
	ask := func(id, asker, conversation string, to ...string) *hub.Ticket {
		a := newAsk(id, to...)
		a.Origin.Asker, a.Origin.Conversation = asker, conversation
		return must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	}
	for i := range 10 {
		ask(fmt.Sprint(i), "deployer", "c1", "alice")
	}
	r := newReader(quiet, hub.Filter{Person: "bob"})
	r.shows(t)
	mine, cancel := context.WithCancel(ctx)
	waits := ask("waited for", "reviewer", "c9", "carol")
	done := waitFor(mine, quiet, waits.Address)
	eventually(t, "somebody waits", func() bool { return quiet.Attached(waits.Address) })
	for i := range 10 {
		ask(fmt.Sprint("more ", i), "deployer", "c1", "alice")
	}
	ask("to bob", "deployer", "c1", "bob")
	r.shows(t, "to bob")
	must[*hub.Ticket](t)(h.Close(ctx, waits, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "yes", By: person("carol")}, nil))
	if w := get(t, done); w.Outcome.Reply != "yes" {
		t.Errorf("%+v", w)
	}
	cancel()
	if n := heard.Load(); n == 0 || n > 4 {
		t.Errorf("the hub heard of %d changes; 2 were for somebody there", n)
	}
}

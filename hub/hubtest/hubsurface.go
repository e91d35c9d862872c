package hubtest

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func (s *suite) testHubWatch(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	early := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("early")))
	alice, bob := show(t, other.Inbox(tenant, person("alice"))), show(t, other.Inbox(tenant, person("bob")))
	all := show(t, other.Inbox(tenant, sayso.Responder{Kind: sayso.ByPerson}))
	shows := func(sf *surface, want ...string) {
		t.Helper()
		eventually(t, fmt.Sprintf("the surface shows %q", want), func() bool { return slices.Equal(sf.open(), want) })
	}
	shows(alice, "early")
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("to alice", "alice")))
	both := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("to both", "alice", "bob")))
	must[*hub.Ticket](t)(h.Submit(ctx, "other", newAsk("foreign")))
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("to carol", "carol")))
	shows(alice, "early", "to alice", "to both")
	shows(bob, "early", "to both")
	shows(all, "early", "to alice", "to both", "to carol")

	closed := must[*hub.Ticket](t)(h.Close(ctx, both, says("bob", "o2"), nil))
	shows(alice, "early", "to alice")
	if got := alice.told("to both"); got != choice(says("bob", "o2")) {
		t.Errorf("alice is told %q", got)
	}
	must[*hub.Ticket](t)(h.Undo(ctx, closed, person("bob")))
	shows(alice, "early", "to alice", "to both")
	must[*hub.Ticket](t)(h.Close(ctx, early, withdrawn(), nil))
	shows(bob, "to both")
}

// testWatchResets loses every bell, with and without a word about it.
func (s *suite) testWatchResets(t *testing.T) {
	store, ctx := s.new(t), within(t)
	for name, fault := range map[string]Fault{"noticed": {Gap: true}, "unnoticed": {Drop: true}} {
		var on atomic.Bool
		h := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
			if step.Op == OpBell && on.Load() {
				return fault
			}
			return Fault{}
		}}, func(o *hub.Options) { o.Relist = 10 * s.tick() })
		sf := show(t, h.Inbox(tenant, person("alice")))
		eventually(t, "the surface lists", sf.listed)
		on.Store(true)
		ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk(name)))
		eventually(t, "an ask is seen although its bell is lost, "+name, func() bool { return slices.Contains(sf.open(), name) })
		must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
		if err := sf.stop(); err == nil {
			t.Error("the watch ends without an error")
		}
	}
	// A surface that sleeps has to list again, and nobody else.
	h := s.open(t, store)
	slow, asleep, wake := show(t, h.Inbox(tenant, person("alice"))), make(chan struct{}), make(chan struct{})
	eventually(t, "the surface lists", slow.listed)
	var resets, told atomic.Int32
	done := make(chan error, 1)
	go func() {
		done <- h.Watch(ctx, tenant, nil, func(c hub.Change) {
			switch {
			case c.Reset && resets.Add(1) == 1:
				close(asleep)
				<-wake
			case !c.Reset:
				told.Add(1)
			}
		})
	}()
	<-asleep
	const many = 1100
	for i := range many {
		must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk(fmt.Sprint("flood ", i))))
	}
	eventually(t, "the other surface sees the flood", func() bool { return len(slow.open()) >= many })
	close(wake)
	eventually(t, "the surface that slept lists again", func() bool { return resets.Load() > 1 })
	h.Stop()
	wantErr(t, <-done, hub.ErrStopped)
	if told.Load() >= many {
		t.Errorf("a surface that slept through %d changes was told of them all", many)
	}
}

func (s *suite) testInbox(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	in := h.Inbox(tenant, sayso.Responder{Kind: sayso.ByPerson, ID: "alice", Surface: "web", Assurance: sayso.AssuranceLogin})
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a", "alice")))
	forged := says("bob", "o1")
	forged.By.Assurance = sayso.AssurancePasskey
	closed := must[*hub.Ticket](t)(in.Close(ctx, ticket, forged))
	if by := closed.Outcome.By; by.ID != "alice" || by.Surface != "web" || by.Assurance != sayso.AssuranceLogin {
		t.Errorf("the answer is by %+v", by)
	}
	must[*hub.Ticket](t)(in.Undo(ctx, closed))
	if err := in.SaveDraft(ctx, ticket, &hub.Draft{Reply: "hm"}); err != nil {
		t.Fatal(err)
	}
	if d := must[*hub.Draft](t)(in.Draft(ctx, ticket)); d.Reply != "hm" {
		t.Errorf("the draft is %+v", d)
	}
	foreign := must[*hub.Ticket](t)(h.Submit(ctx, "other", newAsk("b")))
	_, err := in.Close(ctx, foreign, says("alice", "o1"))
	wantErr(t, err, hub.ErrNotFound)
	_, err = in.Undo(ctx, foreign)
	wantErr(t, err, hub.ErrNotFound)
	_, err = in.Draft(ctx, foreign)
	wantErr(t, err, hub.ErrNotFound)
	wantErr(t, in.SaveDraft(ctx, foreign, &hub.Draft{}), hub.ErrNotFound)
}

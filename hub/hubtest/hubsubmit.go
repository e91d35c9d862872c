package hubtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func (s *suite) testSubmit(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	first := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	if !first.Open() || first.Replayed || first.Ask.AskedAt.IsZero() || first.Revision == 0 || first.Digest != first.Ask.Digest() {
		t.Errorf("the first ticket is %+v", first)
	}
	again := must[*hub.Ticket](t)(s.open(t, s.peer(t, store)).Submit(ctx, tenant, newAsk("a")))
	if !again.Replayed || again.Revision != first.Revision || !again.Ask.AskedAt.Equal(first.Ask.AskedAt) {
		t.Errorf("the same ask again is %+v", again)
	}
	must[*hub.Ticket](t)(h.Close(ctx, first, says("alice", "o1"), nil))
	closed := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	wantChoice(t, closed, says("alice", "o1"))
	if !closed.Replayed {
		t.Error("a closed ask submitted again is not marked as replayed")
	}

	one, two := newAsk(""), newAsk("")
	first = must[*hub.Ticket](t)(h.Submit(ctx, tenant, one))
	second := must[*hub.Ticket](t)(h.Submit(ctx, tenant, two))
	if first.Address.ID == "" || first.Address.ID == second.Address.ID || one.ID != "" {
		t.Errorf("asks without an id got %q and %q", first.Address.ID, second.Address.ID)
	}
}

func (s *suite) testSubmitRefuses(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	other := newAsk("a")
	other.Questions[0].Text = "Deploy to staging?"
	var changed *hub.ChangedError
	if _, err := h.Submit(ctx, tenant, other); !errors.As(err, &changed) || changed.Shown == changed.Stored {
		t.Errorf("other questions under the same id: %v", err)
	}
	long := strings.Repeat("x", 257)
	for name, change := range map[string]func(*sayso.Ask) string{
		"no questions":      func(a *sayso.Ask) string { a.Questions = nil; return tenant },
		"no tenant":         func(a *sayso.Ask) string { return "" },
		"long tenant":       func(a *sayso.Ask) string { return long },
		"long id":           func(a *sayso.Ask) string { a.ID = long; return tenant },
		"long conversation": func(a *sayso.Ask) string { a.Origin.Conversation = long; return tenant },
		"bad person":        func(a *sayso.Ask) string { a.To = []string{"\xff"}; return tenant },
		"nameless person":   func(a *sayso.Ask) string { a.To = []string{""}; return tenant },
		"secret":            func(a *sayso.Ask) string { a.Questions[0].Secret = true; return tenant },
		"unfit default": func(a *sayso.Ask) string {
			a.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o9"}}}
			return tenant
		},
		"too large": func(a *sayso.Ask) string {
			a.Metadata = map[string]any{"x": strings.Repeat("x", hub.MaxData)}
			return tenant
		},
	} {
		a := newAsk("b")
		tenant := change(a)
		var invalid *sayso.InvalidError
		if _, err := h.Submit(ctx, tenant, a); !errors.As(err, &invalid) {
			t.Errorf("%s: %v, want an InvalidError", name, err)
		}
	}
}

func (s *suite) testSubmitFull(t *testing.T) {
	if s.Limited == nil {
		t.Skip("no limited store")
	}
	h, ctx := s.open(t, s.Limited(t, 2)), within(t)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("b")))
	_, err := h.Submit(ctx, tenant, newAsk("c"))
	wantErr(t, err, hub.ErrFull)
	_, err = h.Resolver(tenant).Ask(ctx, newAsk("c"))
	wantErr(t, err, sayso.ErrUnreachable)
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	must[*hub.Ticket](t)(h.Close(ctx, ticket, says("alice", "o1"), nil))
}

// testWait answers before, while and after somebody waits.
func (s *suite) testWait(t *testing.T) {
	store, ctx := s.new(t), within(t)
	agent, surface := s.open(t, store), s.open(t, s.peer(t, store))
	before := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk("before")))
	must[*hub.Ticket](t)(surface.Close(ctx, before, says("alice", "o1"), nil))
	wantChoice(t, get(t, waitFor(ctx, agent, before.Address)), says("alice", "o1"))
	wantChoice(t, get(t, waitFor(ctx, agent, before.Address)), says("alice", "o1"))

	while := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk("while")))
	var waits []<-chan waited
	for range 5 {
		waits = append(waits, waitFor(ctx, agent, while.Address), waitFor(ctx, surface, while.Address))
	}
	eventually(t, "somebody waits", func() bool { return agent.Attached(while.Address) })
	must[*hub.Ticket](t)(surface.Close(ctx, while, says("bob", "o2"), nil))
	for _, w := range waits {
		wantChoice(t, get(t, w), says("bob", "o2"))
	}

	asked := make(chan waited, 1)
	go func() {
		ticket, err := agent.Ask(ctx, tenant, newAsk("asked"))
		asked <- waited{ticket, err}
	}()
	addr := hub.AddressOf(tenant, newAsk("asked"))
	eventually(t, "the ask is there", func() bool { _, err := surface.Get(ctx, addr); return err == nil })
	shown := must[*hub.Ticket](t)(surface.Get(ctx, addr))
	must[*hub.Ticket](t)(surface.Close(ctx, shown, says("carol", "o1"), nil))
	wantChoice(t, get(t, asked), says("carol", "o1"))
}

func (s *suite) testWaitEnds(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	_, err := h.Wait(ctx, hub.AddressOf(tenant, newAsk("none")))
	wantErr(t, err, hub.ErrNotFound)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))

	mine, cancel := context.WithCancel(ctx)
	done := waitFor(mine, h, ticket.Address)
	eventually(t, "somebody waits", func() bool { return h.Attached(ticket.Address) })
	cancel()
	wantErr(t, (<-done).err, context.Canceled)
	if got := must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)); !got.Open() {
		t.Errorf("a wait that ends closes the ask: %s", choice(got.Outcome))
	}

	done = waitFor(ctx, h, ticket.Address)
	watched := make(chan error, 1)
	go func() { watched <- h.Watch(ctx, tenant, nil, func(hub.Change) {}) }()
	eventually(t, "somebody waits", func() bool { return h.Attached(ticket.Address) })
	h.Stop()
	h.Stop()
	wantErr(t, (<-done).err, hub.ErrStopped)
	wantErr(t, <-watched, hub.ErrStopped)
	_, err = h.Wait(ctx, ticket.Address)
	wantErr(t, err, hub.ErrStopped)
}

// testReattach has every process on the way end and begin again.
func (s *suite) testReattach(t *testing.T) {
	store, ctx := s.new(t), within(t)
	for round := range 3 {
		agent := s.open(t, store)
		ticket := must[*hub.Ticket](t)(agent.Submit(ctx, tenant, newAsk("a")))
		if ticket.Replayed != (round > 0) || !ticket.Open() {
			t.Fatalf("round %d: %+v", round, ticket)
		}
		done := waitFor(ctx, agent, ticket.Address)
		eventually(t, "somebody waits", func() bool { return agent.Attached(ticket.Address) })
		agent.Stop()
		wantErr(t, (<-done).err, hub.ErrStopped)
	}
	surface := s.open(t, store)
	handle := surface.Handle(hub.AddressOf(tenant, newAsk("a")))
	addr := must[hub.Address](t)(s.open(t, store).Address(handle))
	shown := must[*hub.Ticket](t)(surface.Get(ctx, addr))
	must[*hub.Ticket](t)(surface.Close(ctx, shown, says("alice", "o1"), nil))
	surface.Stop()
	wantChoice(t, must[*hub.Ticket](t)(s.open(t, store).Wait(ctx, addr)), says("alice", "o1"))
	o := must[*sayso.Outcome](t)(s.open(t, store).Resolver(tenant).Ask(ctx, newAsk("a")))
	if choice(o) != choice(says("alice", "o1")) {
		t.Errorf("after all the restarts the agent is told %s", choice(o))
	}
}

func (s *suite) testAttached(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	if h.Attached(ticket.Address) {
		t.Error("attached, and nobody waits")
	}
	two, cancel := context.WithTimeout(ctx, time.Hour)
	one, two2 := waitFor(two, h, ticket.Address), waitFor(ctx, h, ticket.Address)
	eventually(t, "two wait", func() bool { return h.Attached(ticket.Address) })
	cancel()
	<-one
	eventually(t, "one still waits", func() bool { return h.Attached(ticket.Address) })
	must[*hub.Ticket](t)(h.Close(ctx, ticket, withdrawn(), nil))
	wantChoice(t, get(t, two2), withdrawn())
	if h.Attached(ticket.Address) {
		t.Error("attached, and everybody has left")
	}
}

package hubtest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// expired is the outcome of a deadline.
func expired(answers ...sayso.Answer) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusExpired, Answers: answers, By: sayso.Responder{Kind: sayso.ByPolicy, ID: "deadline"}}
}

// askUntil returns an ask with a deadline.
func askUntil(id string, deadline time.Time) *sayso.Ask {
	a := newAsk(id)
	a.Deadline = deadline
	return a
}

func (s *suite) testDeadline(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use), s.open(t, s.peer(t, store), c.use)
	deadline := c.now().Add(time.Hour)
	read := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("read", deadline)))
	answered := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("answered", deadline)))
	late := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("late", deadline)))
	listed := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("listed", deadline)))
	waited := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("waited", deadline)))
	done := waitFor(ctx, other, waited.Address)
	eventually(t, "somebody waits", func() bool { return other.Attached(waited.Address) })

	c.add(59 * time.Minute)
	must[*hub.Ticket](t)(h.Close(ctx, answered, says("alice", "o1"), nil))
	if n := must[int](t)(h.Sweep(ctx)); n != 0 {
		t.Fatalf("a minute early %d asks expire", n)
	}
	for _, ticket := range []*hub.Ticket{read, late, listed, waited} {
		if got := must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)); !got.Open() {
			t.Fatalf("a minute early it is %s", choice(got.Outcome))
		}
	}
	c.add(time.Minute)
	wantChoice(t, must[*hub.Ticket](t)(h.Get(ctx, read.Address)), expired())
	wantChoice(t, must[*hub.Ticket](t)(h.Get(ctx, answered.Address)), says("alice", "o1"))
	_, err := other.Close(ctx, late, says("alice", "o1"), nil)
	if closed := wantClosed(t, err, expired()); !closed.Late || len(closed.Ticket.History) != 1 {
		t.Errorf("a late answer is not kept: %+v", closed.Ticket)
	}
	wantChoice(t, get(t, done), expired())
	eventually(t, "the list closes what is overdue", func() bool {
		page := must[*hub.Tickets](t)(h.List(ctx, tenant, nil))
		return len(page.Tickets) == 0
	})
	got := must[*hub.Ticket](t)(h.Get(ctx, listed.Address))
	wantChoice(t, got, expired())
	if got.Outcome.At.Before(deadline) || got.Outcome.HasAnswer() {
		t.Errorf("expired: %+v", got.Outcome)
	}
	if again := must[*hub.Ticket](t)(h.Get(ctx, read.Address)); again.Revision != must[*hub.Ticket](t)(other.Get(ctx, read.Address)).Revision {
		t.Error("a deadline fires twice")
	}
}

// testDeadlineDefault has the asker declare what silence means.
func (s *suite) testDeadlineDefault(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	a := askUntil("a", time.Now().Add(-time.Second))
	a.OnExpiry.Default = says("", "o2").Answers
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	wantChoice(t, ticket, expired(a.OnExpiry.Default...))
	if ticket.Outcome.By.Kind != sayso.ByPolicy {
		t.Errorf("a default is by %v", ticket.Outcome.By)
	}
	_, err := h.Close(ctx, ticket, says("alice", "o1"), nil)
	wantClosed(t, err, expired(a.OnExpiry.Default...))
}

// testDeadlineTouched has a person begin to answer before the deadline: what the
// asker declared for silence no longer stands in.
func (s *suite) testDeadlineTouched(t *testing.T) {
	ctx := within(t)
	var c clock
	h := s.open(t, s.new(t), c.use)
	a := askUntil("a", c.now().Add(time.Hour))
	a.OnExpiry.Default = says("", "o2").Answers
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	for range 2 {
		if err := h.SaveDraft(ctx, ticket.Address, "alice", &hub.Draft{Reply: "let me"}); err != nil {
			t.Fatal(err)
		}
	}
	touched := must[*hub.Ticket](t)(h.Get(ctx, ticket.Address))
	if touched.Touched.IsZero() || !touched.Open() || touched.Revision <= ticket.Revision {
		t.Fatalf("a draft leaves %+v", touched)
	}
	c.add(time.Hour)
	wantChoice(t, must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)), expired())
}

// testDeadlineRestart has the deadline pass while no hub runs.
func (s *suite) testDeadlineRestart(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h := s.open(t, store, c.use)
	passes := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("passes", c.now().Add(time.Hour))))
	comes := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("comes", c.now().Add(3*time.Hour))))
	h.Stop()
	c.add(2 * time.Hour)
	w := watch(t, store, hub.Query{})
	s.open(t, store, c.use, frequentSweeps) // looks at nothing by itself but deadlines
	seen := func(addr hub.Address) func() bool {
		return func() bool {
			records, _ := w.seen()
			n := 0
			for _, r := range records {
				if r.Address == addr && r.Closed {
					n++
				}
			}
			if n > 1 {
				t.Fatalf("%s expires %d times", addr.ID, n)
			}
			return n == 1
		}
	}
	eventually(t, "a deadline that passed fires", seen(passes.Address))
	if seen(comes.Address)() {
		t.Fatal("a deadline fires early")
	}
	c.add(time.Hour)
	eventually(t, "a deadline that comes fires", seen(comes.Address))
	wantChoice(t, must[*hub.Ticket](t)(s.open(t, store, c.use).Get(ctx, comes.Address)), expired())
}

// testDeadlineFaults has the store fail when the deadline passes.
func (s *suite) testDeadlineFaults(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	var failed atomic.Int32
	h := s.open(t, &Faulty{Store: store, Plan: func(step Step) Fault {
		if step.Op == OpPut && !step.Done && step.Record.Closed && failed.Add(1) <= 3 {
			return Fault{Err: errBroken}
		}
		return Fault{}
	}}, c.use)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("a", c.now().Add(time.Hour))))
	w := watch(t, store, hub.Query{}) // nobody else looks
	c.add(time.Hour)
	eventually(t, "the store fails", func() bool { c.add(time.Second); return failed.Load() > 3 })
	eventually(t, "the deadline fires in the end", func() bool { records, _ := w.seen(); return len(records) == 1 && records[0].Closed })
	wantChoice(t, must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)), expired())
}

// testClockJumps sets the wall clock by a day, forth and back.
func (s *suite) testClockJumps(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	faulty := &Faulty{Store: store, Plan: func(Step) Fault { return Fault{Drop: true} }}
	h := s.open(t, faulty, c.use)
	deadline := c.now().Add(time.Hour)
	expires := must[*hub.Ticket](t)(h.Submit(ctx, tenant, askUntil("expires", deadline)))
	stays := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("stays")))
	first, second := waitFor(ctx, h, expires.Address), waitFor(ctx, h, stays.Address)
	eventually(t, "both wait", func() bool { return h.Attached(expires.Address) && h.Attached(stays.Address) })

	c.add(-24 * time.Hour)
	if got := must[*hub.Ticket](t)(h.Get(ctx, expires.Address)); !got.Open() {
		t.Fatalf("the clock goes back a day, and the ask is %s", choice(got.Outcome))
	}
	// Bells are lost, so this is found by reading again, whatever the clock says.
	must[*hub.Ticket](t)(s.open(t, store, c.use).Close(ctx, stays, says("alice", "o1"), nil))
	wantChoice(t, get(t, second), says("alice", "o1"))

	s.idle()
	c.add(48 * time.Hour)
	before := time.Now()
	wantChoice(t, get(t, first), expired())
	if took := time.Since(before); s.Virtual && took > time.Second {
		t.Errorf("the deadline fires %v after the clock went past it", took)
	}
}

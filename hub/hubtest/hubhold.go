package hubtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// held submits an ask and has a person answer it for later.
func held(t *testing.T, h *hub.Hub, a *sayso.Ask, o *sayso.Outcome, nonce string) (open, held *hub.Ticket) {
	t.Helper()
	ctx := within(t)
	open = must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	held = must[*hub.Ticket](t)(h.Close(ctx, open, o, &hub.CloseOptions{Nonce: nonce, Hold: 5 * time.Second}))
	if !held.Open() || held.Held == nil || choice(held.Held.Outcome) != choice(o) || held.Held.Nonce != nonce || held.Replayed {
		t.Fatalf("held: %+v", held)
	}
	return open, held
}

// testHold has an outcome count when its time has come, and not before.
func (s *suite) testHold(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use), s.open(t, s.peer(t, store), c.use)
	start := c.now()
	open, first := held(t, h, newAsk("a"), says("alice", "o1"), "n1")
	if left := first.Held.Until.Sub(start); left < 5*time.Second || left > time.Minute {
		t.Errorf("it is held for %v", left)
	}
	done := waitFor(ctx, other, open.Address)
	eventually(t, "somebody waits", func() bool { return other.Attached(open.Address) })
	_, err := other.Consume(ctx, open)
	wantErr(t, err, hub.ErrOpen)
	again := must[*hub.Ticket](t)(other.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1", Hold: 5 * time.Second}))
	if !again.Replayed || !again.Held.Until.Equal(first.Held.Until) {
		t.Errorf("the same again: %+v", again)
	}
	_, err = other.Close(ctx, open, says("bob", "o2"), nil)
	if lost := wantClosed(t, err, says("alice", "o1")); lost.Late || lost.Ticket.Held == nil {
		t.Errorf("a rival is not told that it is held: %+v", lost.Ticket)
	}
	_, err = other.Close(ctx, open, says("alice", "o2"), &hub.CloseOptions{Hold: time.Second})
	wantClosed(t, err, says("alice", "o1"))
	_, err = other.Undo(ctx, open, person("bob"))
	wantClosed(t, err, says("alice", "o1"))
	_, err = h.Amend(ctx, first, says("alice", "o2"), nil)
	wantErr(t, err, hub.ErrOpen)
	select {
	case w := <-done:
		t.Fatalf("the asker has it early: %+v, %v", w.ticket, w.err)
	default:
	}
	got := must[*hub.Ticket](t)(h.Get(ctx, open.Address))
	if !got.Open() || len(got.History) > 0 {
		t.Fatalf("while it is held: %+v", got)
	}

	s.idle()
	c.add(time.Minute)
	closed := get(t, done)
	wantChoice(t, closed, says("alice", "o1"))
	if closed.Held != nil || closed.Nonce != "n1" || len(closed.History) > 0 {
		t.Errorf("released: %+v", closed)
	}
	if at := closed.Outcome.At; at.Before(first.Held.Until) {
		t.Errorf("it counts from %v on, before %v", at, first.Held.Until)
	}
	again = must[*hub.Ticket](t)(h.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1", Hold: 5 * time.Second}))
	if !again.Replayed || again.Revision != closed.Revision {
		t.Errorf("the same again, released: %+v", again)
	}
	must[*hub.Ticket](t)(h.Undo(ctx, first, person("alice"))) // the asker has not said that it has it
}

// testHoldUndo takes back what is held, at any time before it is released.
func (s *suite) testHoldUndo(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use), s.open(t, s.peer(t, store), c.use)
	open, first := held(t, h, newAsk("a"), says("alice", "o1"), "n1")
	undone := must[*hub.Ticket](t)(other.Undo(ctx, first, person("alice")))
	if !undone.Open() || undone.Held != nil || len(undone.History) != 1 || undone.History[0].Why != hub.Undone || choice(undone.History[0].Outcome) != choice(says("alice", "o1")) {
		t.Fatalf("undone: %+v", undone)
	}
	if again := must[*hub.Ticket](t)(h.Undo(ctx, first, person("alice"))); !again.Replayed {
		t.Errorf("undone again: %+v", again)
	}
	_, err := h.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1", Hold: time.Second})
	wantErr(t, err, hub.ErrUndone)
	c.add(time.Minute)
	if n := must[int](t)(h.Sweep(ctx)); n != 0 {
		t.Errorf("%d asks expire", n)
	}
	if got := must[*hub.Ticket](t)(h.Get(ctx, open.Address)); !got.Open() {
		t.Fatalf("what was taken back counts: %s", choice(got.Outcome))
	}
	// Said again, it counts once.
	second := must[*hub.Ticket](t)(h.Close(ctx, open, says("alice", "o2"), &hub.CloseOptions{Nonce: "n2", Hold: time.Second}))
	if second.Held == nil {
		t.Fatalf("held again: %+v", second)
	}
	_, err = h.Undo(ctx, first, person("alice")) // of the first: that is done
	if err != nil {
		t.Errorf("undoing the first again: %v", err)
	}
	c.add(time.Minute)
	wantChoice(t, must[*hub.Ticket](t)(other.Wait(ctx, open.Address)), says("alice", "o2"))

	// The same person needs no hold any more.
	open, _ = held(t, h, newAsk("b"), says("alice", "o1"), "n1")
	now := must[*hub.Ticket](t)(other.Close(ctx, open, says("alice", "o1"), nil))
	wantChoice(t, now, says("alice", "o1"))
	if now.Held != nil || now.Nonce != "n1" {
		t.Errorf("sent at once: %+v", now)
	}
}

// testHoldOverruled has the asker withdraw, and relay what its own dialog was told.
func (s *suite) testHoldOverruled(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	for name, close := range map[string]func(*hub.Ticket) (*hub.Ticket, error){
		"withdrawn": func(seen *hub.Ticket) (*hub.Ticket, error) {
			return other.Withdraw(ctx, seen, sayso.StatusCancelled, "", sayso.Responder{})
		},
		"relayed": func(seen *hub.Ticket) (*hub.Ticket, error) {
			return other.Relay(ctx, seen, says("", "o2"), sayso.Responder{Surface: "dialog"})
		},
		"had": func(seen *hub.Ticket) (*hub.Ticket, error) {
			return other.Close(ctx, seen, says("bob", "o2"), &hub.CloseOptions{Consumed: true})
		},
	} {
		open, _ := held(t, h, newAsk(name), says("alice", "o1"), "n1")
		got := must[*hub.Ticket](t)(close(open))
		if got.Open() || got.Held != nil || len(got.History) != 1 || got.History[0].Why != hub.Late || choice(got.History[0].Outcome) != choice(says("alice", "o1")) {
			t.Errorf("%s: %+v", name, got)
		}
		_, err := h.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1", Hold: time.Second})
		var closed *hub.ClosedError
		if !errors.As(err, &closed) || !closed.Late || closed.Ticket.Held != nil {
			t.Errorf("%s, and the person sends it again: %v", name, err)
		}
	}
}

// testHoldDeadline has the deadline come while an answer is held: it counts.
func (s *suite) testHoldDeadline(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use), s.open(t, s.peer(t, store), c.use)
	a := askUntil("a", c.now().Add(2*time.Second))
	a.OnExpiry.Default = says("", "o2").Answers
	_, first := held(t, h, a, says("alice", "o1"), "n1")
	if !first.Held.Until.Equal(a.Deadline.UTC()) {
		t.Errorf("held until %v, and the deadline is %v", first.Held.Until, a.Deadline)
	}
	c.add(time.Minute)
	got := must[*hub.Ticket](t)(other.Get(ctx, first.Address))
	wantChoice(t, got, says("alice", "o1"))
	if got.Outcome.At.After(a.Deadline) {
		t.Errorf("an answer in time has the time %v, after %v", got.Outcome.At, a.Deadline)
	}

	// Taken back, the ask is due at its deadline again, and nothing stands in.
	b := askUntil("b", c.now().Add(time.Hour))
	b.OnExpiry.Default = says("", "o2").Answers
	_, first = held(t, h, b, says("alice", "o1"), "n1")
	must[*hub.Ticket](t)(h.Undo(ctx, first, person("alice")))
	c.add(time.Minute)
	if got := must[*hub.Ticket](t)(other.Get(ctx, first.Address)); !got.Open() {
		t.Fatalf("taken back: %s", choice(got.Outcome))
	}
	done := waitFor(ctx, other, first.Address)
	eventually(t, "somebody waits", func() bool { return other.Attached(first.Address) })
	c.add(time.Hour)
	wantChoice(t, get(t, done), expired())
}

// testHoldRestart has every hub end while answers are held.
func (s *suite) testHoldRestart(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h := s.open(t, store, c.use)
	_, passes := held(t, h, newAsk("passes"), says("alice", "o1"), "n1")
	far := askUntil("far", c.now().Add(100*24*time.Hour))
	if err := errors.Join(
		func() error { _, err := h.Submit(ctx, tenant, far); return err }(),
		h.SaveDraft(ctx, hub.AddressOf(tenant, far), "alice", &hub.Draft{Reply: "let me"}),
	); err != nil {
		t.Fatal(err)
	}
	_, due := held(t, h, askUntil("due", c.now().Add(100*24*time.Hour)), says("alice", "o2"), "n2")
	_, back := held(t, h, newAsk("back"), says("alice", "o1"), "n3")
	must[*hub.Ticket](t)(h.Undo(ctx, back, person("alice")))
	h.Stop()
	c.add(time.Minute)
	w := watch(t, store, hub.Query{})
	s.open(t, store, c.use, frequentSweeps) // looks at nothing by itself but what is due
	eventually(t, "what was held is released", func() bool {
		records, _ := w.seen()
		n := map[string]int{}
		for _, r := range records {
			if r.Closed {
				n[r.Address.ID]++
			}
		}
		if n["passes"] > 1 || n["due"] > 1 || n["back"] > 0 {
			t.Fatalf("releases: %v", n)
		}
		return n["passes"] == 1 && n["due"] == 1
	})
	next := s.open(t, store, c.use)
	wantChoice(t, must[*hub.Ticket](t)(next.Get(ctx, passes.Address)), says("alice", "o1"))
	wantChoice(t, must[*hub.Ticket](t)(next.Get(ctx, due.Address)), says("alice", "o2"))
	if got := must[*hub.Ticket](t)(next.Get(ctx, back.Address)); !got.Open() {
		t.Errorf("what was taken back counts: %s", choice(got.Outcome))
	}
}

// testHoldRaces has an undo meet the release: either it is taken back, and never counts,
// or it counts, and the undo says so.
func (s *suite) testHoldRaces(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use), s.open(t, s.peer(t, store), c.use)
	outcomes := map[string]int{}
	for i := range s.Races {
		open, first := held(t, h, newAsk(fmt.Sprint("a", i)), says("alice", "o1"), "n1")
		c.add(10 * time.Second)
		var undone *hub.Ticket
		var undo, consume error
		var consumed *hub.Ticket
		var both sync.WaitGroup
		both.Go(func() { undone, undo = h.Undo(ctx, first, person("alice")) })
		both.Go(func() {
			if _, consume = other.Get(ctx, open.Address); consume == nil {
				consumed, consume = other.Consume(ctx, open)
			}
		})
		both.Wait()
		got := must[*hub.Ticket](t)(other.Get(ctx, open.Address))
		switch {
		case undo == nil && undone.Open() && errors.Is(consume, hub.ErrOpen):
			outcomes["taken back"]++
			if !got.Open() || got.Held != nil {
				t.Fatalf("what was taken back counts: %+v", got)
			}
		case errors.Is(undo, hub.ErrConsumed) && consume == nil:
			outcomes["counts"]++
			wantChoice(t, consumed, says("alice", "o1"))
			wantChoice(t, got, says("alice", "o1"))
		default:
			t.Fatalf("the undo is told %v, and the asker %v: %+v", undo, consume, got)
		}
	}
	t.Logf("%v", outcomes)
}

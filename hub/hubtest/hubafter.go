package hubtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// closed submits an ask and has somebody close it.
func (s *suite) closed(t *testing.T, h *hub.Hub, id string, o *sayso.Outcome) *hub.Ticket {
	t.Helper()
	ctx := within(t)
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk(id)))
	return must[*hub.Ticket](t)(h.Close(ctx, open, o, nil))
}

func (s *suite) testConsume(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("open")))
	_, err := h.Consume(ctx, open)
	wantErr(t, err, hub.ErrOpen)
	ticket := s.closed(t, h, "a", says("alice", "o1"))
	first := must[*hub.Ticket](t)(h.Consume(ctx, ticket))
	if first.Consumed.IsZero() || first.Replayed {
		t.Errorf("consumed: %+v", first)
	}
	for _, seen := range []*hub.Ticket{ticket, first, {Address: ticket.Address}} {
		again := must[*hub.Ticket](t)(other.Consume(ctx, seen))
		if !again.Consumed.Equal(first.Consumed) || !again.Replayed || again.Revision != first.Revision {
			t.Errorf("consumed again: %+v", again)
		}
		wantChoice(t, again, says("alice", "o1"))
	}
}

func (s *suite) testUndo(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	_, err := h.Undo(ctx, open, person("alice"))
	wantErr(t, err, hub.ErrOpen)
	ticket := must[*hub.Ticket](t)(h.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1"}))
	_, err = other.Undo(ctx, ticket, person("bob"))
	wantClosed(t, err, says("alice", "o1"))

	undone := must[*hub.Ticket](t)(other.Undo(ctx, ticket, person("alice")))
	if !undone.Open() || len(undone.History) != 1 || undone.History[0].Why != hub.Undone || choice(undone.History[0].Outcome) != choice(says("alice", "o1")) {
		t.Errorf("undone: %+v", undone)
	}
	again := must[*hub.Ticket](t)(h.Undo(ctx, ticket, person("alice")))
	if !again.Open() || !again.Replayed || len(again.History) != 1 {
		t.Errorf("undone again: %+v", again)
	}
	_, err = h.Consume(ctx, ticket)
	wantErr(t, err, hub.ErrOpen)
	// The click that was undone arrives once more.
	_, err = h.Close(ctx, open, says("alice", "o1"), &hub.CloseOptions{Nonce: "n1"})
	wantErr(t, err, hub.ErrUndone)

	done := waitFor(ctx, h, open.Address)
	eventually(t, "somebody waits", func() bool { return h.Attached(open.Address) })
	second := must[*hub.Ticket](t)(other.Close(ctx, open, says("bob", "o2"), nil))
	wantChoice(t, get(t, done), says("bob", "o2"))
	_, err = h.Undo(ctx, ticket, person("alice"))
	wantClosed(t, err, says("bob", "o2"))
	consumed := must[*hub.Ticket](t)(h.Consume(ctx, second))
	if len(consumed.History) != 1 {
		t.Errorf("the history is gone: %+v", consumed)
	}
	_, err = h.Undo(ctx, second, person("bob"))
	wantErr(t, err, hub.ErrConsumed)
}

func (s *suite) testAmend(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	_, err := h.Amend(ctx, open, says("alice", "o2"), nil)
	wantErr(t, err, hub.ErrOpen)
	ticket := must[*hub.Ticket](t)(h.Close(ctx, open, says("alice", "o1"), nil))
	must[*hub.Ticket](t)(h.Consume(ctx, ticket))
	_, err = h.Amend(ctx, ticket, says("bob", "o2"), nil)
	wantClosed(t, err, says("alice", "o1"))
	_, err = h.Amend(ctx, ticket, says("alice", "o9"), nil)
	wantErr(t, err, sayso.ErrUnknownOption)

	amended := must[*hub.Ticket](t)(other.Amend(ctx, ticket, says("alice", "o2"), nil))
	wantChoice(t, amended, says("alice", "o2"))
	if len(amended.History) != 1 || amended.History[0].Why != hub.Amended || !amended.Consumed.IsZero() || !amended.Changed() {
		t.Errorf("amended: %+v", amended)
	}
	again := must[*hub.Ticket](t)(h.Amend(ctx, ticket, says("alice", "o2"), nil))
	if !again.Replayed || len(again.History) != 1 {
		t.Errorf("amended again: %+v", again)
	}
	_, err = h.Undo(ctx, amended, person("alice"))
	wantErr(t, err, hub.ErrConsumed)
	wantChoice(t, must[*hub.Ticket](t)(h.Wait(ctx, open.Address)), says("alice", "o2"))
	s.settle(t, store)
	for _, option := range []string{"o1", "o2"} { // also what the store had put away
		must[*hub.Ticket](t)(other.Consume(ctx, open))
		s.settle(t, store)
		changed := must[*hub.Ticket](t)(h.Amend(ctx, open, says("alice", option), nil))
		if !changed.Replayed && !changed.Consumed.IsZero() {
			t.Errorf("amended to %s: %+v", option, changed)
		}
		late, _, err := hub.TakeLate(ctx, h.Asker(tenant, sayso.Responder{}), "c1", time.Now().Add(time.Minute))
		if option == "o1" && (err != nil || len(late) != 1 || choice(late[0].Outcome) != choice(says("alice", "o1"))) {
			t.Fatalf("the asker is told %v, %v", late, err)
		}
	}
}

// testKeep has a closed ticket forgotten, and an open one kept.
func (s *suite) testKeep(t *testing.T) {
	h, ctx := s.open(t, s.new(t), func(o *hub.Options) { o.Keep, o.KeepUnconsumed = time.Second, time.Second }), within(t)
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("open")))
	closed := s.closed(t, h, "closed", says("alice", "o1"))
	again := s.closed(t, h, "again", says("alice", "o1"))
	must[*hub.Ticket](t)(h.Undo(ctx, again, person("alice")))
	eventually(t, "the closed ticket is forgotten", func() bool {
		_, err := h.Get(ctx, closed.Address)
		return errors.Is(err, hub.ErrNotFound)
	})
	_, err := h.Wait(ctx, closed.Address)
	wantErr(t, err, hub.ErrNotFound)
	_, err = h.Close(ctx, closed, says("bob", "o1"), nil)
	wantErr(t, err, hub.ErrNotFound)
	if anew := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("closed"))); !anew.Open() || anew.Replayed {
		t.Errorf("asked anew: %+v", anew)
	}
	for _, ticket := range []*hub.Ticket{open, again} {
		if got := must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)); !got.Open() {
			t.Errorf("%s is %s", ticket.Address.ID, choice(got.Outcome))
		}
	}
}

// testLate answers what has been withdrawn.
func (s *suite) testLate(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	must[*hub.Ticket](t)(h.Close(ctx, open, withdrawn(), nil))

	late := func(n int, o *sayso.Outcome, nonce string) *hub.ClosedError {
		t.Helper()
		_, err := other.Close(ctx, open, o, &hub.CloseOptions{Nonce: nonce})
		closed := wantClosed(t, err, withdrawn())
		got := must[*hub.Ticket](t)(h.Get(ctx, open.Address))
		if len(got.History) != n {
			t.Fatalf("the history has %d entries, want %d", len(got.History), n)
		}
		wantChoice(t, got, withdrawn())
		return closed
	}
	if closed := late(1, says("alice", "o1"), "n1"); !closed.Late || closed.Ticket.History[0].Why != hub.Late || choice(closed.Ticket.History[0].Outcome) != choice(says("alice", "o1")) {
		t.Errorf("not kept as late: %+v", closed.Ticket)
	}
	late(1, says("alice", "o1"), "n1")
	late(1, &sayso.Outcome{Status: sayso.StatusDeclined, By: person("alice")}, "")
	for n := 2; n <= 8; n++ {
		late(n, says(fmt.Sprint("person ", n), "o1"), "")
	}
	if closed := late(8, says("one too many", "o1"), ""); closed.Late {
		t.Error("the refusal says that the answer was kept, and it was not")
	}
}

func (s *suite) testDrafts(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a", "alice", "bob")))
	_, err := h.Draft(ctx, ticket.Address, "alice")
	wantErr(t, err, hub.ErrNotFound)
	for i := range 3 {
		words := fmt.Sprint("perhaps ", i)
		draft := &hub.Draft{Answers: []sayso.Answer{{QuestionID: "q1", Other: words}, {QuestionID: "q9", Other: "?"}}, Reply: words}
		if err := h.SaveDraft(ctx, ticket.Address, "alice", draft); err != nil {
			t.Fatal(err)
		}
		got := must[*hub.Draft](t)(other.Draft(ctx, ticket.Address, "alice"))
		if len(got.Answers) != 1 || got.Answers[0].Other != words || got.Reply != words || got.SavedAt.IsZero() {
			t.Errorf("the draft is %+v", got)
		}
	}
	_, err = h.Draft(ctx, ticket.Address, "bob")
	wantErr(t, err, hub.ErrNotFound)
	wantErr(t, h.SaveDraft(ctx, ticket.Address, "carol", &hub.Draft{}), hub.ErrNotAllowed)
	wantErr(t, h.SaveDraft(ctx, hub.AddressOf(tenant, newAsk("none")), "alice", &hub.Draft{}), hub.ErrNotFound)
	if got := must[*hub.Ticket](t)(h.Get(ctx, ticket.Address)); got.Revision != ticket.Revision {
		t.Error("a draft changes the ticket")
	}
	// Somebody else answers; the words are still there to copy.
	must[*hub.Ticket](t)(h.Close(ctx, ticket, says("bob", "o1"), nil))
	if got, err := h.Draft(ctx, ticket.Address, "alice"); err != nil || got.Reply != "perhaps 2" {
		t.Errorf("after the close the draft is %+v, %v", got, err)
	}
}

// testDamage changes bytes of what is stored.
func (s *suite) testDamage(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h := s.open(t, store)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	whole := must[hub.Record](t)(store.Get(ctx, hub.KindTicket, ticket.Address))
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("b")))
	revision := whole.Revision
	damage := func(data []byte) {
		t.Helper()
		r := whole
		r.Data = data
		revision = must[uint64](t)(put(ctx, store, r, revision))
		var corrupt *hub.CorruptError
		if _, err := h.Get(ctx, r.Address); !errors.As(err, &corrupt) {
			t.Fatalf("damage goes unseen: %v in %q", err, data)
		}
		if _, err := h.Close(ctx, &hub.Ticket{Address: r.Address, Digest: ticket.Digest}, says("alice", "o1"), nil); !errors.As(err, &corrupt) {
			t.Fatalf("a damaged ask can be answered: %v", err)
		}
	}
	for at := 0; at < len(whole.Data); at += 37 {
		data := append([]byte(nil), whole.Data...)
		data[at] ^= 1
		damage(data)
	}
	damage(whole.Data[:len(whole.Data)/2])
	damage(nil)
	// In another's place, a whole record is damage too.
	other := must[hub.Record](t)(store.Get(ctx, hub.KindTicket, hub.AddressOf(tenant, newAsk("b"))))
	damage(other.Data)
	eventually(t, "the list tells of the damage", func() bool {
		page := must[*hub.Tickets](t)(h.List(ctx, tenant, nil))
		return len(page.Tickets) == 1 && len(page.Damaged) == 1
	})
	r := whole
	r.Closed = true // a whole record, filed wrongly
	revision = must[uint64](t)(put(ctx, store, r, revision))
	var corrupt *hub.CorruptError
	if _, err := h.Wait(ctx, r.Address); !errors.As(err, &corrupt) {
		t.Errorf("an open ask that is filed as closed: %v", err)
	}
	r = whole
	r.Data = []byte(`{"v":2,"sum":"?"}`)
	must[uint64](t)(put(ctx, store, r, revision))
	for name, read := range map[string]func(context.Context, hub.Address) (*hub.Ticket, error){"get": h.Get, "wait": h.Wait} {
		if _, err := read(ctx, r.Address); err == nil || errors.As(err, &corrupt) || ctx.Err() != nil {
			t.Errorf("%s: a record of a newer program: %v", name, err)
		}
	}
}

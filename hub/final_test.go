package hub_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// countingStore counts what is written, and calls before ahead of each try.
type countingStore struct {
	hub.Store
	puts   int
	before func()
}

func (s *countingStore) Put(ctx context.Context, r hub.Record, last uint64) (uint64, error) {
	if s.before != nil {
		s.before()
	}
	revision, err := s.Store.Put(ctx, r, last)
	if err == nil {
		s.puts++
	}
	return revision, err
}

// finalWorld is a hub with one ask, and somebody who may wait for it.
type finalWorld struct {
	*testing.T
	*hub.Hub
	store *countingStore
	ask   *sayso.Ask
	leave func()           // the waiter's
	got   chan *hub.Ticket // nil if the waiter left
}

func (w *finalWorld) submit() *hub.Ticket {
	w.Helper()
	t, err := w.Submit(w.Context(), "acme", w.ask)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

func (w *finalWorld) close(t *hub.Ticket, by sayso.ResponderKind, opts *hub.CloseOptions) *hub.Ticket {
	w.Helper()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}, By: sayso.Responder{Kind: by, ID: "ann"}}
	if by == sayso.ByAsker {
		o.Status, o.Answers = sayso.StatusCancelled, nil
	}
	closed, err := w.Close(w.Context(), t, o, opts)
	if err != nil {
		w.Fatal(err)
	}
	return closed
}

// final runs a test with the ask, and with somebody who waits for it or nobody.
func final(t *testing.T, isFinal, waits bool, test func(*finalWorld)) {
	synctest.Test(t, func(t *testing.T) {
		w := &finalWorld{T: t, store: &countingStore{Store: hub.NewMemory(nil)}, got: make(chan *hub.Ticket, 1), leave: func() {}}
		w.ask = &sayso.Ask{ID: "a", Final: isFinal, Origin: sayso.Origin{Conversation: "c"}, Questions: []sayso.Question{{Text: "Ship it?", Options: []sayso.Option{{Label: "Yes"}, {Label: "No"}}}}}
		w.ask.Normalize()
		var err error
		if w.Hub, err = hub.Open(t.Context(), w.store, nil); err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		if waits {
			ctx, leave := context.WithCancel(t.Context())
			w.leave = leave
			go func() {
				defer close(w.got)
				if got, err := w.Hub.Ask(ctx, "acme", w.ask); err == nil {
					w.got <- got
				}
			}()
			synctest.Wait()
		}
		test(w)
		w.leave()
		<-w.got
	})
}

// TestFinal: while its asker waits, an answer that is final is stored as received:
// two writes with the ask. Otherwise it can be undone.
func TestFinal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		final, waits bool
		by           sayso.ResponderKind
		received     bool
	}{
		{"the asker waits", true, true, sayso.ByPerson, true},
		{"the asker waits, a program answers", true, true, sayso.ByProgram, true},
		{"nobody waits", true, false, sayso.ByPerson, false},
		{"the asker withdraws", true, true, sayso.ByAsker, false},
		{"it is not final", false, true, sayso.ByPerson, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			final(t, c.final, c.waits, func(w *finalWorld) {
				if !c.waits {
					close(w.got)
				}
				opts := &hub.CloseOptions{Nonce: "n"}
				closed := w.close(w.submit(), c.by, opts)
				if got := !closed.Consumed.IsZero(); got != c.received {
					t.Fatalf("stored as received: %t, want %t", got, c.received)
				}
				if again := w.close(closed, c.by, opts); !again.Replayed || again.Revision != closed.Revision {
					t.Errorf("the same close again is another one: %+v", again)
				}
				if !c.received {
					if _, err := w.Undo(t.Context(), closed, closed.Outcome.By); err != nil {
						t.Errorf("undoing: %v", err)
					}
					return
				}
				if got := <-w.got; got == nil || got.Consumed.IsZero() || got.Outcome.At != closed.Outcome.At {
					t.Errorf("the waiter got %+v", got)
				}
				if _, err := w.Undo(t.Context(), closed, closed.Outcome.By); !errors.Is(err, hub.ErrConsumed) {
					t.Errorf("undoing: %v", err)
				}
				if has, err := w.Consume(t.Context(), closed); err != nil || !has.Replayed {
					t.Errorf("consuming: %+v, %v", has, err)
				}
				if w.store.puts != 2 {
					t.Errorf("%d writes, want 2", w.store.puts)
				}
			})
		})
	}
}

// TestFinalLeft: the waiter leaves between the look and the write. The answer counts
// as received; the same ask and its handle return it, and it is not announced.
func TestFinalLeft(t *testing.T) {
	t.Parallel()
	final(t, true, true, func(w *finalWorld) {
		open := w.submit()
		w.store.before = func() {
			w.leave()
			synctest.Wait()
			if w.Attached(open.Address) {
				t.Error("somebody waits")
			}
		}
		if closed := w.close(open, sayso.ByPerson, nil); closed.Consumed.IsZero() {
			t.Error("not stored as received")
		}
		w.store.before = nil
		if got := <-w.got; got != nil {
			t.Errorf("who left got %+v", got)
		}
		if again := w.submit(); again.Open() || !again.Replayed || again.Outcome.Answers[0].Selected[0] != "o1" {
			t.Errorf("the same ask again: %+v", again)
		}
		o, err := w.Resolver("acme").Ask(t.Context(), w.ask)
		if err != nil || o.Status != sayso.StatusAnswered {
			t.Errorf("the same ask again: %+v, %v", o, err)
		}
		late, n, err := hub.TakeLate(t.Context(), w.Asker("acme", sayso.Responder{}), "c", time.Now().Add(time.Hour))
		if len(late) > 0 || n > 0 || err != nil {
			t.Errorf("late: %v, %d, %v", late, n, err)
		}
	})
}

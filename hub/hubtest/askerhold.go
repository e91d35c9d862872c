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

// askerSeesNothingHeld has the person answer, take it back, and answer again, each time
// for later. The asker sees nothing of it before it counts.
func askerSeesNothingHeld(t *testing.T, p Party) {
	ctx := within(t)
	desk := p.Person.(hub.Desk)
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("one")))
	watching, stop := context.WithCancel(ctx)
	seen := make(chan *hub.Ticket, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- p.Asker.Watch(watching, nil, func(c hub.Change) {
			if c.Ticket != nil {
				seen <- c.Ticket
			}
		})
	}()
	<-seen
	unseen := func(what string, got *hub.Ticket) {
		t.Helper()
		if !got.Open() || got.Held != nil || got.Nonce != "" || len(got.Passed) > 0 {
			t.Errorf("%s: the asker sees %+v", what, got)
		}
	}
	held := must[*hub.Ticket](t)(desk.Hold(ctx, ticket, says("ann", "o1"), 30*time.Second))
	if held.Held == nil || !held.Open() || choice(held.Held.Outcome) != choice(says("ann", "o1")) || time.Until(held.Held.Until) < 20*time.Second {
		t.Fatalf("held: %+v", held)
	}
	unseen("held", must[*hub.Ticket](t)(p.Asker.Get(ctx, ticket.Handle)))
	for _, one := range must[*hub.Tickets](t)(p.Asker.List(ctx, nil)).Tickets {
		unseen("listed", one)
	}
	if _, err := p.Asker.Consume(ctx, ticket.Handle); !errors.Is(err, hub.ErrOpen) {
		t.Errorf("consuming what is held: %v", err)
	}
	var closed *hub.ClosedError
	if _, err := desk.Close(ctx, ticket, says("ann", "o2")); !errors.As(err, &closed) || closed.Ticket.Held == nil || choice(closed.Ticket.Outcome) != choice(says("ann", "o1")) {
		t.Errorf("another answer meanwhile: %v", err)
	}
	undone := must[*hub.Ticket](t)(desk.Undo(ctx, held))
	if !undone.Open() || undone.Held != nil || len(undone.History) != 1 {
		t.Errorf("undone: %+v", undone)
	}
	must[*hub.Ticket](t)(desk.Hold(ctx, ticket, says("ann", "o2"), time.Second))
	has := must[*hub.Ticket](t)(hub.Await(ctx, p.Asker, ticket))
	if choice(has.Outcome) != choice(says("ann", "o2")) || has.Consumed.IsZero() {
		t.Errorf("has %+v", has)
	}
	stop()
	<-ended
	for len(seen) > 0 {
		if one := <-seen; one.Open() {
			unseen("watched", one)
		}
	}
	declined := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("declined")))
	must[*hub.Ticket](t)(desk.Hold(ctx, declined, &sayso.Outcome{Status: sayso.StatusDeclined, Reason: "no"}, time.Second))
	if got := must[*hub.Ticket](t)(p.Asker.Wait(ctx, declined.Handle)); got.Status() != sayso.StatusDeclined || got.Outcome.Reason != "no" {
		t.Errorf("declined: %+v", got.Outcome)
	}
	withdrawn := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("withdrawn")))
	must[*hub.Ticket](t)(desk.Hold(ctx, withdrawn, says("ann", "o1"), 30*time.Second))
	if got := must[*hub.Ticket](t)(p.Asker.Withdraw(ctx, withdrawn.Handle, sayso.StatusCancelled, "")); got.Status() != sayso.StatusCancelled || len(got.History) != 1 || got.History[0].Why != hub.Late {
		t.Errorf("withdrawn: %+v", got)
	}
	relayed := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("relayed")))
	must[*hub.Ticket](t)(desk.Hold(ctx, relayed, says("ann", "o1"), 30*time.Second))
	if got := must[*hub.Ticket](t)(p.Asker.Relay(ctx, relayed, says("", "o2"))); got.Outcome.By.Kind != sayso.ByProgram || len(got.History) != 1 || got.History[0].Why != hub.Late {
		t.Errorf("relayed: %+v", got)
	}
}

// askerIsToldOfChanges has the person change an answer that the asker has.
func askerIsToldOfChanges(t *testing.T, p Party) {
	ctx := within(t)
	desk := p.Person.(hub.Desk)
	a := newAsk("one")
	a.Origin.Conversation = "talk"
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a))
	if _, err := desk.Amend(ctx, ticket, says("ann", "o2")); !errors.Is(err, hub.ErrOpen) {
		t.Errorf("amending what is open: %v", err)
	}
	closed := must[*hub.Ticket](t)(desk.Close(ctx, ticket, says("ann", "o1")))
	must[*hub.Ticket](t)(p.Asker.Consume(ctx, ticket.Handle))
	amended := must[*hub.Ticket](t)(desk.Amend(ctx, closed, says("ann", "o2")))
	if choice(amended.Outcome) != choice(says("ann", "o2")) || !amended.Consumed.IsZero() || !amended.Changed() {
		t.Errorf("amended: %+v", amended)
	}
	later := amended.Outcome.At.Add(time.Minute)
	late, _, err := hub.TakeLate(ctx, p.Asker, "talk", later)
	if err != nil || len(late) != 1 || choice(late[0].Outcome) != choice(says("ann", "o2")) {
		t.Fatalf("%d late, %v", len(late), err)
	}
	if text := hub.LateText(late); !strings.HasPrefix(text, "The user has changed the answer to a question that you asked earlier. This one replaces it:\n\n") || !strings.Contains(text, "No") {
		t.Errorf("the model reads %q", text)
	}
	if late, _, err = hub.TakeLate(ctx, p.Asker, "talk", later); err != nil || len(late) != 0 {
		t.Errorf("it is told twice: %d, %v", len(late), err)
	}
}

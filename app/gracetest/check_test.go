package gracetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// delivered is what an agent came back with.
type delivered struct {
	outcome *sayso.Outcome
	err     error
	at      time.Time
}

// watched is what a stream of events told of an ask.
type watched struct {
	strike func(step string)

	mu       sync.Mutex
	revision uint64
	closed   int // times that it was closed after it had been open
	open     bool
	timed    bool
}

// see notes a revision, and begins the steps that it stands for.
func (w *watched) see(ctx context.Context, work *sync.WaitGroup, t *hub.Ticket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Revision <= w.revision {
		return
	}
	w.revision = t.Revision
	if w.open && !t.Open() {
		w.closed++
	}
	w.open = t.Open()
	switch {
	case t.Held != nil && !w.timed:
		w.timed = true
		work.Go(func() {
			sleep(ctx, time.Until(t.Held.Until)-50*time.Millisecond)
			w.strike("release")
		})
	case !t.Open() && t.Consumed.IsZero():
		w.strike("deliver")
	case !t.Open():
		w.strike("deliver")
		w.strike("consume")
	}
}

// check compares what the agent got with what the person was told last.
func (l *lane) check(ctx context.Context, id, want string, last heard, d delivered, w *watched) error {
	choice := ""
	if len(d.outcome.Answers) == 1 && len(d.outcome.Answers[0].Selected) == 1 {
		choice = d.outcome.Answers[0].Selected[0]
	}
	switch {
	case d.outcome.Status != sayso.StatusAnswered:
		return fmt.Errorf("lost: the agent is told that the question was %s", d.outcome.Status)
	case choice == "o1" && want == "o2":
		return fmt.Errorf("delivered after it was cancelled: the agent has %s", choice)
	case choice != want:
		return fmt.Errorf("lost: the agent has %q, and the person said %s", choice, want)
	case last.What == "held" && (d.outcome.At.Before(last.Until) || d.at.Before(last.Until)):
		return fmt.Errorf("delivered at %v, before %v", d.outcome.At, last.Until)
	}
	t, err := find(ctx, l.client, id)
	if err != nil {
		return err
	}
	undone := 0
	for _, e := range t.History {
		switch {
		case e.Why != hub.Undone:
			return fmt.Errorf("the history has %s: %+v", e.Why, e.Outcome)
		case e.Outcome.Answers[0].Selected[0] == want:
			return fmt.Errorf("the answer that counts was taken back: %+v", t.History)
		}
		undone++
	}
	switch {
	case t.Open() || t.Held != nil || t.Consumed.IsZero() || t.Outcome.Answers[0].Selected[0] != want:
		return fmt.Errorf("in the end the ask is %+v", t)
	case want == "o2" && undone != 1, want == "o1" && undone != 0:
		return fmt.Errorf("%d answers were taken back: %+v", undone, t.History)
	case w.closed > 1+undone:
		return fmt.Errorf("repeated: it was closed %d times", w.closed)
	}
	late, _, err := hub.TakeLate(ctx, l.client, t.Address.Conversation, time.Now().Add(time.Hour))
	for _, other := range late {
		if other.Ask.ID == id {
			return fmt.Errorf("repeated: it is handed on as late, too")
		}
	}
	return err
}

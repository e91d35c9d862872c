package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// request is one that is open.
type request struct {
	*Request
	bridge *Bridge
	ctx    context.Context // ends when the agent no longer waits
	stop   context.CancelCauseFunc

	mu     sync.Mutex
	handed bool           // the agent is being told
	there  bool           // its own dialog has the answer
	said   *sayso.Outcome // what was said there, if it is known
	gone   string         // why it no longer waits
}

// settle notes what the agent's own dialog has, unless the agent is being told.
func (q *request) settle(said *sayso.Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.handed || q.there {
		return
	}
	q.there, q.said = true, said
	q.stop(errThere)
}

func (q *request) drop(why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.handed || q.there {
		return
	}
	q.gone = why
	q.stop(errors.New(why))
}

// hand reports whether the agent may be told now.
func (q *request) hand() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.there || q.ctx.Err() != nil {
		return false
	}
	q.handed = true
	return true
}

// run asks the hub and tells the agent. An error says why the agent is told nothing.
func (q *request) run() error {
	t, err := q.submit()
	if err == nil {
		var has *hub.Ticket
		if has, err = hub.Await(q.ctx, q.bridge.hub, t); err == nil {
			return q.tell(has)
		}
	}
	if t == nil || q.ctx.Err() == nil {
		return err
	}
	return q.over(t)
}

// submit stores the ask, and waits for a hub that is away. A decision that was used is
// not used again: the same call that asks again is a new ask.
func (q *request) submit() (*hub.Ticket, error) {
	a := q.Ask
	for {
		// Not with the request's context, nor with the bridge's: at its end it would not be
		// known whether the ask is stored.
		t, err := q.bridge.hub.Submit(q.bridge.storing, a)
		switch {
		case away(err):
			select {
			case <-q.ctx.Done():
				return nil, context.Cause(q.ctx)
			case <-time.After(time.Second):
			}
		case err != nil:
			return nil, fmt.Errorf("storing the ask: %w", err)
		case t.Open() || t.Consumed.IsZero() && q.counts(t):
			return t, nil
		case q.Again != nil && !q.Again(q.ctx):
			return nil, errHanded
		default:
			again := *a
			again.ID = "ask_" + strings.ToLower(rand.Text()) // without one, the hub would name it by its call
			a = &again
		}
	}
}

// counts reports whether the outcome of a ticket says something that the agent is told.
func (q *request) counts(t *hub.Ticket) bool {
	o := t.Outcome
	switch {
	case o.By.Surface == q.bridge.opts.Host:
		return false // the agent knows it
	case q.Ask.Approval != nil:
		return q.Ask.Verdict(o) != nil
	case o.Status == sayso.StatusAnswered || o.Status == sayso.StatusUnanswered:
		return true
	}
	return o.By.Kind.Human() && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled)
}

// tell hands an outcome to the agent, which the hub was told of.
func (q *request) tell(t *hub.Ticket) error {
	if !q.counts(t) {
		return fmt.Errorf("it was closed as %s", t.Outcome.Status)
	}
	told := &Told{Ask: t.Ask, Outcome: t.Outcome}
	if q.Ask.Approval != nil {
		told.Verdict = t.Ask.Verdict(t.Outcome)
		if told.Verdict.Allowed() && q.changed(t) {
			told.Verdict, told.Changed = nil, true
		}
	}
	if !q.hand() {
		q.owe(t)
		return q.over(t)
	}
	err := q.Reply(q.ctx, told)
	switch {
	case errors.Is(err, ErrSettled):
		return nil // the agent goes by what its own dialog said
	case err != nil:
		q.owe(t)
		return fmt.Errorf("telling the agent: %w", err)
	}
	return nil
}

// changed reports whether something else would run now than what the ticket shows.
func (q *request) changed(t *hub.Ticket) bool {
	if q.Now == nil {
		return false
	}
	now, err := q.Now()
	return err != nil || now.Digest() != t.Digest
}

// owe keeps an answer that the hub was told is handed over, for the next prompt of the
// session. A decision is never late.
func (q *request) owe(t *hub.Ticket) {
	q.mu.Lock()
	there := q.there
	q.mu.Unlock()
	if q.Ask.Approval != nil || there {
		return
	}
	b := q.bridge
	b.mu.Lock()
	defer b.mu.Unlock()
	session := q.Ask.Origin.Conversation
	b.owed[session] = append(b.owed[session], t)
}

// over closes an ask for which the agent no longer waits.
func (q *request) over(t *hub.Ticket) error {
	q.mu.Lock()
	there, said, gone := q.there, q.said, q.gone
	q.mu.Unlock()
	b := q.bridge
	switch {
	case there && said != nil:
		o := *said
		o.By.Surface = b.opts.Host
		return b.untilTaken(func(ctx context.Context) error {
			_, err := b.hub.Relay(ctx, t, &o)
			var closed *hub.ClosedError
			if err != nil && !errors.As(err, &closed) {
				return err
			}
			_, err = b.hub.Consume(ctx, t.Handle)
			return err
		}, t)
	case there:
		return b.untilTaken(func(ctx context.Context) error {
			_, err := b.hub.Withdraw(ctx, t.Handle, sayso.StatusSuperseded, errThere.Error())
			return err
		}, t)
	case gone != "":
		return b.withdraw(t, sayso.StatusCancelled, gone)
	case q.Ask.Approval != nil:
		return b.withdraw(t, sayso.StatusCancelled, "the agent has gone, or cannot be reached any more")
	}
	return context.Cause(q.ctx) // a question stays open
}

// untilTaken tells the hub what the agent's own dialog has, also if the hub is away for
// a while. An ask that does not take such an answer is withdrawn.
func (b *Bridge) untilTaken(tell func(context.Context) error, t *hub.Ticket) error {
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.life), brief)
		err := tell(ctx)
		cancel()
		var closed *hub.ClosedError
		switch {
		case err == nil, errors.As(err, &closed):
			return nil
		case away(err) || errors.Is(err, context.DeadlineExceeded):
		default:
			return b.withdraw(t, sayso.StatusSuperseded, errThere.Error())
		}
		select {
		case <-b.life.Done():
			return err
		case <-time.After(time.Second):
		}
	}
}

// away reports whether the hub may be there again later.
func away(err error) bool {
	return errors.Is(err, sayso.ErrUnreachable) && !errors.Is(err, hub.ErrBroken)
}

package client

import (
	"context"
	"errors"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Ask gets the ask answered through the hub: it stores it, waits for as long as
// ctx lasts, and tells the hub that it has the outcome. If the hub cannot be
// reached to begin with, the error wraps [sayso.ErrUnreachable].
func (c *Client) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	a = named(a)
	t, err := c.submit(ctx, a, false)
	if err != nil {
		if winner := lostTo(ctx); winner != nil { // the hub may have it all the same
			err = errors.Join(err, c.fold(ctx, &Ticket{Ticket: hub.Ticket{Ask: a}}, winner))
		}
		return nil, err
	}
	out, err := c.Await(ctx, t)
	if err != nil {
		return nil, err
	}
	return out.Outcome, nil
}

// Await is the second half of Ask: it waits for the ask of the ticket, tells the
// hub that the asker has the outcome, and returns the ticket with it. A hub that
// lost the ask, because it kept it in memory say, is asked again.
func (c *Client) Await(ctx context.Context, t *Ticket) (*Ticket, error) {
	last, err := c.await(ctx, t)
	if err == nil {
		return last, nil
	}
	if winner := lostTo(ctx); winner != nil {
		err = errors.Join(err, c.fold(ctx, last, winner))
	}
	return nil, err
}

// lostTo returns the outcome of the resolver that was faster, if ctx has ended
// because of one.
func lostTo(ctx context.Context) *sayso.Outcome {
	var lost *sayso.SupersededError
	if ctx.Err() == nil || !errors.As(context.Cause(ctx), &lost) {
		return nil
	}
	return lost.Winner
}

// await returns the ticket it came to know last in any case.
func (c *Client) await(ctx context.Context, t *Ticket) (*Ticket, error) {
	lost := 0 // how often in a row
	for {
		closed, err := t, error(nil)
		if t.Open() {
			closed, err = c.Wait(ctx, t.ID)
		}
		if err == nil {
			var has *Ticket
			if has, err = c.consume(ctx, t.ID, true); err == nil {
				return has, nil
			}
		}
		switch {
		case errors.Is(err, hub.ErrOpen): // undone just now
			open := *t
			open.Outcome = nil
			t, lost = &open, 0
		case errors.Is(err, hub.ErrNotFound) && lost < 3:
			if lost++; closed != nil && !closed.Open() {
				return closed, nil // the outcome is ours, and nobody is left to undo it
			}
			again, err := c.submit(ctx, t.Ask, true)
			if err != nil {
				return t, err
			}
			t = again
		default:
			return t, err
		}
	}
}

// fold closes an ask that was answered elsewhere, so that every surface of the
// hub folds. With the key of an asker it can only be withdrawn, as such a key
// never answers; the same goes for an answer that no person gave.
func (c *Client) fold(ctx context.Context, t *Ticket, winner *sayso.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if t.ID == "" {
		var err error
		if t, err = c.submit(ctx, t.Ask, false); err != nil {
			return err
		}
	}
	if winner.By.Kind == sayso.ByPerson {
		if _, err := c.answer(ctx, t, winner, winner.By.Surface); err == nil {
			_, err = c.consume(ctx, t.ID, false)
			return err
		}
	}
	_, err := c.Withdraw(ctx, t.ID, "answered elsewhere")
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return nil
	}
	return err
}

package client

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Ask gets the ask answered through the hub: it stores it, waits for as long as
// ctx lasts, and tells the hub that it has the outcome. If somebody answers within
// Poll, that is one request. If the hub cannot be reached to begin with, the error
// wraps [sayso.ErrUnreachable].
func (c *Client) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	a = named(a)
	t, err := c.Try(ctx, a, c.opts.Poll)
	if err != nil {
		var lost *sayso.SupersededError
		if ctx.Err() != nil && errors.As(context.Cause(ctx), &lost) { // the hub may have it all the same
			err = errors.Join(err, hub.Settle(ctx, c, &hub.Ticket{Ask: a}, lost.Winner))
		}
		return nil, err
	}
	if t.Open() {
		if t, err = c.Await(ctx, t); err != nil {
			return nil, err
		}
	}
	return t.Outcome, nil
}

// Await is the second half of Ask: see [hub.Await].
func (c *Client) Await(ctx context.Context, t *hub.Ticket) (*hub.Ticket, error) {
	return hub.Await(ctx, c, t)
}

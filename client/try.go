package client

import (
	"context"

	"github.com/saysohq/sayso"
)

var _ sayso.Trier = (*Client)(nil)

// TryAsk is [Client.Try] without a wait, for [sayso.Try]. The handle is that of the
// ticket.
func (c *Client) TryAsk(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, string, error) {
	t, err := c.Try(ctx, a, 0)
	if err != nil {
		return nil, "", err
	}
	return t.OutcomeOrPending(), t.Handle, nil
}

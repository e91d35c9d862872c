package agent

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// ClientAsks are the asks of a hub elsewhere, over HTTP, with a key that may ask.
func ClientAsks(c *client.Client) Asks { return &clientAsks{c} }

type clientAsks struct {
	client *client.Client
}

func (c *clientAsks) Put(ctx context.Context, a *sayso.Ask) (bool, error) {
	t, err := c.client.Submit(ctx, a)
	return err == nil && !t.Open(), err
}

func (c *clientAsks) Take(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	t, err := c.client.Submit(ctx, a) // which tells by what name the API knows it
	if err != nil || t.Open() {
		return nil, err
	}
	t, err = c.client.Consume(ctx, t.ID)
	if errors.Is(err, hub.ErrOpen) { // undone just now
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.Outcome, nil
}

// Withdraw closes the ask as cancelled, whatever the outcome says: askers can take
// back over HTTP and no more.
func (c *clientAsks) Withdraw(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) error {
	f := &hub.Filter{Conversation: a.Origin.Conversation}
	for {
		page, err := c.client.List(ctx, f)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			if t.Ask.ID != a.ID {
				continue
			}
			_, err := c.client.Withdraw(ctx, t.ID, o.Reason)
			var closed *hub.ClosedError
			if errors.As(err, &closed) {
				return nil
			}
			return err
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil // it is not open
		}
	}
}

func (c *clientAsks) Watch(ctx context.Context, fn func(conversation, ask string)) error {
	return watchAsks(ctx, fn, func(ctx context.Context, change func(t *hub.Ticket, reset bool)) error {
		return c.client.Watch(ctx, nil, func(c client.Change) {
			if c.Ticket != nil {
				change(&c.Ticket.Ticket, false)
			} else {
				change(nil, c.Reset || c.Ready)
			}
		})
	}, func(ctx context.Context, f *hub.Filter) ([]*hub.Ticket, string, error) {
		page, err := c.client.List(ctx, f)
		if err != nil {
			return nil, "", err
		}
		tickets := make([]*hub.Ticket, len(page.Tickets))
		for i, t := range page.Tickets {
			tickets[i] = &t.Ticket
		}
		return tickets, page.Next, nil
	})
}

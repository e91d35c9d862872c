package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// ClientAsks are the asks at a hub of another process, as whom the client's key
// says.
func ClientAsks(c *client.Client) Asks { return &clientAsks{client: c, named: map[string]string{}} }

type clientAsks struct {
	client *client.Client

	mu    sync.Mutex
	named map[string]string // what the hub calls an ask that is open, by its id
}

func (c *clientAsks) name(t *client.Ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Open() {
		c.named[t.Ask.ID] = t.ID
	} else {
		delete(c.named, t.Ask.ID)
	}
}

func (c *clientAsks) Put(ctx context.Context, a *sayso.Ask) (bool, error) {
	t, err := c.client.Submit(ctx, a)
	if err != nil {
		return false, err
	}
	c.name(t)
	return !t.Open(), nil
}

// Take submits the ask again, which is how a hub over HTTP is asked for one by its
// own id.
func (c *clientAsks) Take(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	t, err := c.client.Submit(ctx, a)
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

func (c *clientAsks) Withdraw(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) error {
	id, err := c.find(ctx, a)
	if err != nil || id == "" {
		return err
	}
	_, err = c.client.Withdraw(ctx, id, o.Reason)
	var closed *hub.ClosedError
	if errors.As(err, &closed) { // somebody was faster, and it does not matter
		return nil
	}
	return err
}

// find returns what the hub calls an open ask, "" if it is not open.
func (c *clientAsks) find(ctx context.Context, a *sayso.Ask) (string, error) {
	c.mu.Lock()
	id := c.named[a.ID]
	c.mu.Unlock()
	if id != "" {
		return id, nil
	}
	err := c.each(ctx, &hub.Filter{Conversation: a.Origin.Conversation}, func(t *client.Ticket) {
		if t.Ask.ID == a.ID {
			id = t.ID
		}
	})
	return id, err
}

func (c *clientAsks) each(ctx context.Context, f *hub.Filter, fn func(*client.Ticket)) error {
	f.Limit = 1000
	for {
		page, err := c.client.List(ctx, f)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			fn(t)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
	}
}

func (c *clientAsks) Watch(ctx context.Context, fn func(conversation, ask string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	list := make(chan struct{}, 1)
	wg.Go(func() { // a stream tells only what is open when it begins
		for {
			select {
			case <-ctx.Done():
				return
			case <-list:
			}
			if err := c.each(ctx, &hub.Filter{Status: hub.AnyStatus}, func(t *client.Ticket) { tell(&t.Ticket, fn) }); err != nil {
				cancel(err)
				return
			}
		}
	})
	err := c.client.Watch(ctx, nil, func(ch client.Change) {
		switch {
		case ch.Ticket != nil:
			c.name(ch.Ticket)
			tell(&ch.Ticket.Ticket, fn)
		case ch.Ready:
			select {
			case list <- struct{}{}:
			default:
			}
		}
	})
	return errors.Join(err, context.Cause(ctx))
}

package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// longestForm is how long a form over HTTP may stay open: there nobody tells that
// the client has gone.
const longestForm = 24 * time.Hour

// because is a context whose error says why it ended. The SDK tells it to a client
// whose form is called back.
type because struct{ context.Context }

func (c because) Err() error { return context.Cause(c.Context) }

// showForm sends the form while the call waits, and races it with the hub: the
// form is called back when the ask is closed elsewhere.
func (c *call) showForm(ctx context.Context, t *hub.Ticket) (*sdk.CallToolResult, error) {
	timed, stopTimer := context.WithTimeout(ctx, longestForm)
	defer stopTimer()
	until, cancel := context.WithCancelCause(timed)
	stop := c.signs(until, c.waiting())
	elsewhere := make(chan *hub.Ticket, 1)
	go func() {
		defer close(elsewhere)
		if closed := c.closed(until, t.Handle); closed != nil {
			elsewhere <- closed
			cancel(errors.New(sayso.RenderClosed(closed.Ask, closed.Outcome)))
		}
	}()
	o := c.sendForms(because{until}, t)
	cancel(nil)
	closed := <-elsewhere
	stop()
	switch {
	case ctx.Err() != nil:
		c.owed.add(t)
		return nil, context.Cause(ctx)
	case closed != nil:
		return c.tell(ctx, closed, "")
	case o != nil:
		return c.give(ctx, t, o)
	}
	return c.hold(ctx, t, c.limit()) // nobody saw the form
}

// sendForms sends forms until one comes back that can be read. It returns nil if
// nobody saw them, or they were called back.
func (c *call) sendForms(ctx context.Context, t *hub.Ticket) *sayso.Outcome {
	var at turn
	for range maxRounds {
		form := c.formFor(t, at)
		if form == nil {
			break
		}
		sent := c.d.now()
		got, err := c.r.Session.Elicit(ctx, form)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, sdk.ErrConnectionClosed):
			<-ctx.Done() // which follows at once
			return nil
		case err != nil && c.d.now().Sub(sent) < time.Second: // a program does not know what to do with it
			c.unseen = true
			return nil
		case err != nil:
			at.wrong = "This did not fit the questions."
			continue
		}
		o, next := c.read(t, at, form, got, c.d.now().Sub(sent))
		if next == nil {
			return o
		}
		at = *next
	}
	c.unseen = true
	return nil
}

// give closes the ask with what came back in the form, as the client's reply. The
// model is told what the hub has: if somebody was faster elsewhere, that; while the
// hub cannot be reached, nothing yet; and if the ask does not take such a reply,
// nothing before somebody else has answered.
func (c *call) give(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*sdk.CallToolResult, error) {
	got, err := c.relay(ctx, t, o)
	var closed *hub.ClosedError
	switch {
	case err == nil:
		return c.tell(ctx, got, "")
	case errors.As(err, &closed):
		return c.tell(ctx, closed.Ticket, "")
	case ctx.Err() != nil:
		c.owed.add(t)
		return nil, context.Cause(ctx)
	}
	c.unseen = true // such an answer does not do here
	return c.hold(ctx, t, c.limit())
}

// surface names the program whose form it was. What it calls itself is only its own
// word, so that it cannot pass for a surface of ours.
func (c *call) surface() string {
	if c.client == "" {
		return "mcp"
	}
	return "mcp (" + c.client + ")"
}

// relay hands the reply on for as long as it takes: the person has given it, and
// need not give it again.
func (c *call) relay(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (got *hub.Ticket, err error) {
	own := *o
	own.By.Surface = c.surface()
	defer c.ticking(ctx, "the answer is kept until the hub has it")()
	err = patiently(ctx, func() error { got, err = c.hub.Relay(ctx, t, &own); return err })
	return got, err
}

// get returns the ticket that a reply is for, for as long as it takes.
func (c *call) get(ctx context.Context, handle string) (t *hub.Ticket, err error) {
	defer c.ticking(ctx, "the answer is kept until the hub has it")()
	err = patiently(ctx, func() error { t, err = c.hub.Get(ctx, handle); return err })
	return t, err
}

// closed returns the ticket once it is closed; nil: it is not.
func (c *call) closed(ctx context.Context, handle string) *hub.Ticket {
	var t *hub.Ticket
	if patiently(ctx, func() (err error) { t, err = c.hub.Wait(ctx, handle); return err }) != nil {
		return nil
	}
	return t
}

// patiently does something again while the hub cannot be reached.
func patiently(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, sayso.ErrUnreachable) || errors.Is(err, hub.ErrBroken) {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/saysohq/sayso/hub"
)

// limit is how long this call may wait.
func (c *call) limit() time.Duration {
	if c.d.opts.Hold > 0 {
		return c.d.opts.Hold
	}
	return holdFor(c.client, c.r.Params.GetProgressToken() != nil, c.http)
}

// hold waits for the outcome of an ask for at most so long, and then leaves it
// for later.
func (c *call) hold(ctx context.Context, t *hub.Ticket, limit time.Duration) (*sdk.CallToolResult, error) {
	until, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := c.signs(until, c.waiting())
	closed, err := hub.Await(until, c.hub, t)
	stop()
	switch {
	case err == nil:
		return c.tell(ctx, closed, "")
	case ctx.Err() != nil: // the client is gone, or no longer wants to know
		c.owed.add(t)
		return nil, context.Cause(ctx)
	case until.Err() != nil:
		return c.pending(t)
	}
	c.owed.add(t)
	return c.failed(ctx, t.Ask, err)
}

// waiting says what a call waits for.
func (c *call) waiting() string {
	if c.unseen {
		return "this question cannot be shown here; answer it in the inbox: sayso inbox"
	}
	return "waiting for the person to answer"
}

// signs gives a sign of life at once and then every so often, until stop is
// called.
func (c *call) signs(ctx context.Context, message string) (stop func()) {
	if c.sign(ctx, message) != nil {
		return func() {}
	}
	return c.ticking(ctx, message)
}

// ticking gives a sign of life every so often, until stop is called.
func (c *call) ticking(ctx context.Context, message string) (stop func()) {
	if c.token() == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(signEvery)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				if c.sign(ctx, message) != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// token is where the client wants signs; nil: it wants none.
func (c *call) token() any {
	if c.r == nil {
		return nil
	}
	return c.r.Params.GetProgressToken()
}

// sign tells the client something that it may show the person, if it wants signs.
func (c *call) sign(ctx context.Context, message string) error {
	if c.token() == nil {
		return nil
	}
	c.signed++
	return c.r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: c.token(), Progress: c.signed, Message: message})
}

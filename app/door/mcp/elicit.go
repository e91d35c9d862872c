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

// formFor returns what the client can show the person: a form, the address of the
// question in the web inbox, or nothing.
func (c *call) formFor(t *hub.Ticket, wrong string) *sdk.ElicitParams {
	if showsForms(c.can) {
		return newForm(t.Ask, c.version, wrong)
	}
	if !opensPages(c.can) || c.d.opts.Inbox == nil {
		return nil
	}
	base := c.d.opts.Inbox()
	if base == "" {
		return nil
	}
	p := &sdk.ElicitParams{Mode: "url", Message: "Answer in the inbox: " + sayso.Title(t.Ask), URL: base + "/ask/" + t.Handle}
	if c.version < modern {
		p.ElicitationID = t.Handle
	}
	return p
}

// showForm sends the form while the call waits, and races it with the hub: the
// form is called back when the ask is closed elsewhere.
func (c *call) showForm(ctx context.Context, t *hub.Ticket) (*sdk.CallToolResult, error) {
	until, cancel := context.WithTimeout(ctx, longestForm)
	stop := c.signs(until)
	elsewhere := make(chan *hub.Ticket, 1)
	go func() {
		defer close(elsewhere)
		if closed, err := c.hub.Wait(until, t.Handle); err == nil {
			elsewhere <- closed
			cancel()
		}
	}()
	o := c.sendForms(until, t)
	cancel()
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
	wrong := ""
	for range maxRounds {
		params := c.formFor(t, wrong)
		if params == nil {
			break
		}
		sent := c.d.now()
		got, err := c.r.Session.Elicit(ctx, params)
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
			wrong = "This did not fit the questions."
			continue
		}
		var o *sayso.Outcome
		if o, wrong = c.read(t.Ask, got, c.d.now().Sub(sent)); o != nil || wrong == "" {
			return o
		}
	}
	c.unseen = true
	return nil
}

// give closes the ask with what came back in the form, as the client's reply. The
// model is told what the hub has: if somebody was faster elsewhere, that; while the
// hub cannot be reached, nothing yet; and if the ask does not take such a reply,
// nothing before somebody else has answered.
func (c *call) give(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*sdk.CallToolResult, error) {
	own := *o
	own.By.Surface = c.surface()
	got, err := c.relay(ctx, t, &own)
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
func (c *call) relay(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	for {
		got, err := c.hub.Relay(ctx, t, o)
		if !errors.Is(err, sayso.ErrUnreachable) || errors.Is(err, hub.ErrBroken) {
			return got, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

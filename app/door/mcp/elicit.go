package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// longestForm is how long a form over HTTP may stay open: there nobody tells that
// the client has gone.
const longestForm = 24 * time.Hour

// formFor returns what the client can show the person: a form, the address of the
// question in the web inbox, or nothing.
func (c *call) formFor(t *client.Ticket, wrong string) *sdk.ElicitParams {
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
	p := &sdk.ElicitParams{Mode: "url", Message: "Answer in the inbox: " + sayso.Title(t.Ask), URL: base + "/ask/" + t.ID}
	if c.version < modern {
		p.ElicitationID = t.ID
	}
	return p
}

// showForm sends the form while the call waits, and races it with the hub: the
// form is called back when the ask is closed elsewhere.
func (c *call) showForm(ctx context.Context, t *client.Ticket) (*sdk.CallToolResult, error) {
	until, cancel := context.WithTimeout(ctx, longestForm)
	stop := c.signs(until)
	elsewhere := make(chan *client.Ticket, 1)
	go func() {
		defer close(elsewhere)
		if closed, err := c.hub.Wait(until, t.ID); err == nil {
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
func (c *call) sendForms(ctx context.Context, t *client.Ticket) *sayso.Outcome {
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

// give closes the ask with what the person said in the client. If somebody was
// faster elsewhere, that is what counts.
func (c *call) give(ctx context.Context, t *client.Ticket, o *sayso.Outcome) (*sdk.CallToolResult, error) {
	got, err := c.hub.Answer(ctx, t, o)
	if errors.Is(err, hub.ErrNotAllowed) {
		// The key of an asker never answers. What its own client says is the
		// asker's to know, and the hub is told that nobody else needs to answer.
		if _, err = c.hub.Withdraw(ctx, t.ID, "answered in the agent's own program"); err == nil {
			return c.tellOwn(ctx, t, o)
		}
	}
	var closed *hub.ClosedError
	switch {
	case err == nil:
		return c.tell(ctx, got, "")
	case errors.As(err, &closed):
		return c.tell(ctx, &client.Ticket{ID: t.ID, Ticket: *closed.Ticket}, "")
	case ctx.Err() != nil:
		c.owed.add(t)
		return nil, context.Cause(ctx)
	case errors.Is(err, sayso.ErrUnreachable):
		c.owed.add(t) // whether the hub has it, the next call will tell
		return c.tellOwn(ctx, t, o)
	}
	c.unseen = true // such an answer does not do here
	return c.hold(ctx, t, c.limit())
}

// tellOwn words an outcome that the hub does not have.
func (c *call) tellOwn(ctx context.Context, t *client.Ticket, o *sayso.Outcome) (*sdk.CallToolResult, error) {
	own := *o
	own.By = sayso.Responder{Kind: sayso.ByPerson, Surface: "mcp"}
	has := *t
	has.Outcome, has.Consumed = &own, c.d.now()
	return c.tell(ctx, &has, "")
}

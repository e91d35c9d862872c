package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// newID names a conversation.
func newID() string { return strings.ToLower(rand.Text()[:12]) }

// last returns the conversation that is meant: the one that is named, or the one
// that changed last; "" if there is none.
func (p *program) last(ctx context.Context, d *desk) (string, error) {
	if p.conversation != "" {
		return p.conversation, nil
	}
	var newest agent.Summary
	err := d.List(ctx, func(s agent.Summary) bool {
		if s.Changed.After(newest.Changed) {
			newest = s
		}
		return true
	})
	return newest.ID, err
}

// send says something to a conversation.
func (d *desk) send(ctx context.Context, id, text string) error {
	return d.sendAs(ctx, id, newID(), text)
}

// sendAs is send for a message with an id. A long conversation is summarised
// first, if it can be.
func (d *desk) sendAs(ctx context.Context, id, message, text string) error {
	if c, err := d.Get(ctx, id); err == nil && d.config.CompactAt > 0 && c.Size() > d.config.CompactAt {
		if err := d.Compact(ctx, id); err != nil && !errors.Is(err, agent.ErrShort) && !errors.Is(err, agent.ErrTooLarge) {
			return err
		}
	}
	return d.Send(ctx, id, message, text)
}

// settle returns a conversation once it is at rest and has heard the outcomes of
// these asks.
func (d *desk) settle(ctx context.Context, id string, heard ...string) (*agent.Conversation, error) {
	news := make(chan struct{}, 1)
	defer d.Subscribe(func(u agent.Update) {
		if u.Conversation == id {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	})()
	for {
		c, err := d.Wait(ctx, id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(c.Asks(), func(a *sayso.Ask) bool { return slices.Contains(heard, a.ID) }) {
			return c, nil
		}
		select {
		case <-news:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// answeredElsewhere returns the asks of a conversation that have an outcome which it
// has not heard yet: they were answered while no agent ran.
func (d *desk) answeredElsewhere(ctx context.Context, id string) (heard []string) {
	c, err := d.Get(ctx, id)
	if err != nil {
		return nil
	}
	in, err := d.inbox("")
	if err != nil {
		return nil // it hears of them when the hub is back
	}
	for _, a := range c.Asks() {
		if t, err := d.ticket(ctx, in, a); err == nil && !t.Open() {
			heard = append(heard, a.ID)
		}
	}
	return heard
}

// answer gives an ask its outcome. If another one was faster, that is returned.
func (d *desk) answer(ctx context.Context, surface string, a *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error) {
	in, err := d.inbox(surface)
	if err != nil {
		return nil, err
	}
	t, err := d.ticket(ctx, in, a)
	if err != nil {
		return nil, err
	}
	if !t.Open() {
		return t.Outcome, nil
	}
	_, err = in.Close(ctx, t, o)
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return closed.Ticket.Outcome, nil
	}
	return nil, err
}

// relay gives an ask what a program says, as that program's reply.
func (d *desk) relay(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error) {
	t, err := d.asks.Submit(ctx, a) // which tells by what handle the hub knows it
	if err != nil {
		return nil, err
	}
	if !t.Open() {
		return t.Outcome, nil
	}
	o.By.Surface = "rpc"
	_, err = d.asks.Relay(ctx, t, o)
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return closed.Ticket.Outcome, nil
	}
	return nil, err
}

// ticket returns the ticket of an ask.
func (d *desk) ticket(ctx context.Context, in hub.Inbox, a *sayso.Ask) (*hub.Ticket, error) {
	if d.hub != nil {
		return d.hub.Get(ctx, hub.AddressOf(tenant, a))
	}
	f := &hub.Filter{Conversation: a.Origin.Conversation, Status: hub.AnyStatus, Limit: 1000}
	for {
		page, err := in.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tickets {
			if t.Ask.ID == a.ID {
				return t, nil
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil, hub.ErrNotFound
		}
	}
}

// placed returns when people can answer an ask: it is saved with the conversation
// first, and put into the hub then. An ask that the person may not see, or a hub
// that is away, is not waited for long.
func (d *desk) placed(ctx context.Context, a *sayso.Ask) {
	in, err := d.inbox("")
	if err != nil {
		return
	}
	for wait := 2 * time.Millisecond; wait < 3*time.Second; wait *= 2 {
		if _, err := d.ticket(ctx, in, a); err == nil {
			return
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// text is what the model said last.
func text(c *agent.Conversation) string {
	for i := len(c.Transcript) - 1; i >= 0; i-- {
		if e := c.Transcript[i]; e.Role == conversation.RoleModel {
			return e.Text
		}
	}
	return ""
}

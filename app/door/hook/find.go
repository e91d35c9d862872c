package hook

import (
	"context"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// prepare makes an ask of the event's tool call.
func (d *Door) prepare(about About) (*sayso.Ask, *sayso.Result) {
	c := about.Call
	c.Conversation, c.Host = about.Session, d.agent.Name
	c.Workspace, c.Branch = d.opts.Place(about.Dir)
	return d.agent.Tool.Prepare(c)
}

// stored returns the ticket of an ask that was stored a moment ago, whose tool call
// is perhaps not known here, or stores it.
func (d *Door) stored(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	// A list may lag behind what was just stored.
	for _, pause := range []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond} {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		t, err := d.find(ctx, a)
		if err != nil || t != nil {
			return t, err
		}
	}
	return d.hub.Submit(ctx, a)
}

// find returns the newest ask with these questions in the session that was not
// withdrawn and whose outcome nobody has had yet; or, if the tool call is known, the
// ask of that call. It returns nil if there is none.
func (d *Door) find(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	digest := a.Digest()
	var found *hub.Ticket
	err := d.each(ctx, a.Origin.Conversation, func(t *hub.Ticket) {
		over := !t.Consumed.IsZero() || !t.Open() && t.Outcome.By.Kind == sayso.ByAsker
		same := t.Digest == digest && !over
		if call := t.Ask.Origin.ToolCall; call != "" && a.Origin.ToolCall != "" {
			same = call == a.Origin.ToolCall && t.Digest == digest
		}
		if same && (found == nil || t.Ask.AskedAt.After(found.Ask.AskedAt)) {
			found = t
		}
	})
	return found, err
}

// each calls fn for every ask that the door has of the session.
func (d *Door) each(ctx context.Context, session string, fn func(*hub.Ticket)) error {
	return hub.Each(ctx, d.hub, &hub.Filter{Conversation: session, Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		if d.asked(t) {
			fn(t)
		}
		return true
	})
}

// asked reports whether a ticket is a question of the agent.
func (d *Door) asked(t *hub.Ticket) bool {
	return t.Ask.Origin.Host == d.agent.Name && t.Ask.Dialect == d.agent.Tool.Spec().Dialect
}

package client

import (
	"context"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Inbox returns what the credential's person may answer, as a hub in this process
// would: see [hub.Inbox]. It knows asks by the handle of their tickets, so it takes
// only tickets that it, or this client, returned.
func (c *Client) Inbox() hub.Inbox { return inbox{c} }

type inbox struct{ client *Client }

var _ hub.Inbox = inbox{}

func (in inbox) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	var own hub.Filter
	if f != nil {
		own = *f
	}
	own.Person = "" // the credential says who it is
	return in.client.List(ctx, &own)
}

func (in inbox) Watch(ctx context.Context, fn func(hub.Change)) error {
	return in.WatchLine(ctx, fn, func(bool) {})
}

// WatchLine is Watch for a surface that shows whether it is connected: line is called,
// like fn, whenever a connection begins, and whenever one ends or cannot be made.
func (in inbox) WatchLine(ctx context.Context, fn func(hub.Change), line func(up bool)) error {
	told := func(c hub.Change) {
		if !c.Ready {
			fn(c)
		}
	}
	return in.client.watch(ctx, &request{method: http.MethodGet, path: "/v1/events"}, &stream{fn: told, line: line})
}

func (in inbox) Close(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return in.client.Answer(ctx, seen, o)
}

func (in inbox) Undo(ctx context.Context, seen *hub.Ticket) (*hub.Ticket, error) {
	return in.client.Undo(ctx, seen)
}

func (in inbox) Draft(ctx context.Context, seen *hub.Ticket) (*hub.Draft, error) {
	return in.client.Draft(ctx, seen.Handle)
}

func (in inbox) Content(ctx context.Context, seen *hub.Ticket, hash string, page int) (string, error) {
	return in.client.Content(ctx, seen, hash, page)
}

func (in inbox) SaveDraft(ctx context.Context, seen *hub.Ticket, d *hub.Draft) error {
	return in.client.SaveDraft(ctx, seen.Handle, d)
}

// Attend says that the person is at the ask: see [Client.Attend].
func (in inbox) Attend(ctx context.Context, seen *hub.Ticket) error {
	return in.client.Attend(ctx, seen)
}

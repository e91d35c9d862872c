package client

import (
	"context"
	"fmt"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// maxNames is how many names an inbox remembers.
const maxNames = 10_000

// Inbox returns what the credential's person may answer, as a hub in this process
// would: see [hub.Inbox].
func (c *Client) Inbox() hub.Inbox { return &inbox{client: c, names: map[hub.Address]string{}} }

// inbox remembers by which name the API knows the asks that it has told of.
type inbox struct {
	client *Client

	mu    sync.Mutex
	names map[hub.Address]string
}

var _ hub.Inbox = (*inbox)(nil)

func (in *inbox) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	var own hub.Filter
	if f != nil {
		own = *f
	}
	own.Person = "" // the credential says who it is
	page, err := in.client.List(ctx, &own)
	if err != nil {
		return nil, err
	}
	out := &hub.Tickets{Next: page.Next}
	for _, t := range page.Tickets {
		out.Tickets = append(out.Tickets, in.know(t))
	}
	for range page.Damaged {
		out.Damaged = append(out.Damaged, &hub.CorruptError{Problem: "the hub cannot read it"})
	}
	return out, nil
}

func (in *inbox) Watch(ctx context.Context, fn func(hub.Change)) error {
	return in.client.Watch(ctx, nil, func(c Change) {
		switch {
		case c.Reset:
			fn(hub.Change{Reset: true})
		case c.Ticket != nil:
			fn(hub.Change{Ticket: in.know(c.Ticket)})
		}
	})
}

func (in *inbox) Close(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return in.change(ctx, seen, func(t *Ticket) (*Ticket, error) { return in.client.Answer(ctx, t, o) })
}

func (in *inbox) Undo(ctx context.Context, seen *hub.Ticket) (*hub.Ticket, error) {
	return in.change(ctx, seen, func(t *Ticket) (*Ticket, error) { return in.client.Undo(ctx, t) })
}

func (in *inbox) change(ctx context.Context, seen *hub.Ticket, do func(*Ticket) (*Ticket, error)) (*hub.Ticket, error) {
	id, err := in.name(ctx, seen.Address)
	if err != nil {
		return nil, err
	}
	t, err := do(&Ticket{ID: id, Ticket: *seen})
	if err != nil {
		return nil, err
	}
	return in.know(t), nil
}

func (in *inbox) Draft(ctx context.Context, addr hub.Address) (*hub.Draft, error) {
	id, err := in.name(ctx, addr)
	if err != nil {
		return nil, err
	}
	return in.client.Draft(ctx, id)
}

func (in *inbox) SaveDraft(ctx context.Context, addr hub.Address, d *hub.Draft) error {
	id, err := in.name(ctx, addr)
	if err != nil {
		return err
	}
	return in.client.SaveDraft(ctx, id, d)
}

func (in *inbox) know(t *Ticket) *hub.Ticket {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.names) >= maxNames {
		clear(in.names) // those still in use are looked up again
	}
	in.names[t.Address] = t.ID
	return &t.Ticket
}

// name returns the name of the ask at the address, and looks for it in the lists
// if it has not been told of.
func (in *inbox) name(ctx context.Context, addr hub.Address) (string, error) {
	known := func() string {
		in.mu.Lock()
		defer in.mu.Unlock()
		return in.names[addr]
	}
	if id := known(); id != "" {
		return id, nil
	}
	f := &hub.Filter{Conversation: addr.Conversation, Status: hub.AnyStatus, Limit: 1000}
	for {
		page, err := in.List(ctx, f)
		if err != nil {
			return "", err
		}
		if id := known(); id != "" {
			return id, nil
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return "", fmt.Errorf("client: looking for ask %s: %w", addr.ID, hub.ErrNotFound)
		}
	}
}

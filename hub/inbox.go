package hub

import (
	"context"

	"github.com/saysohq/sayso"
)

// Inbox is what a surface needs of a hub, on behalf of one person. [Hub.Inbox]
// returns one in this process; package client has one over HTTP.
type Inbox interface {
	// List returns a page of what the person may answer. The filter's Person is
	// ignored.
	List(ctx context.Context, f *Filter) (*Tickets, error)

	// Watch calls fn for every change, as [Hub.Watch] does: first for a Reset,
	// upon which the surface lists.
	Watch(ctx context.Context, fn func(Change)) error

	// Close gives an ask its outcome, as [Hub.Close] does. Who gives it is the
	// inbox's person, whatever the outcome says.
	Close(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error)

	// Undo takes the person's outcome back until the asker has it, as
	// [Hub.Undo] does.
	Undo(ctx context.Context, seen *Ticket) (*Ticket, error)

	// Draft returns what the person typed earlier, or [ErrNotFound].
	Draft(ctx context.Context, seen *Ticket) (*Draft, error)

	// SaveDraft keeps what the person has typed.
	SaveDraft(ctx context.Context, seen *Ticket, d *Draft) error
}

// Inbox returns what the responder, a person at a surface, may answer among the
// tenant's asks. A responder without an id is the only person there is, and sees
// every ask; those that are to somebody by name need that id to be answered.
func (h *Hub) Inbox(tenant string, by sayso.Responder) Inbox {
	return &inbox{h, tenant, by}
}

type inbox struct {
	hub    *Hub
	tenant string
	by     sayso.Responder
}

func (in *inbox) filter(f *Filter) *Filter {
	var own Filter
	if f != nil {
		own = *f
	}
	own.Person, own.Desk = in.by.ID, true
	return &own
}

func (in *inbox) List(ctx context.Context, f *Filter) (*Tickets, error) {
	return in.hub.List(ctx, in.tenant, in.filter(f))
}

func (in *inbox) Watch(ctx context.Context, fn func(Change)) error {
	return in.hub.Watch(ctx, in.tenant, in.filter(nil), fn)
}

func (in *inbox) Close(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	out := *o
	out.By = in.by
	return in.hub.Close(ctx, seen, &out, nil)
}

func (in *inbox) Undo(ctx context.Context, seen *Ticket) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	return in.hub.Undo(ctx, seen, in.as(seen))
}

func (in *inbox) Draft(ctx context.Context, seen *Ticket) (*Draft, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	return in.hub.Draft(ctx, seen.Address, in.by.ID)
}

func (in *inbox) Content(ctx context.Context, seen *Ticket, hash string, page int) (string, error) {
	if err := in.owns(seen.Address); err != nil {
		return "", err
	}
	return in.hub.Content(ctx, seen, hash, page)
}

func (in *inbox) SaveDraft(ctx context.Context, seen *Ticket, d *Draft) error {
	if err := in.owns(seen.Address); err != nil {
		return err
	}
	return in.hub.SaveDraft(ctx, seen.Address, in.by.ID, d)
}

// owns keeps a surface within its tenant, whatever ticket it comes with.
func (in *inbox) owns(addr Address) error {
	if addr.Tenant != in.tenant {
		return ErrNotFound
	}
	return nil
}

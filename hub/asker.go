package hub

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// Asker is what a program that asks needs of a hub, on behalf of one credential.
// [Hub.Asker] returns one in this process; package client has one over HTTP. Asks
// are named by the handle of their ticket ([Ticket.Handle]).
//
// [Await] waits for an outcome and takes it, [SubmitSame] finds an earlier ask
// again, [TakeLate] returns what came too late. All methods may be called from several
// goroutines, and again with the same arguments: doing something twice has no
// second effect.
type Asker interface {
	// Submit stores an ask, as [Hub.Submit] does.
	Submit(ctx context.Context, a *sayso.Ask) (*Ticket, error)

	// Get returns the ticket as it is now, or [ErrNotFound] or [ErrHandle].
	Get(ctx context.Context, handle string) (*Ticket, error)

	// Wait returns the ticket once it is closed, as [Hub.Wait] does.
	Wait(ctx context.Context, handle string) (*Ticket, error)

	// Consume says that the asker has the outcome, as [Hub.Consume] does.
	Consume(ctx context.Context, handle string) (*Ticket, error)

	// Withdraw closes an ask that the asker no longer wants to have answered. The
	// status is cancelled, or superseded if something newer took its place.
	Withdraw(ctx context.Context, handle string, status sayso.Status, reason string) (*Ticket, error)

	// Relay closes an ask with what a program says: the asker's own client that
	// showed a form, an editor, a user interface at the end of a pipe. It is kept
	// as that program's reply ([sayso.ByProgram]) with no assurance: who sat there
	// is not known. The surface of the outcome's By says where. An ask to named
	// people, or one that wants assurance, does not take it.
	Relay(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error)

	// List returns a page of the tickets that the credential may see, as
	// [Hub.List] does.
	List(ctx context.Context, f *Filter) (*Tickets, error)

	// Watch calls fn, one call at a time, for every change of the tickets that
	// List returns, until ctx ends or it can watch no more. It begins with a
	// Reset, then tells every open ticket, then says Ready. It does so again
	// whenever changes may have been missed. Of the filter, only the conversation
	// counts.
	Watch(ctx context.Context, f *Filter, fn func(Change)) error
}

// Asker returns the asker's view of the tenant's asks. Asks that it submits carry
// who it is: the id of by as [sayso.Origin].Asker, and its surface as Via.
func (h *Hub) Asker(tenant string, by sayso.Responder) Asker {
	by.Assurance = sayso.AssuranceLocal
	return &asker{h, tenant, by}
}

type asker struct {
	hub    *Hub
	tenant string
	by     sayso.Responder
}

// handled returns the ticket with its handle, also that of an outcome that was
// faster. Tickets are shared, so it is a copy.
func (s *asker) handled(t *Ticket, err error) (*Ticket, error) {
	var closed *ClosedError
	if errors.As(err, &closed) {
		winner, _ := s.handled(closed.Ticket, nil)
		return nil, &ClosedError{Ticket: winner, Late: closed.Late}
	}
	if err != nil {
		return nil, err
	}
	c := *t.ForAsker()
	c.Handle = s.hub.Handle(t.Address)
	return &c, nil
}

// address reads a handle. Those of other tenants name nothing.
func (s *asker) address(ctx context.Context, handle string) (Address, error) {
	addr, err := s.hub.Find(ctx, handle)
	if err == nil && addr.Tenant != s.tenant {
		err = ErrNotFound
	}
	return addr, err
}

func (s *asker) Submit(ctx context.Context, a *sayso.Ask) (*Ticket, error) {
	stamped := *a
	stamped.Origin.Asker, stamped.Origin.Via = s.by.ID, s.by.Surface
	return s.handled(s.hub.Submit(ctx, s.tenant, &stamped))
}

func (s *asker) Get(ctx context.Context, handle string) (*Ticket, error) {
	addr, err := s.address(ctx, handle)
	if err != nil {
		return nil, err
	}
	return s.handled(s.hub.Get(ctx, addr))
}

func (s *asker) Wait(ctx context.Context, handle string) (*Ticket, error) {
	addr, err := s.address(ctx, handle)
	if err != nil {
		return nil, err
	}
	return s.handled(s.hub.Wait(ctx, addr))
}

func (s *asker) Consume(ctx context.Context, handle string) (*Ticket, error) {
	addr, err := s.address(ctx, handle)
	if err != nil {
		return nil, err
	}
	return s.handled(s.hub.Consume(ctx, &Ticket{Address: addr}))
}

func (s *asker) Withdraw(ctx context.Context, handle string, status sayso.Status, reason string) (*Ticket, error) {
	addr, err := s.address(ctx, handle)
	if err != nil {
		return nil, err
	}
	by := s.by
	by.Kind = sayso.ByAsker
	return s.handled(s.hub.Withdraw(ctx, &Ticket{Address: addr}, status, reason, by))
}

// Withdraw closes an ask that its asker no longer wants to have answered, as
// [Hub.Close] does. What was closed before is a [*ClosedError].
func (h *Hub) Withdraw(ctx context.Context, seen *Ticket, status sayso.Status, reason string, by sayso.Responder) (*Ticket, error) {
	if status != sayso.StatusCancelled && status != sayso.StatusSuperseded {
		return nil, fmt.Errorf("%w: an ask is withdrawn as cancelled or superseded, not as %q", ErrStatus, status)
	}
	by.Kind = sayso.ByAsker
	return h.Close(ctx, seen, &sayso.Outcome{Status: status, Reason: reason, By: by}, nil)
}

func (s *asker) Relay(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error) {
	if seen.Address.Tenant != s.tenant {
		return nil, ErrNotFound
	}
	return s.handled(s.hub.Relay(ctx, seen, o, s.by))
}

// Relay closes an ask with the reply of a program, as [Asker].Relay says. Its
// surface is that of the outcome, or else of by.
func (h *Hub) Relay(ctx context.Context, seen *Ticket, o *sayso.Outcome, by sayso.Responder) (*Ticket, error) {
	out := *o
	by.Kind, by.Assurance = sayso.ByProgram, sayso.AssuranceLocal
	if o.By.Surface != "" {
		by.Surface = o.By.Surface
	}
	out.By = by
	return h.Close(ctx, seen, &out, &CloseOptions{Relayed: true})
}

// TakesRelay reports whether the ask can be closed with what a program says, as
// [Asker].Relay describes it. An integration does not show one that cannot.
func (t *Ticket) TakesRelay() bool {
	return t.allows(sayso.Responder{Kind: sayso.ByProgram}, sayso.StatusAnswered, true) == nil
}

func (s *asker) List(ctx context.Context, f *Filter) (*Tickets, error) {
	page, err := s.hub.List(ctx, s.tenant, f)
	if err != nil {
		return nil, err
	}
	for i, t := range page.Tickets {
		page.Tickets[i], _ = s.handled(t, nil)
	}
	return page, nil
}

func (s *asker) Watch(ctx context.Context, f *Filter, fn func(Change)) error {
	var own Filter
	if f != nil {
		own.Conversation = f.Conversation
	}
	all, err := s.hub.Follow(ctx, s.tenant, &own, "")
	if err != nil {
		return err
	}
	defer all.Close()
	for {
		events, err := all.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			c := Change{Reset: e.Reset, Ready: e.Ready, Err: e.Err}
			if e.Ticket != nil {
				c.Ticket, _ = s.handled(e.Ticket, nil)
			}
			fn(c)
		}
	}
}

// Each calls fn for every ticket that the filter selects, page by page, until fn
// returns false.
func Each(ctx context.Context, in interface {
	List(ctx context.Context, f *Filter) (*Tickets, error)
}, f *Filter, fn func(*Ticket) bool) error {
	all := Filter{}
	if f != nil {
		all = *f
	}
	if all.Limit == 0 {
		all.Limit = 1000
	}
	seen := map[Address]bool{} // what changes while it is listed may come twice
	for {
		page, err := in.List(ctx, &all)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			if seen[t.Address] {
				continue
			}
			seen[t.Address] = true
			if !fn(t) {
				return nil
			}
		}
		if all.Cursor = page.Next; all.Cursor == "" {
			return nil
		}
	}
}

// closedBy returns the ticket of the outcome that was faster, if that is what the
// error says.
func closedBy(err error) *Ticket {
	var closed *ClosedError
	if errors.As(err, &closed) {
		return closed.Ticket
	}
	return nil
}

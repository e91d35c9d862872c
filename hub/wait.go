package hub

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// Get returns the ticket at the address, or [ErrNotFound]. A ticket whose
// deadline has passed is closed first.
func (h *Hub) Get(ctx context.Context, addr Address) (*Ticket, error) {
	return h.get(ctx, addr, nil)
}

func (h *Hub) get(ctx context.Context, addr Address, known *Ticket) (*Ticket, error) {
	t, err := h.read(ctx, addr, known)
	if err != nil {
		return nil, err
	}
	return h.punctual(ctx, t)
}

// read returns what is stored, once the store can tell.
func (h *Hub) read(ctx context.Context, addr Address, known *Ticket) (*Ticket, error) {
	for p := (patience{left: h.opts.Patience}); ; {
		r, err := h.store.Get(ctx, KindTicket, addr)
		if err == nil {
			return ticketOf(r, known)
		}
		if err := p.with(ctx, err); err != nil {
			return nil, fmt.Errorf("hub: reading ask %s: %w", addr.ID, err)
		}
	}
}

// Wait returns the ticket at the address once it is closed, which may be at once.
// It reads what is stored, so it may begin before, while or after the ask is
// answered, and again after a restart. It returns the error of ctx when that
// ends, which leaves the ask open; [ErrNotFound] if there is no such ask, or no
// longer; [ErrStopped] when the hub stops.
//
// An asker that acts on the outcome calls [Hub.Consume] first: until then it may
// be undone.
func (h *Hub) Wait(ctx context.Context, addr Address) (*Ticket, error) {
	one, err := h.waiting.enter(addr)
	if err != nil {
		return nil, err
	}
	defer h.waiting.leave(addr, one)
	t, err := h.get(ctx, addr, nil)
	if err != nil || !t.Open() {
		return t, err
	}
	// The ticket is not kept while waiting: it is larger than the waiter.
	return h.await(ctx, addr, one, t.Revision, nil)
}

// Ask submits an ask and waits until it is closed. It is Submit and then Wait,
// and a read cheaper: it listens before others can see the ask. When ctx ends,
// it returns the error of ctx and, if the ask was stored, the open ticket.
func (h *Hub) Ask(ctx context.Context, tenant string, a *sayso.Ask) (*Ticket, error) {
	t, err := h.newTicket(tenant, a)
	if err != nil {
		return nil, err
	}
	one, err := h.waiting.enter(t.Address)
	if err != nil {
		return nil, err
	}
	defer h.waiting.leave(t.Address, one)
	t, err = h.admit(ctx, t)
	if err != nil || !t.Open() {
		return t, err
	}
	closed, err := h.await(ctx, t.Address, one, t.Revision, t)
	if err != nil {
		return t, err
	}
	return closed, nil
}

// await parks until a record newer than the revision says that the ask is closed.
func (h *Hub) await(ctx context.Context, addr Address, one *waiter, from uint64, known *Ticket) (*Ticket, error) {
	h.waiting.rearm(addr)
	for {
		select {
		case n := <-one.bell:
			if n.err == nil && n.record.Revision <= from {
				continue
			}
			t, err := h.told(ctx, n, known)
			if err != nil || !t.Open() {
				return t, err
			}
			from = t.Revision
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// told makes a ticket of news. The record of a bell is committed, so it is used
// as it is; one without data is read.
func (h *Hub) told(ctx context.Context, n *news, known *Ticket) (*Ticket, error) {
	switch {
	case n.err != nil:
		return nil, n.err
	case len(n.record.Data) == 0:
		return h.get(ctx, n.record.Address, known)
	}
	return ticketOf(n.record, known)
}

// Attached reports whether somebody in this process waits for the ask. That an
// ask is open says only that it waits for a person.
func (h *Hub) Attached(addr Address) bool { return h.waiting.attached(addr) }

// reread reads an ask that is waited for, in case its bell was lost.
func (h *Hub) reread(ctx context.Context, addr Address) {
	r, err := h.store.Get(ctx, KindTicket, addr)
	switch {
	case errors.Is(err, ErrNotFound):
		h.waiting.deliver(addr, &news{err: fmt.Errorf("hub: reading ask %s: %w", addr.ID, err)})
	case err != nil: // the next turn comes
	case r.Closed:
		h.waiting.deliver(addr, &news{record: r})
	case h.overdue(r.Due):
		h.expireAt(ctx, addr)
	default:
		h.deadlines.add(addr, r.Due)
	}
}

package hub

import (
	"context"
	"errors"
	"sync"

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
	r, err := h.record(ctx, addr)
	if err != nil {
		return nil, err
	}
	return ticketOf(r, known)
}

// record returns the record at the address, once the store can tell.
func (h *Hub) record(ctx context.Context, addr Address) (Record, error) {
	for p := (patience{left: h.opts.Patience}); ; {
		r, err := h.store.Get(ctx, KindTicket, addr)
		if err == nil {
			return r, nil
		}
		if err := p.with(ctx, err); err != nil {
			return Record{}, &unreadError{addr.ID, err}
		}
	}
}

// unreadError says that the store could not be read, which may pass.
type unreadError struct {
	id  string
	err error
}

func (e *unreadError) Error() string { return "hub: reading ask " + e.id + ": " + e.err.Error() }
func (e *unreadError) Unwrap() error { return e.err }

// Wait returns the ticket at the address once it is closed, which may be at once.
// It reads what is stored, so it may begin before, while or after the ask is
// answered, and again after a restart. It returns the error of ctx when that
// ends, which leaves the ask open; [ErrNotFound] if there is no such ask, or no
// longer; [ErrStopped] when the hub stops. A store that fails is waited for.
//
// An asker that acts on the outcome calls [Hub.Consume] first: until then it may
// be undone.
func (h *Hub) Wait(ctx context.Context, addr Address) (*Ticket, error) {
	one, err := h.enter(&addr)
	if err != nil {
		return nil, err
	}
	return h.wait(ctx, one)
}

// enter registers somebody who waits, and asks others for the first read.
func (h *Hub) enter(addr *Address) (*waiter, error) {
	one, err := h.waiting.enter(addr, nil)
	if err == nil {
		h.reads.first(&one.post.addr)
		h.waiting.rearm(one)
	}
	return one, err
}

// Ask submits an ask and waits until it is closed. It is Submit and then Wait,
// and a read cheaper: it listens before others can see the ask. When ctx ends,
// it returns the error of ctx and, if the ask was stored, the open ticket.
func (h *Hub) Ask(ctx context.Context, tenant string, a *sayso.Ask) (*Ticket, error) {
	t, at, err := h.Attend(ctx, tenant, a)
	if err != nil || !t.Open() {
		return t, err
	}
	closed, err := at.Wait(ctx)
	if err != nil {
		return t, err
	}
	return closed, nil
}

// Attendance is somebody who waits for an ask since before others could see it. It
// ends with Wait or Leave, whichever comes first.
type Attendance struct {
	hub *Hub
	one *waiter // nil when it has ended
}

// Attend is Submit for somebody who goes on to wait for the outcome: that needs no
// read then. If the ask is closed, or there is an error, nobody attends and the
// attendance is nil.
func (h *Hub) Attend(ctx context.Context, tenant string, a *sayso.Ask) (*Ticket, *Attendance, error) {
	t, err := h.newTicket(ctx, tenant, a)
	if err != nil {
		return nil, nil, err
	}
	if t, err = h.decided(ctx, t); err != nil {
		return nil, nil, err
	}
	asked := t
	if !t.exact() {
		asked = nil
	}
	one, err := h.waiting.enter(&t.Address, asked)
	if err != nil {
		return nil, nil, err
	}
	h.waiting.join(&t.Address)
	t, err = h.admit(ctx, t)
	if err != nil || !t.Open() {
		h.waiting.leave(one)
		return t, nil, err
	}
	h.waiting.rearm(one)
	one.from = t.Revision
	return t, &Attendance{h, one}, nil
}

// Wait waits for the outcome, as [Hub.Wait] does.
func (at *Attendance) Wait(ctx context.Context) (*Ticket, error) {
	if at.one == nil {
		return nil, errors.New("hub: this attendance has ended")
	}
	one := at.one
	at.one = nil
	return at.hub.wait(ctx, one)
}

// Leave ends an attendance that nobody waits with. It may be nil, and have ended.
func (at *Attendance) Leave() {
	if at != nil && at.one != nil {
		at.hub.waiting.leave(at.one)
		at.one = nil
	}
}

// wait parks until the ask is closed, and then leaves.
//
// A hundred thousand goroutines may stand here. Each has a stack of 2 KB, if
// nothing on its way is deeper than that: so the frames are small, and others do
// the first read.
func (h *Hub) wait(ctx context.Context, one *waiter) (*Ticket, error) {
	for {
		var n *news
		select {
		case n = <-one.bell:
		case <-ctx.Done():
			h.waiting.leave(one)
			return nil, ctx.Err()
		}
		if t, err := h.hear(ctx, one, n); t != nil || err != nil {
			h.waiting.leave(one)
			return t, err
		}
	}
}

// hear returns the closed ticket, or nothing if the news is not of one. Before
// anything was read, a bell may be older than what is stored, and does not count.
func (h *Hub) hear(ctx context.Context, one *waiter, n *news) (*Ticket, error) {
	n, one.held = n.with(one.held), nil
	counts := n.revision() > one.from && (one.from > 0 || n.read)
	switch {
	case counts && n.record.Closed:
		t, err := h.told(ctx, n.change)
		if err != nil || !t.Open() {
			return t, err
		}
		one.from = t.Revision
	case n.err != nil:
		return nil, n.err
	case counts:
		one.from = n.record.Revision
	case one.from == 0:
		one.held = n
	}
	return nil, nil
}

// change is a committed record. Everybody in this process who is told of it shares
// the ticket that is made of it.
type change struct {
	record Record
	known  *Ticket // perhaps of the same ask, or nil

	once   sync.Once
	ticket *Ticket
	err    error
}

// told makes a ticket of a change. What is committed is used as it is; a record
// without data is read.
func (h *Hub) told(ctx context.Context, c *change) (*Ticket, error) {
	if c.record.Kind == KindPerson {
		return h.askOf(ctx, c.record)
	}
	if len(c.record.Data) == 0 {
		return h.get(ctx, c.record.Address, c.known)
	}
	c.once.Do(func() { c.ticket, c.err = ticketOf(c.record, c.known) })
	return c.ticket, c.err
}

// Attached reports whether somebody in this process waits for the ask. That an
// ask is open says only that it waits for a person.
func (h *Hub) Attached(addr Address) bool { return h.waiting.attached(&addr) }

package hub

import (
	"context"
	"slices"
	"time"

	"github.com/saysohq/sayso"
)

// overdue reports whether a deadline has passed.
func (h *Hub) overdue(deadline time.Time) bool {
	return !deadline.IsZero() && !h.now().Before(deadline)
}

// punctual returns the ticket, closed if what was held counts by now or its deadline
// has passed. It never shows as closed what is not stored as closed: until then an
// answer could win, and an undo could take one back.
func (h *Hub) punctual(ctx context.Context, t *Ticket) (*Ticket, error) {
	if h.lapsed(t) == nil {
		return t, nil
	}
	replayed := t.Replayed
	t, _, err := h.update(ctx, t, func(t *Ticket) (*Ticket, error) {
		return h.lapsed(t), nil
	})
	if err != nil {
		return nil, err
	}
	t.Replayed = replayed
	return t, nil
}

// due is when an open ticket is closed by itself: by what is held, or by its
// deadline. Zero: never.
func (t *Ticket) due() time.Time {
	if t.Held != nil {
		return t.Held.Until // which is not after the deadline
	}
	return t.Ask.Deadline
}

// lapsed returns an open ticket as its time has closed it, or nil if it has not.
func (h *Hub) lapsed(t *Ticket) *Ticket {
	switch {
	case !t.Open():
		return nil
	case t.Held != nil && h.overdue(t.Held.Until):
		return h.released(t)
	case h.overdue(t.Ask.Deadline):
		return t.expired(h.now())
	}
	return nil
}

// expired returns the ticket closed by its deadline. Only the asker's own default
// stands in for answers, and the status still says that nobody gave them.
func (t *Ticket) expired(now time.Time) *Ticket {
	return t.closed(&sayso.Outcome{
		Status:  sayso.StatusExpired,
		Answers: slices.Clone(t.standIn()),
		By:      sayso.Responder{Kind: sayso.ByPolicy, ID: "deadline"},
		At:      now,
		Reason:  "the deadline passed",
	}, "")
}

// standIn returns what the asker declared to stand in for answers. It is for
// silence: once a person has begun to answer there is none.
func (t *Ticket) standIn() []sayso.Answer {
	if !t.Touched.IsZero() {
		return nil
	}
	return t.Ask.OnExpiry.Default
}

// closed returns a copy of the ticket with an outcome.
func (t *Ticket) closed(o *sayso.Outcome, nonce string) *Ticket {
	c := *t
	c.Outcome, c.Nonce, c.Held, c.Replayed = o, nonce, nil, false
	return &c
}

// Sweep closes every ask whose deadline has passed, and returns how many there
// were. Outcomes that were held and count by now are released. A hub does this by itself; any process may do it for a store that no hub
// looks after.
func (h *Hub) Sweep(ctx context.Context) (expired int, err error) {
	err = h.eachDue(ctx, h.now(), func(r Record) error {
		t, err := h.Get(ctx, r.Address)
		if err == nil && t.Status() == sayso.StatusExpired {
			expired++
		}
		return err
	})
	return expired, err
}

// eachDue calls fn for every open ticket that is due by the given time.
func (h *Hub) eachDue(ctx context.Context, by time.Time, fn func(Record) error) error {
	open := false
	q := Query{Closed: &open, Due: by, Limit: 1000}
	for {
		page, err := h.store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if err := fn(r); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		q.Cursor = page.Next
	}
}

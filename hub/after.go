package hub

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/saysohq/sayso"
)

// maxUndone bounds the history of those who cannot make up their mind.
const maxUndone = 32

// Consume notes that the asker has the outcome, and returns the ticket whose
// outcome it is: the newest, if it was amended since it was seen. From then on it
// cannot be undone. Consuming again changes nothing. [ErrOpen] means that the
// outcome was undone; wait again.
func (h *Hub) Consume(ctx context.Context, seen *Ticket) (*Ticket, error) {
	now := h.now()
	t, written, err := h.update(ctx, seen, func(t *Ticket) (*Ticket, error) {
		switch {
		case t.Open():
			return nil, ErrOpen
		case !t.Consumed.IsZero():
			return nil, nil
		}
		c := *t
		c.Consumed, c.Replayed = now, false
		return &c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("hub: consuming ask %s: %w", seen.Address.ID, err)
	}
	t.Replayed = !written
	return t, nil
}

// Undo opens an ask again, or takes back what was held. Only who closed it may, and
// only until the asker has an outcome: then it is [ErrConsumed], and [Hub.Amend] is
// left. The outcome that was taken back stays in the history. Undoing again changes nothing;
// another's outcome in its place is a [*ClosedError].
func (h *Hub) Undo(ctx context.Context, seen *Ticket, by sayso.Responder) (*Ticket, error) {
	now := h.now()
	undo := seen.closeNonce() // the close to undo; empty: whatever this responder said last
	t, written, err := h.update(ctx, seen, func(t *Ticket) (*Ticket, error) {
		switch last, ok := t.lastUndone(); {
		case t.Held != nil && SameResponder(t.Held.Outcome.By, by) && (undo == "" || undo == t.Held.Nonce):
			undo = t.Held.Nonce
			c := t.remember(Entry{Outcome: t.Held.Outcome, Why: Undone, At: now, Nonce: t.Held.Nonce})
			c.Held = nil
			return c, nil
		case t.Open() && ok && SameResponder(last.Outcome.By, by) && (undo == "" || undo == last.Nonce):
			return nil, nil
		case t.Held != nil:
			return nil, &ClosedError{Ticket: t.taken()}
		case t.Open():
			return nil, ErrOpen
		case !SameResponder(t.Outcome.By, by) || undo != "" && undo != t.Nonce:
			return nil, &ClosedError{Ticket: t}
		case !t.Consumed.IsZero() || t.Changed():
			return nil, ErrConsumed
		}
		undo = t.Nonce
		c := t.remember(Entry{Outcome: t.Outcome, Why: Undone, At: now, Nonce: t.Nonce})
		c.Outcome, c.Nonce = nil, ""
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("hub: undoing ask %s: %w", seen.Address.ID, err)
	}
	t.Replayed = !written
	if t.Open() {
		h.deadlines.add(t.Address, t.due(), t.Revision)
	}
	return t, nil
}

// Amend replaces an outcome by another of the same responder, also after the
// asker had it. Then the asker does not have this one yet: [TakeLate] hands it on,
// and [Ticket.Changed] says that it had another. The history keeps the one that was
// replaced, as amended, or as undone if the asker never had it.
//
// The errors are those of [Hub.Close]. [ErrOpen] means that there is nothing to amend,
// [ErrConsumed] that the ask is an approval and the agent went by what was decided.
func (h *Hub) Amend(ctx context.Context, seen *Ticket, o *sayso.Outcome, opts *CloseOptions) (*Ticket, error) {
	nonce, err := h.nonceOr(opts)
	if err != nil {
		return nil, err
	}
	out := *o
	if out.At.IsZero() {
		out.At = h.now()
	}
	t, written, err := h.update(ctx, seen, func(t *Ticket) (*Ticket, error) {
		if err := t.accepts(seen.Digest, &out); err != nil {
			return nil, err
		}
		switch {
		case t.Open():
			return nil, ErrOpen
		case t.Nonce == nonce || t.says(&out):
			return nil, nil
		case !SameResponder(t.Outcome.By, out.By) || t.Outcome.By.Kind == sayso.ByPolicy:
			return nil, &ClosedError{Ticket: t}
		case t.Ask.Approval != nil && !t.Consumed.IsZero():
			return nil, fmt.Errorf("%w: it went by the decision, so changing that has no effect", ErrConsumed)
		}
		why := Amended
		if t.Consumed.IsZero() {
			why = Undone
		}
		c := t.remember(Entry{Outcome: t.Outcome, Why: why, At: out.At, Nonce: t.Nonce})
		c.Outcome, c.Nonce, c.Consumed = &out, nonce, time.Time{}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("hub: amending ask %s: %w", seen.Address.ID, err)
	}
	t.Replayed = !written
	return t, nil
}

// Changed reports whether the asker had another outcome before this one.
func (t *Ticket) Changed() bool {
	return slices.ContainsFunc(t.History, func(e Entry) bool { return e.Why == Amended })
}

func (t *Ticket) lastUndone() (Entry, bool) {
	for _, e := range slices.Backward(t.History) {
		if e.Why == Undone {
			return e, true
		}
	}
	return Entry{}, false
}

// remember returns a copy of the ticket with one more entry in its history.
func (t *Ticket) remember(e Entry) *Ticket {
	c := *t
	c.Replayed = false
	from := max(0, len(t.History)+1-maxUndone)
	c.History = append(slices.Clone(t.History[from:]), e)
	return &c
}

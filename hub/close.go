package hub

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/saysohq/sayso"
)

// maxLate is how many answers that came too late a ticket keeps: the first ones.
const maxLate = 8

// CloseOptions are the options of [Hub.Close]. Nil means the defaults.
type CloseOptions struct {
	// Nonce names this close: the same one again is the same close, whatever
	// became of it. Default: a new one.
	Nonce string

	// Consumed says that the asker has this outcome already. Default: it does
	// not, and the outcome may be undone.
	Consumed bool

	// Hold is for how long the outcome does not count yet: see [Held]. It ends with
	// the deadline of the ask at the latest, and is at most [MaxHold]. What the asker
	// says, and what it has already, is never held. Default: it counts at once.
	Hold time.Duration

	// Relayed says that the outcome comes from the agent's own dialog: it counts
	// although another one is held. [Hub.Relay] sets it. Default: it does not.
	Relayed bool
}

// Close gives an ask its outcome, whichever it is: answered, declined, withdrawn
// by the asker (cancelled), superseded. The first close wins.
//
// seen is the ticket as it was shown. Its Address and Digest are enough; with the
// whole ticket, closing an ask that nobody else has touched is a single write.
// The outcome says who closes (By); At is set if it is zero.
//
// An answer to an ask that is final ([sayso.Ask].Final) is stored as consumed if
// somebody in this process waits for it ([Hub.Attached]): it cannot be undone. The
// waiter's Consume then changes nothing and writes nothing.
//
// With [CloseOptions].Hold the ticket comes back open, and Held has the outcome. Any hub
// over the store closes the ask with it when its time has come; until then
// [Hub.Undo] takes it back. The same close without Hold has it count at once. To others
// the ask is taken: their answers are a [*ClosedError]. Only the asker itself may
// still withdraw or relay an outcome; what was held is then kept as late.
//
// The same close again, by its nonce or by the same responder saying the same, is
// a success, and Replayed says so. Otherwise Close returns
//
//   - [*ClosedError] if another outcome won. It names the winner. An answer that
//     comes after a deadline or a withdrawal is kept in the history as late, and so
//     is what the agent's own dialog decided about an approval: that is what happened.
//   - [*ChangedError] if the person was shown other questions than are stored.
//   - [*sayso.InvalidError] if the outcome does not fit the ask.
//   - [ErrNotAllowed] or [ErrAssurance] if this responder may not close it.
//   - [ErrUndone] if this close was made and then undone.
//
// After any other error it is not known whether the ask was closed; Close may be
// called again.
func (h *Hub) Close(ctx context.Context, seen *Ticket, o *sayso.Outcome, opts *CloseOptions) (*Ticket, error) {
	nonce, err := h.nonceOr(opts)
	if err != nil {
		return nil, err
	}
	out := *o
	if out.At.IsZero() {
		out.At = h.now()
	}
	hold := opts.hold(&out)
	lost := false // what is stored now, or will be, is another's outcome
	late := false
	again := false // it was closed so before, and only now is released
	t, written, err := h.update(ctx, seen, func(t *Ticket) (*Ticket, error) {
		lost, late = false, false
		if err := t.accepts(seen.Digest, &out); err != nil {
			return nil, err
		}
		if t.undid(nonce) {
			return nil, ErrUndone
		}
		next := (*Ticket)(nil)
		if t.Open() {
			lapsed := h.lapsed(t)
			switch {
			case out.Status == sayso.StatusExpired && !h.overdue(t.Ask.Deadline):
				return nil, fmt.Errorf("%w: its deadline has not passed", ErrStatus)
			case lapsed != nil && (out.Status != sayso.StatusExpired || t.Held != nil):
				t, next = lapsed, lapsed
			case t.Held != nil && (t.Held.Nonce == nonce || t.Held.says(&out)):
				if hold > 0 {
					return nil, nil
				}
				return h.released(t), nil
			case t.Held != nil && !opts.overrules(&out):
				lost = true
				return nil, nil
			case hold > 0:
				again = false
				return t.holding(&out, nonce, h.now().Add(hold)), nil
			default:
				again = false
				next = t.overruled(out.At).closed(&out, nonce)
				if opts != nil && opts.Consumed || h.final(t, &out) {
					next.Consumed = out.At
				}
				return next, nil
			}
		}
		if t.Nonce == nonce || t.says(&out) {
			again = again || next != nil // also when it comes here once more
			return next, nil
		}
		lost = true
		if t.lateNonce(nonce) {
			late = true
		} else if kept := t.late(&out, nonce); kept != nil {
			late, next = true, kept
		}
		return next, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("hub: closing ask %s: %w", seen.Address.ID, err)
	case lost:
		return nil, &ClosedError{Ticket: t.taken(), Late: late}
	}
	if t.Open() { // it is held
		h.deadlines.add(t.Address, t.due(), t.Revision)
	}
	t.Replayed = again || !written
	return t, nil
}

// final reports whether the outcome is stored as one that the asker has. What the
// asker says itself is left to it to consume.
//
// Whoever waits may leave before the outcome is stored. Then it counts as consumed
// although nobody has it: the same ask, its handle and Consume still return it, but
// [TakeLate] does not.
func (h *Hub) final(t *Ticket, o *sayso.Outcome) bool {
	return t.Ask.Final && o.By.Kind != sayso.ByAsker && h.Attached(t.Address)
}

// undid reports whether the close with this nonce was taken back.
func (t *Ticket) undid(nonce string) bool {
	return slices.ContainsFunc(t.History, func(e Entry) bool { return e.Nonce == nonce && e.Why != Late })
}

func (t *Ticket) lateNonce(nonce string) bool {
	return slices.ContainsFunc(t.History, func(e Entry) bool { return e.Nonce == nonce && e.Why == Late })
}

// late returns the ticket with an answer that came too late in its history, or
// nil if it is not one to keep: only where nobody else answered is it missed, or
// where the agent had gone by its own dialog before.
func (t *Ticket) late(o *sayso.Outcome, nonce string) *Ticket {
	if o.Status != sayso.StatusAnswered || !missed(t.Outcome.Status) && !t.decidedThere(o) {
		return nil
	}
	n := 0
	for _, e := range t.History {
		if e.Why == Late {
			n++
		}
	}
	if n >= maxLate {
		return nil
	}
	return t.remember(Entry{Outcome: o, Why: Late, At: o.At, Nonce: nonce})
}

// decidedThere reports whether the outcome was given in the agent's own dialog, about
// an approval. Agents tell of it when the tool has run, so a person may have decided
// otherwise in between, to no effect. The record has both.
func (t *Ticket) decidedThere(o *sayso.Outcome) bool {
	return t.Ask.Approval != nil && o.By.Kind == sayso.ByProgram && o.By.Surface != "" && o.By.Surface == t.Ask.Origin.Host
}

func missed(s sayso.Status) bool {
	switch s {
	case sayso.StatusExpired, sayso.StatusCancelled, sayso.StatusSuperseded, sayso.StatusUnreachable:
		return true
	}
	return false
}

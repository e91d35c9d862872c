package hub

import (
	"context"
	"time"

	"github.com/saysohq/sayso"
)

// MaxHold is the longest time for which an outcome can be held.
const MaxHold = MaxGrace * time.Second

// hold returns for how long the outcome is held, zero if it counts at once.
func (opts *CloseOptions) hold(o *sayso.Outcome) time.Duration {
	if opts == nil || opts.Consumed || opts.overrules(o) {
		return 0
	}
	switch o.Status {
	case sayso.StatusAnswered, sayso.StatusUnanswered, sayso.StatusDeclined:
		return min(max(opts.Hold, 0), MaxHold)
	}
	return 0
}

// overrules reports whether the outcome comes before one that is held. The asker no
// longer needs that one: it withdraws the ask, or has an outcome from its own dialog.
func (opts *CloseOptions) overrules(o *sayso.Outcome) bool {
	return o.By.Kind == sayso.ByAsker || opts != nil && (opts.Consumed || opts.Relayed)
}

// holding returns a copy of the ticket with an outcome that does not count yet. An
// answer is no silence, so the declared default does not stand in if it is taken back.
func (t *Ticket) holding(o *sayso.Outcome, nonce string, until time.Time) *Ticket {
	c := *t
	c.Held, c.Replayed = &Held{Outcome: o, Nonce: nonce, Until: until}, false
	if d := t.Ask.Deadline; !d.IsZero() && d.Before(until) {
		c.Held.Until = d
	}
	if !t.Ask.OnExpiry.IsZero() && t.Touched.IsZero() {
		c.Touched = o.At
	}
	return &c
}

// released returns a copy of the ticket, closed with what was held. The outcome has
// the time at which it began to count: an asker that waits is given a moment from then
// on to take it, before anybody hands it on as late.
func (h *Hub) released(t *Ticket) *Ticket {
	out := *t.Held.Outcome
	out.At = h.now()
	if d := t.Ask.Deadline; !d.IsZero() && d.Before(out.At) {
		out.At = d
	}
	c := t.closed(&out, t.Held.Nonce)
	if h.final(t, &out) {
		c.Consumed = out.At
	}
	return c
}

// overruled returns the ticket with what was held in its history, as late. Without
// anything held it is the ticket itself.
func (t *Ticket) overruled(now time.Time) *Ticket {
	if t.Held == nil {
		return t
	}
	c := t.remember(Entry{Outcome: t.Held.Outcome, Why: Late, At: now, Nonce: t.Held.Nonce})
	c.Held = nil
	return c
}

// taken returns the ticket as somebody sees it who comes second: with the outcome that
// is held, if the ask is open.
func (t *Ticket) taken() *Ticket {
	if t.Held == nil {
		return t
	}
	c := *t
	c.Outcome, c.Nonce = t.Held.Outcome, t.Held.Nonce
	return &c
}

// closeNonce names the close that the ticket shows, whether it counts yet or not.
func (t *Ticket) closeNonce() string {
	if t.Held != nil {
		return t.Held.Nonce
	}
	return t.Nonce
}

// says reports whether what is held is the same decision by the same responder.
func (held *Held) says(o *sayso.Outcome) bool {
	return SameResponder(held.Outcome.By, o.By) && sameOutcome(held.Outcome, o)
}

// ForAsker returns the ticket as the asker may see it, and anybody else who may not
// answer: without what is held, and without whom it was delegated to.
func (t *Ticket) ForAsker() *Ticket {
	if t.Held == nil && t.Passed == nil {
		return t
	}
	c := *t
	if t.Held != nil {
		c.Outcome, c.Nonce, c.Held = nil, "", nil // a ClosedError has what is held as the outcome
	}
	c.Passed = nil
	return &c
}

func (in *inbox) Hold(ctx context.Context, seen *Ticket, o *sayso.Outcome, d time.Duration) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	out := *o
	out.By = in.by
	return in.hub.Close(ctx, seen, &out, &CloseOptions{Hold: d})
}

func (in *inbox) Amend(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	out := *o
	out.By = in.as(seen)
	return in.hub.Amend(ctx, seen, &out, nil)
}

// as is who takes back or changes what the ticket says. The only person there is may
// do so at another surface than where it was said.
func (in *inbox) as(seen *Ticket) sayso.Responder {
	by, said := in.by, seen.taken().Outcome
	if by.ID == "" && said != nil && said.By.Kind == by.Kind && said.By.ID == "" {
		by.Surface = said.By.Surface
	}
	return by
}

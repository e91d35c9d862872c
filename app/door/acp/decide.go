package acp

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var (
	errUndecided = errors.New("acp: nobody decided it in the hub")
	errChanged   = errors.New("acp: what would run has changed since it was shown")
)

// sameCall is a hub whose decision is taken only for the call that waits now.
type sameCall struct {
	hub.Asker
	race *race
}

// Consume takes the outcome, unless it is about something else.
func (s *sameCall) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	if !s.race.same(s.race.ticket) {
		s.race.say(s.race.title() + " was decided elsewhere, and what would run has changed since. Decide it here.")
		return nil, errChanged
	}
	return s.Asker.Consume(ctx, handle)
}

// Submit stores the ask again, which the hub has lost, with what is stored beside it.
func (s *sameCall) Submit(ctx context.Context, _ *sayso.Ask) (*hub.Ticket, error) {
	return s.race.submit(ctx)
}

// same reports whether the ticket shows what would run now.
func (r *race) same(t *hub.Ticket) bool {
	now := r.approval.again()
	return now != nil && now.Digest() == t.Digest
}

// counts reports whether the outcome of a ticket is for the agent. One of an approval
// is if it decides something, about what would run now.
func (r *race) counts(t *hub.Ticket) bool {
	return r.approval == nil || r.ask.Verdict(t.Outcome) != nil && r.same(t)
}

// decided says why the hub's outcome is not what the agent is told; nil if it is.
func (r *race) decided(h inHub) error {
	if h.err == nil && r.approval != nil && r.ask.Verdict(h.ticket.Outcome) == nil {
		return errUndecided
	}
	return h.err
}

// title names what is asked to the person in the editor.
func (r *race) title() string {
	if r.approval != nil {
		return "“" + sayso.SafeLine(r.ask.Questions[0].Text) + "”"
	}
	return "“" + sayso.Title(r.ask) + "”"
}

// closedElsewhere tells the person in the editor who was faster.
func (r *race) closedElsewhere(o *sayso.Outcome) string {
	if r.approval != nil {
		return r.title() + "\n" + sayso.RenderClosed(r.ask, o)
	}
	return sayso.RenderClosed(r.ask, o)
}

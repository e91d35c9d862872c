package hook

import (
	"context"
	"errors"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// wentOn is why an ask is withdrawn that nobody answered.
const wentOn = "dismissed at the terminal, or its call had ended; the session went on"

// prompted takes up what the calls of earlier turns left behind: they have ended,
// however that was. Nobody waits for what is still open, unless a person asked it again,
// and what was answered meanwhile is handed over with the prompt, once.
func (d *Door) prompted(ctx context.Context, e Event, about About) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	var left, approvals []*hub.Ticket
	err := hub.Each(ctx, d.hub, &hub.Filter{Conversation: about.Session, Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		switch {
		case d.approves(t) && t.Open():
			approvals = append(approvals, t)
		case d.asked(t) && t.Consumed.IsZero():
			left = append(left, t)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(left, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	var late []*hub.Ticket
	errs := []error{d.leftOver(ctx, about, approvals), d.unnotice(ctx, about)}
	for _, t := range left {
		if t.Open() && t.Again == nil && !d.opts.Unattended && !about.Continues {
			_, err = d.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, wentOn)
			var closed *hub.ClosedError
			if errors.As(err, &closed) { // answered just now
				t, err = closed.Ticket, nil
			}
			errs = append(errs, err)
		}
		has, err := d.takeOver(ctx, t)
		errs = append(errs, err)
		if has != nil {
			late = append(late, has)
		}
	}
	more, err := d.tools(ctx, about)
	late, errs = append(late, more...), append(errs, err)
	if len(late) == 0 {
		return nil, errors.Join(errs...)
	}
	reply, err := e.Reply(Told{Late: late})
	return reply, errors.Join(append(errs, err)...)
}

// takeOver returns the ticket of an outcome that nobody has had, for this session to
// have it; nil if there is nothing to tell.
func (d *Door) takeOver(ctx context.Context, t *hub.Ticket) (*hub.Ticket, error) {
	if t.Open() || t.Outcome.Status != sayso.StatusAnswered && !decided(t.Outcome) {
		return nil, nil
	}
	has, err := d.hub.Consume(ctx, t.Handle)
	if errors.Is(err, hub.ErrOpen) {
		return nil, nil // taken back just now
	}
	if err != nil || has.Replayed {
		return nil, err
	}
	return has, nil
}

package hub

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
)

var _ sayso.Trier = (*resolver)(nil)

// TryAsk stores the ask, and takes the outcome if there is one.
func (r *resolver) TryAsk(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, string, error) {
	t, err := r.hub.Submit(ctx, r.tenant, a)
	for err == nil && !t.Open() {
		consumed, consumeErr := r.hub.Consume(ctx, t)
		switch {
		case consumeErr == nil:
			return consumed.Outcome, r.hub.Handle(t.Address), nil
		case !errors.Is(consumeErr, ErrOpen):
			err = consumeErr
		default: // undone just now
			t, err = r.hub.Get(ctx, t.Address)
		}
	}
	if err != nil {
		return nil, "", unreachable(err)
	}
	return t.OutcomeOrPending(), r.hub.Handle(t.Address), nil
}

// OutcomeOrPending returns the outcome, or one that says that there is none yet.
func (t *Ticket) OutcomeOrPending() *sayso.Outcome {
	if t.Open() {
		return &sayso.Outcome{Status: sayso.StatusPending}
	}
	return t.Outcome
}

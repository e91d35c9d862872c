package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
)

// Resolver returns a resolver that asks through the waiting room of the tenant:
// it submits, waits for as long as ctx lasts, and consumes.
//
// When ctx ends because another resolver got the answer, the ask is closed with
// that answer, so that every surface folds and says whose it is. When ctx ends
// otherwise, the ask stays open: the same ask made again finds the answer. It is a
// [sayso.Trier].
func (h *Hub) Resolver(tenant string) sayso.Resolver {
	return &resolver{h, tenant}
}

type resolver struct {
	hub    *Hub
	tenant string
}

func (r *resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	h := r.hub
	t, err := h.Ask(ctx, r.tenant, a)
	for err == nil {
		var consumed *Ticket
		if consumed, err = h.Consume(ctx, t); err == nil {
			return consumed.Outcome, nil
		}
		if errors.Is(err, ErrOpen) { // undone just now
			var again *Ticket
			if again, err = h.Wait(ctx, t.Address); err == nil {
				t = again
			}
		}
	}
	var superseded *sayso.SupersededError
	if (t != nil || a.ID != "") && errors.As(context.Cause(ctx), &superseded) {
		err = errors.Join(err, h.fold(ctx, r.tenant, a, t, superseded.Winner))
	}
	return nil, unreachable(err)
}

// unreachable marks the errors that mean that the hub asks nobody.
func unreachable(err error) error {
	if errors.Is(err, ErrFull) || errors.Is(err, ErrStopped) || errors.Is(err, ErrSecret) {
		return fmt.Errorf("%w: %w", sayso.ErrUnreachable, err)
	}
	return err
}

// fold closes an ask that was answered outside the waiting room. t is its ticket,
// or nil: perhaps it was stored, perhaps not.
func (h *Hub) fold(ctx context.Context, tenant string, a *sayso.Ask, t *Ticket, winner *sayso.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if t == nil {
		t = &Ticket{Address: AddressOf(tenant, a), Digest: a.Digest()}
	}
	has := &CloseOptions{Consumed: true}
	_, err := h.Close(ctx, t, winner, has)
	var closed *ClosedError
	if err == nil || errors.As(err, &closed) || errors.Is(err, ErrNotFound) {
		return nil
	}
	// The winner may be one that this ask does not know or does not trust
	// enough. Its surfaces fold all the same, and are told no more than that.
	_, err = h.Close(ctx, t, &sayso.Outcome{
		Status: sayso.StatusSuperseded,
		By:     sayso.Responder{Kind: sayso.ByAsker, Surface: winner.By.Surface},
		Reason: "answered elsewhere",
	}, has)
	if errors.As(err, &closed) {
		return nil
	}
	return err
}

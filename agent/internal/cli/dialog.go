package cli

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ask shows a dialog for an ask, below what was said, and gives the hub what the
// person says. It reports whether the ask is closed, here or elsewhere.
func (t *talk) ask(ctx context.Context, a *sayso.Ask) (closed bool, err error) {
	in, err := t.d.inbox("terminal")
	if err != nil {
		return false, err
	}
	ticket, err := t.d.ticket(ctx, in, a)
	switch {
	case errors.Is(err, hub.ErrNotFound):
		return false, nil // it is not to this person
	case err != nil:
		return false, err
	case !ticket.Open():
		return true, nil
	}
	got, err := t.here.Answer(ctx, in, ticket)
	switch {
	case errors.Is(err, sayso.ErrUnreachable):
		t.line("This question cannot be answered here: %v", err)
		return false, nil
	case err != nil:
		return false, err
	}
	return !got.Open(), nil
}

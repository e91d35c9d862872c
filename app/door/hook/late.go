package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// wentOn is why an ask is withdrawn that nobody answered.
const wentOn = "dismissed at the terminal, or its call had ended; the session went on"

// userPromptSubmit takes up what the calls of earlier turns left behind: they have
// ended, however that was. Nobody waits for what is still open, and what was
// answered meanwhile is handed over with the prompt, once.
func (d *Door) userPromptSubmit(ctx context.Context, e *Event) (*Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	var left []*hub.Ticket
	err := d.each(ctx, e.Session, func(t *hub.Ticket) {
		if t.Consumed.IsZero() {
			left = append(left, t)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(left, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	var late []string
	var errs []error
	for _, t := range left {
		if t.Open() && !d.opts.Unattended {
			_, err = d.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, wentOn)
			var closed *hub.ClosedError
			if errors.As(err, &closed) { // answered just now
				t, err = closed.Ticket, nil
			}
			errs = append(errs, err)
		}
		text, err := d.handOver(ctx, t)
		errs = append(errs, err)
		if text != "" {
			late = append(late, text)
		}
	}
	if len(late) == 0 {
		return nil, errors.Join(errs...)
	}
	return &Reply{Output: &Output{Event: e.Name, Context: strings.Join(late, "\n")}}, nil
}

// handOver returns what the model is told about an outcome that nobody has had,
// or "" if there is nothing to tell.
func (d *Door) handOver(ctx context.Context, t *hub.Ticket) (string, error) {
	if t.Open() || t.Outcome.Status != sayso.StatusAnswered && !decided(t.Outcome) {
		return "", nil
	}
	has, err := d.hub.Consume(ctx, t.Handle)
	if errors.Is(err, hub.ErrOpen) {
		return "", nil // taken back just now
	}
	if err != nil || has.Replayed {
		return "", err
	}
	r, err := tool.Finish(has.Ask, spoken(has.Ask, has.Outcome))
	if err != nil {
		return "", err
	}
	call := "an earlier call of " + toolName
	if id := has.Ask.Origin.ToolCall; id != "" {
		call += " (" + sayso.SafeLine(id) + ")"
	}
	return fmt.Sprintf("The user has responded to %s after it had ended: %s", call, r.Text), nil
}

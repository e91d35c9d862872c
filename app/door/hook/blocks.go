package hook

import (
	"context"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// inPlace asks in place of the agent's own dialog, which opens when the time is over.
// The question stays open then: what is answered in that dialog closes it, and an
// answer that comes from elsewhere meanwhile is handed over with the next prompt.
func (d *Door) inPlace(ctx context.Context, e Event, a *sayso.Ask) ([]byte, error) {
	waiting, cancel := ctx, func() {}
	if d.opts.Wait > 0 {
		waiting, cancel = context.WithTimeout(ctx, d.opts.Wait)
	}
	defer cancel()
	t, err := d.hub.Submit(waiting, a)
	if err != nil {
		return nil, err
	}
	has, err := hub.Await(waiting, d.hub, t)
	switch {
	case err != nil && waiting.Err() != nil && ctx.Err() == nil:
		return nil, nil // the dialog opens
	case err != nil:
		return nil, err
	}
	switch s := has.Outcome.Status; {
	case s == sayso.StatusAnswered, s == sayso.StatusUnanswered, decided(has.Outcome):
		return e.Reply(Told{Ask: has.Ask, Outcome: has.Outcome})
	}
	return nil, nil // withdrawn or expired: the dialog opens
}

// SameAnswers reports whether two outcomes have the same answers, but for notes.
func SameAnswers(a, b *sayso.Outcome) bool {
	return slices.EqualFunc(a.Answers, b.Answers, func(a, b sayso.Answer) bool {
		return a.QuestionID == b.QuestionID && a.Other == b.Other &&
			slices.Equal(slices.Sorted(slices.Values(a.Selected)), slices.Sorted(slices.Values(b.Selected)))
	})
}

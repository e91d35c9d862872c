package prompt

import (
	"context"
	"slices"

	"github.com/saysohq/sayso"
)

// approval shows everything that an agent wants to do, and asks whether it may.
func (d *dialog) approval(ctx context.Context) (*sayso.Outcome, error) {
	if d.ask.Approval == nil { // it says that it is one
		return d.questions(ctx)
	}
	hashes, size := d.ask.Approval.Unseen()
	if size > 0 {
		whole, err := d.whole(ctx)
		switch {
		case err == nil:
			d.shown, d.opened = whole, hashes
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		default:
			d.note = "What will run could not be loaded, so it cannot be allowed here. You can deny it. " + sentence(err) + "\n"
		}
	}
	return d.questions(ctx)
}

// whole returns the ask with everything that is stored beside it.
func (d *dialog) whole(ctx context.Context) (*sayso.Ask, error) {
	if d.r.Whole == nil {
		return d.ask.WithContent(nil)
	}
	return d.r.Whole(ctx, d.ask)
}

// decided adds to the answer of an approval what was opened, and says why it cannot be
// carried out, if it cannot.
func (d *dialog) decided(ans *sayso.Answer) (problem string) {
	p := d.ask.Approval
	if p == nil {
		return ""
	}
	if len(ans.Selected) == 1 {
		if o := p.Offer(ans.Selected[0]); o != nil && o.Act == sayso.ActAllow {
			ans.Opened = d.opened
		}
	}
	err := d.ask.Check(&sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{*ans}})
	if err == nil {
		return ""
	}
	problem = "Not sent. " + sentence(err)
	if ans.Other != "" {
		problem += "\nYou had typed: " + sayso.SafeLine(ans.Other)
	}
	return problem
}

// ownWords asks whether a line that names no option is meant: as an answer, or, of an
// approval, as a no with a message.
func (d *dialog) ownWords() string {
	p := d.ask.Approval
	switch {
	case p == nil:
		return " names no option. Send it as your own words? (yes or no): "
	case slices.ContainsFunc(p.Denies(), func(o *sayso.Offer) bool { return o.Message }):
		return " names no option. Deny it, and tell the agent that? (yes or no): "
	}
	return ""
}

package pi

import (
	"context"
	"strings"

	"github.com/saysohq/sayso"
)

// gate asks for permission in pi's dialogs.
type gate struct{ plugin }

// What pi's dialog shows at most. What is larger is for the inbox.
const (
	maxShown = 3000
	maxLines = 30
)

const (
	allowChoice   = "Allow once"
	denyChoice    = "Deny"
	messageChoice = "Deny, and tell the agent why"
)

// ask returns nil if the dialog was closed: that decides nothing.
func (g *gate) ask(ctx context.Context, a *sayso.Ask) *sayso.Outcome {
	title, whole := shown(a.Approval)
	choices := []string{denyChoice, messageChoice}
	if whole {
		choices = append([]string{allowChoice}, choices...)
	}
	chosen, ok, err := g.show(ctx, "select", title, choices...)
	if err != nil || !ok {
		return nil
	}
	ans := sayso.Answer{QuestionID: sayso.VerdictQuestion}
	switch {
	case chosen == allowChoice && whole:
		ans.Selected = []string{"allow"}
	case chosen == denyChoice:
		ans.Selected = []string{"deny"}
	case chosen == messageChoice:
		words, ok, err := g.show(ctx, "input", "What should the agent know?")
		if err != nil || !ok {
			return nil
		}
		ans.Selected, ans.Note = []string{"deny"}, words
	default:
		return nil
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}}
	if a.Verdict(o) == nil {
		return nil
	}
	return o
}

// shown is what would run, in words, and whether that is all of it.
func shown(p *sayso.Approval) (title string, whole bool) {
	var b strings.Builder
	b.WriteString("Allow pi to use " + sayso.SafeLine(p.Tool) + "?\n")
	whole = true
	for _, part := range p.Shown {
		b.WriteString("\n" + sayso.SafeLine(part.Name) + ":\n" + strings.TrimRight(sayso.SafeText(part.Text), "\n") + "\n")
		whole = whole && part.Whole() && sayso.SafeText(part.Text) == part.Text
	}
	title = b.String()
	if whole && len(title) <= maxShown && strings.Count(title, "\n") <= maxLines {
		return title, true
	}
	return "pi wants to use " + sayso.SafeLine(p.Tool) + ". It is too long to be shown here.\nTo see it all, and allow it: sayso inbox", false
}

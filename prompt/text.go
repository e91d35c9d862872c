package prompt

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// introduction says who asks, and where.
func introduction(a *sayso.Ask) string {
	who := strings.Join(a.Origin.Agents, " > ")
	if who == "" {
		who = a.Origin.Host
	}
	if sayso.Blank(who) {
		who = "The agent"
	}
	text := sayso.SafeLine(who) + " asks"
	if len(a.Questions) > 1 {
		text += " " + count(len(a.Questions), "question")
	}
	if a.Origin.Workspace != "" {
		text += ", in " + sayso.SafeLine(a.Origin.Workspace)
		if a.Origin.Branch != "" {
			text += " @ " + sayso.SafeLine(a.Origin.Branch)
		}
	}
	if !a.Deadline.IsZero() {
		text += ", to be answered before " + a.Deadline.Format("2006-01-02 15:04 MST")
	}
	return text + ".\n"
}

// questionText is everything that question i shows.
func questionText(a *sayso.Ask, i int) string {
	q := &a.Questions[i]
	var b strings.Builder
	heading := ""
	if len(a.Questions) > 1 {
		heading = "Question " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(a.Questions))
	}
	if q.Header != "" {
		if heading != "" {
			heading += ", "
		}
		heading += sayso.SafeLine(q.Header)
	}
	if heading != "" {
		b.WriteString(heading + ":\n")
	}
	block(&b, "", q.Text)
	bars(&b, "", q.Body)
	for j := range q.Options {
		o := &q.Options[j]
		b.WriteString("  " + strconv.Itoa(j+1) + ". " + sayso.SafeLine(o.Label))
		if o.Recommended {
			b.WriteString(" [recommended]")
		}
		if o.Danger {
			b.WriteString(" [dangerous]")
		}
		b.WriteString("\n")
		block(&b, "     ", o.Description)
		bars(&b, "     ", o.Preview)
	}
	if len(q.Options) > 0 {
		b.WriteString("  0. Answer in your own words\n")
	}
	if q.Secret {
		b.WriteString("What you type here stays visible on the screen.\n")
	}
	return b.String()
}

// block writes text of the asker. Its first line stands where only that can
// stand; the others begin with a bar, so that none passes for an option.
func block(b *strings.Builder, indent, text string) {
	if sayso.Blank(text) {
		return
	}
	head, rest, _ := strings.Cut(sayso.SafeText(text), "\n")
	b.WriteString(indent + head + "\n")
	bars(b, indent, rest)
}

// bars writes text of the asker with a bar before each line.
func bars(b *strings.Builder, indent, text string) {
	if sayso.Blank(text) {
		return
	}
	for _, l := range strings.Split(sayso.SafeText(text), "\n") {
		b.WriteString(strings.TrimRight(indent+"| "+l, " ") + "\n")
	}
}

func promptText(q *sayso.Question) string {
	switch {
	case len(q.Options) == 0:
		return "Your answer (? for help): "
	case q.Multi:
		return "Your choices (numbers with commas, ? for help): "
	}
	return "Your choice (a number, ? for help): "
}

func helpText(q *sayso.Question) string {
	text := "Type your answer on one line and press Enter.\n"
	if len(q.Options) > 0 {
		text = "Type the number of an option, or its label in full, and press Enter.\n"
		if q.Multi {
			text += "Several may be chosen: 1,3.\n"
		}
		text += "To answer in your own words, type other and the words, or 0.\n"
	}
	return text + "- or skip leaves this question out. " + waysOut
}

const (
	waysOut    = "later leaves everything open and sends nothing.\ndecline tells the agent that you do not want to answer.\n"
	reviewHelp = "y sends the answers. A number goes back to that question.\n" + waysOut
)

// reviewText lists what is about to be sent.
func reviewText(a *sayso.Ask, answers []sayso.Answer) string {
	var b strings.Builder
	b.WriteString("Your answers:\n")
	for i := range answers {
		b.WriteString("  " + strconv.Itoa(i+1) + ". " + answerLine(a, answers, i) + "\n")
	}
	return b.String()
}

// answerLine is the answer to question i in one line.
func answerLine(a *sayso.Ask, answers []sayso.Answer, i int) string {
	q, ans := &a.Questions[i], answers[i]
	name := q.Header
	if name == "" {
		name = first(q.Text, 60)
	}
	var words []string
	for _, id := range ans.Selected {
		words = append(words, sayso.SafeLine(q.Option(id).Label))
	}
	if ans.Other != "" {
		words = append(words, strconv.Quote(first(ans.Other, 200)))
	}
	text := strings.Join(words, ", ")
	switch {
	case text == "":
		text = "no answer"
	case q.Secret:
		text = "[secret]"
	}
	return sayso.SafeLine(name) + ": " + text
}

// sentText confirms what was sent. One question had no review, so it is repeated.
func sentText(a *sayso.Ask, o *sayso.Outcome) string {
	text := "Sent."
	if o.Status != sayso.StatusAnswered {
		text = "Sent without an answer."
	}
	if len(o.Answers) == 1 {
		text += " " + answerLine(a, o.Answers, 0)
	}
	return text + "\n"
}

// farewell says why the questions need no answer any more.
func farewell(ctx context.Context, a *sayso.Ask) string {
	var superseded *sayso.SupersededError
	if !errors.As(context.Cause(ctx), &superseded) {
		return "The questions were withdrawn. Nothing was sent."
	}
	who := ""
	if by := superseded.Winner.By; by.ID != "" {
		who = " by " + sayso.SafeLine(by.ID)
	}
	if by := superseded.Winner.By; by.Surface != "" {
		who += " (" + sayso.SafeLine(by.Surface) + ")"
	}
	return "Closed elsewhere" + who + ". Nothing was sent from here.\n" + sayso.RenderResult(a, superseded.Winner)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

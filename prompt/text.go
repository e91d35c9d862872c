package prompt

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// questionText is everything that question i shows.
func questionText(a *sayso.Ask, i int) string {
	text := sayso.RenderQuestion(a, i)
	if a.Questions[i].Secret {
		text += "This is a secret. What you type here stays visible on the screen.\n"
	}
	return text
}

func promptText(q *sayso.Question) string {
	return sayso.ByKind(q,
		"Your answer (or /help): ",
		"Your choice (a number, a label, your own words, or /help): ",
		"Your choices (numbers or labels with commas, your own words, or /help): ")
}

func helpText(q *sayso.Question) string {
	const choose = "Type the number of an option, or its label, and press Enter.\n"
	const own = "To answer in your own words, type them, or the word other and then the words.\n"
	return sayso.ByKind(q,
		"Type your answer on one line and press Enter.\n",
		choose+own,
		choose+"Several may be chosen: 1,3.\n"+own) +
		"/skip leaves this question out. " + waysOut
}

const (
	waysOut = "/later leaves everything open and sends nothing.\n" +
		"/decline tells the agent that you do not want to answer. /cancel calls the question off.\n"
	reviewHelp = "y sends the answers. A number goes back to that question.\n" + waysOut
)

// dangerText asks whether a dangerous option is meant, and says what it is.
func dangerText(o *sayso.Option) string {
	return sayso.RenderDanger([]*sayso.Option{o}) + "\nSend it all the same? (type yes in full, or no): "
}

// typed is what the person had said, so that it can be copied.
func (d *dialog) typed() string {
	var b strings.Builder
	for i, ans := range d.answers {
		if ans.Answered() {
			b.WriteString("  " + answerLine(d.ask, d.answers, i) + "\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "You had typed:\n" + b.String()
}

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
		words = append(words, strconv.Quote(ans.Other))
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

// farewell says why the questions are no longer asked here.
func farewell(ctx context.Context, a *sayso.Ask) string {
	var superseded *sayso.SupersededError
	if errors.As(context.Cause(ctx), &superseded) {
		return sayso.RenderClosed(a, superseded.Winner)
	}
	return "Stopped. Nothing was sent."
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

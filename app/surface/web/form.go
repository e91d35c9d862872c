package web

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ask is the right pane: the questions of one ask and what the person has said so far.
type ask struct {
	Handle, Digest string
	From, Ago      string
	Due            string // when the deadline is, if there is one
	Blocked        string // what waits behind it
	Questions      []question
	Problems       []string // what keeps the form from being sent
	Answered       int      // questions that have an answer, where Problems holds only missing ones
	Partial        bool     // the form can be sent with questions skipped
	Closed         *closed
	Unsent         []string // what was typed and not sent, when somebody else was first
}

// question is one question with the state of its form.
type question struct {
	*sayso.Question
	Index   int
	Body    template.HTML
	Cards   []card
	Own     string // own words
	OwnOn   bool   // the own-words card is ticked
	Note    string
	Missing bool
}

// card is one option.
type card struct {
	*sayso.Option
	Number  int
	On      bool
	Preview template.HTML
}

// closed is what became of the ask.
type closed struct {
	Headline string
	By       string
	Rows     []closedRow
	Reply    string
	Undo     bool // the person may take it back
	Told     bool // the agent has it
}

type closedRow struct{ Question, Said string }

// InputType is radio, or checkbox where several options may be chosen.
func (q question) InputType() string {
	if q.Multi {
		return "checkbox"
	}
	return "radio"
}

// SendWords is what the button that sends says.
func (a *ask) SendWords() string {
	if n := len(a.Questions); n > 1 {
		return fmt.Sprintf("Send %d answers", n)
	}
	return "Send answer"
}

// PartialWords is what the button says that sends what there is.
func (a *ask) PartialWords() string {
	n := len(a.Questions)
	return fmt.Sprintf("Send %d of %d, skip %d", a.Answered, n, n-a.Answered)
}

// said is the form's answer to one question, and whether it contradicts itself.
type said struct {
	sayso.Answer
	both bool // a single choice with own words that are not chosen: which is meant?
}

// readForm reads what the person has put into the form.
func readForm(a *sayso.Ask, form url.Values) []said {
	all := make([]said, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		chosen := form[fmt.Sprintf("q%d", i)]
		got := said{Answer: sayso.Answer{QuestionID: q.ID}}
		for j := range q.Options {
			if slices.Contains(chosen, optionValue+q.Options[j].ID) {
				got.Selected = append(got.Selected, q.Options[j].ID)
			}
		}
		words := strings.TrimSpace(strings.ReplaceAll(form.Get(fmt.Sprintf("t%d", i)), "\r\n", "\n"))
		if !sayso.Blank(words) {
			got.Other = words
			got.both = !q.Multi && len(got.Selected) > 0 && !slices.Contains(chosen, ownValue)
		}
		if note := strings.TrimSpace(form.Get(fmt.Sprintf("n%d", i))); !sayso.Blank(note) {
			got.Note = note
		}
		all[i] = got
	}
	return all
}

// The values of the cards: an option's id behind its prefix, or own words. An
// asker chooses the ids, so they must not be able to spell the other.
const (
	optionValue = "option:"
	ownValue    = "own"
)

// Value is what the form sends when the card is chosen.
func (c card) Value() string { return optionValue + c.ID }

// problems says in plain words why the form cannot be sent; missing counts the
// questions without an answer.
func problems(a *sayso.Ask, all []said) (words []string, missing int) {
	for i, s := range all {
		switch {
		case s.both:
			words = append(words, fmt.Sprintf("Question %d has a choice and your own words. Choose “In my own words” to send the words, or clear them.", i+1))
		case !s.Answered():
			missing++
			words = append(words, fmt.Sprintf("Question %d still needs an answer: “%s”", i+1, sayso.SafeLine(a.Questions[i].Text)))
		}
	}
	return words, missing
}

// outcome makes an outcome of the form. Questions without an answer are skipped.
func outcome(all []said) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for _, s := range all {
		if !s.Answered() {
			s.Answer.Unanswered = sayso.ReasonSkipped
		}
		o.Answers = append(o.Answers, s.Answer)
	}
	return o
}

// fill makes the form of a ticket with what the person has said so far.
func (s *Site) fill(t *hub.Ticket, so []said) *ask {
	v := &ask{
		Handle: s.hub.Handle(t.Address), Digest: t.Digest, From: from(t.Ask),
		Ago: ago(s.opts.Now().Sub(t.Ask.AskedAt)), Closed: closing(t),
	}
	if !t.Ask.Deadline.IsZero() {
		v.Due = t.Ask.Deadline.UTC().Format("2 Jan 2006, 15:04 UTC")
	}
	if t.Open() {
		v.Blocked = t.Ask.HeldUp().String()
	}
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		f := question{Question: q, Index: i, Body: markdown(q.Body)}
		var got said
		if i < len(so) {
			got = so[i]
		}
		f.Own, f.Note = got.Other, got.Note
		f.OwnOn = got.Other != "" && !got.both
		for j := range q.Options {
			o := &q.Options[j]
			f.Cards = append(f.Cards, card{Option: o, Number: j + 1, On: slices.Contains(got.Selected, o.ID), Preview: preview(o.Preview)})
		}
		v.Questions = append(v.Questions, f)
	}
	return v
}

// preview shows code as it is and anything else as Markdown.
func preview(s string) template.HTML {
	if s == "" {
		return ""
	}
	if strings.Contains(s, "```") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "- ") {
		return markdown(s)
	}
	return "<pre>" + template.HTML(template.HTMLEscapeString(s)) + "</pre>"
}

package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// closed is what became of the ask.
type closed struct {
	Headline string
	By       string
	Rows     []closedRow
	Reply    string
	Nonce    string // of the close that is shown
	Undo     bool   // the person may undo it
	Own      bool   // it is the person's own answer
	Told     bool   // the agent has it
	Sent     string // what it says, a JSON list: the script tells from it what was not sent
}

type closedRow struct{ Question, Said string }

// state names what the page of an ask shows: a page that shows another state is out
// of date.
func state(t *hub.Ticket, by sayso.Responder) string {
	if t.Open() {
		return "open " + life(t, by)
	}
	return fmt.Sprint("closed ", t.Outcome.At.UnixNano(), " ", !t.Consumed.IsZero())
}

// closing words what became of the ask, or returns nil while it is open.
func closing(t *hub.Ticket, by sayso.Responder) *closed {
	if t.Open() {
		return nil
	}
	o := t.Outcome
	c := &closed{Headline: headline(t), By: whoClosed(o, by), Told: !t.Consumed.IsZero(), Nonce: t.Nonce}
	c.Own = o.By.Kind.Human() && hub.SameResponder(o.By, by)
	c.Undo = c.Own && !c.Told
	c.Reply = sayso.SafeText(o.Reply)
	list, _ := json.Marshal(append([]string{}, sent(t, by)...))
	c.Sent = string(list)
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		a, _ := o.Answer(q.ID)
		c.Rows = append(c.Rows, closedRow{Question: q.Text, Said: saidWords(q, a)})
	}
	if v := t.Ask.Verdict(o); v != nil && v.Input != "" {
		c.Rows = append(c.Rows, closedRow{"Changed before it was allowed", sayso.Visible(editedText(t.Ask.Approval, v.Input))})
	}
	if v := t.Ask.Verdict(o); v != nil && v.Unseen > 0 {
		c.Rows = append(c.Rows, closedRow{"Allowed unseen", bytesOf(v.Unseen) + " of it were not opened."})
	}
	return c
}

func headline(t *hub.Ticket) string {
	if v := t.Ask.Verdict(t.Outcome); v.Allowed() {
		return "Allowed"
	} else if v != nil {
		return "Denied"
	}
	s := t.Outcome.Status
	switch s {
	case sayso.StatusAnswered:
		return "Answered"
	case sayso.StatusDeclined:
		return "Declined"
	case sayso.StatusExpired:
		return "The deadline passed without an answer"
	case sayso.StatusCancelled:
		return "Withdrawn by the agent"
	}
	return "Closed: " + statusWord(s)
}

// whoClosed says who gave the outcome, where and when.
func whoClosed(o *sayso.Outcome, by sayso.Responder) string {
	var words []string
	if name := sayso.SafeLine(o.By.ID); o.Status == sayso.StatusAnswered || o.Status == sayso.StatusDeclined {
		switch {
		case hub.SameResponder(o.By, by) && name != "":
			name = "you, " + name
		case o.By.Kind == sayso.ByPerson:
			name = cmp.Or(name, "you")
		case o.By.Kind == sayso.ByProgram:
			name = "somebody through " + cmp.Or(name, "a program")
		default:
			name = strings.TrimSpace(string(o.By.Kind) + " " + name)
		}
		words = append(words, "by "+name)
		if o.By.Surface != "" {
			words = append(words, "("+sayso.SafeLine(o.By.Surface)+")")
		}
	}
	return strings.Join(append(words, o.At.UTC().Format("2 Jan 2006, 15:04 UTC")), " ")
}

func saidWords(q *sayso.Question, a sayso.Answer) string {
	if !a.Answered() {
		return "no answer"
	}
	if q.Secret {
		return "a secret, which is not shown"
	}
	var parts []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, o.Label)
		}
	}
	if a.Other != "" {
		parts = append(parts, "“"+sayso.SafeText(a.Other)+"”")
	}
	words := strings.Join(parts, ", ")
	if a.Note != "" {
		words += " — note: “" + sayso.SafeText(a.Note) + "”"
	}
	return words
}

package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// closed is what became of the ask.
type closed struct {
	Headline string
	Answered bool // and not declined, expired or cancelled
	By       string
	Rows     []closedRow
	Reply    string
	Nonce    string // of the close that is shown
	Undo     bool   // the person may undo it
	Held     *held  // it does not count yet
	Amend    bool   // the person may change it, although the agent has it
	Fixed    string // why they may not
	Again    bool   // it can be asked again, and not undone
	Delivery string // whether the agent has it
	Earlier  []earlier
	Own      bool   // it is the person's own answer
	Told     bool   // the agent has it
	Sent     string // what it says, a JSON list: the script tells from it what was not sent
}

type closedRow struct{ Question, Said string }

// earlier is an outcome that does not count, or no longer.
type earlier struct{ Why, Said, By string }

// lateAfter is how long after an answer an agent that waits for it has it. One that has
// it later was not waiting.
const lateAfter = 30 * time.Second

// state names what the page of an ask shows: a page that shows another state is out
// of date.
func state(t *hub.Ticket, by sayso.Responder) string {
	switch {
	case t.Open() && t.Held != nil:
		return fmt.Sprint("held ", t.Held.Until.UnixNano())
	case t.Open():
		return "open " + life(t, by)
	}
	return fmt.Sprint("closed ", t.Outcome.At.UnixNano(), " ", !t.Consumed.IsZero())
}

// decided returns the ticket as people see it who may answer: with what is held as its
// outcome, although it does not count yet.
func decided(t *hub.Ticket) *hub.Ticket {
	if !t.Open() || t.Held == nil {
		return t
	}
	c := *t
	c.Outcome, c.Nonce = t.Held.Outcome, t.Held.Nonce
	return &c
}

// closing words what became of the ask, or returns nil while it is open.
func (rd *reader) closing(t *hub.Ticket) *closed {
	if t = decided(t); t.Open() {
		return nil
	}
	o, by := t.Outcome, rd.by()
	c := &closed{Headline: rd.headline(t), Answered: o.Status == sayso.StatusAnswered, By: rd.whoClosed(o), Told: !t.Consumed.IsZero(), Nonce: t.Nonce}
	c.Own = o.By.Kind.Human() && hub.SameResponder(o.By, by)
	c.Undo = c.Own && !c.Told
	c.Reply = sayso.SafeText(o.Reply)
	if t.Held != nil {
		c.Held = rd.held(t)
	} else {
		c.Delivery = rd.delivery(t)
		c.amendable(rd, t)
		c.Again = t.Ask.Approval == nil && !c.Undo
	}
	list, _ := json.Marshal(append([]string{}, sent(t, by)...))
	c.Sent = string(list)
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		a, _ := o.Answer(q.ID)
		c.Rows = append(c.Rows, closedRow{Question: q.Text, Said: rd.saidWords(q, a)})
	}
	if o.Reason != "" {
		c.Rows = append(c.Rows, closedRow{rd.Inbox.DeclineReason, sayso.SafeText(o.Reason)})
	}
	if v := t.Ask.Verdict(o); v != nil && v.Input != "" {
		c.Rows = append(c.Rows, closedRow{rd.Web.ChangedBefore, sayso.Visible(editedText(t.Ask.Approval, v.Input))})
	}
	if v := t.Ask.Verdict(o); v != nil && v.Unseen > 0 {
		c.Rows = append(c.Rows, closedRow{rd.Web.AllowedUnseen, rd.Say(rd.Web.NotOpened, bytesOf(v.Unseen))})
	}
	for _, e := range t.History {
		was := &hub.Ticket{Ask: t.Ask, Outcome: e.Outcome}
		c.Earlier = append(c.Earlier, earlier{rd.Why(e.Why), strings.Trim(rd.headline(was)+": "+rd.inShort(was), ": "), rd.whoClosed(e.Outcome)})
	}
	return c
}

// amendable says whether the person may change an answer that the agent has.
func (c *closed) amendable(rd *reader, t *hub.Ticket) {
	if !c.Own || !c.Told || t.Outcome.Status != sayso.StatusAnswered {
		return
	}
	if t.Ask.Approval != nil {
		c.Fixed = rd.Web.NoAmendApproval
		return
	}
	c.Amend = true
}

func (rd *reader) headline(t *hub.Ticket) string {
	if v := t.Ask.Verdict(t.Outcome); v.Allowed() {
		return rd.Web.Allowed
	} else if v != nil {
		return rd.Web.Denied
	}
	return rd.Closed(t.Outcome)
}

// whoClosed says who gave the outcome, where and when.
func (rd *reader) whoClosed(o *sayso.Outcome) string {
	return strings.TrimSpace(rd.whoWhere(o) + " " + rd.stamp(o.At))
}

// whoWhere says who gave the outcome, and where.
func (rd *reader) whoWhere(o *sayso.Outcome) string {
	var words []string
	cancelled := o.Status == sayso.StatusCancelled && o.By.Kind.Human()
	if name := sayso.SafeLine(o.By.ID); cancelled || o.Status == sayso.StatusAnswered || o.Status == sayso.StatusDeclined {
		switch {
		case hub.SameResponder(o.By, rd.by()) && name != "":
			name = rd.Say(rd.Web.ByYouAs, name)
		case o.By.Kind == sayso.ByPerson && name == "":
			name = rd.Web.ByYou
		case o.By.Kind == sayso.ByPerson:
			name = rd.Say(rd.Web.By, name)
		case o.By.Kind == sayso.ByProgram:
			name = rd.Say(rd.Web.Through, cmp.Or(name, rd.Web.AProgram))
		default:
			name = rd.Say(rd.Web.By, strings.TrimSpace(string(o.By.Kind)+" "+name))
		}
		words = append(words, name)
		if o.By.Surface != "" {
			words = append(words, "("+rd.where(o.By.Surface)+")")
		}
	}
	return strings.Join(words, " ")
}

// where names a surface of ours in the person's language, and any other as it names itself.
func (rd *reader) where(surface string) string {
	return words.Place(surface, rd.Web.InTerminal, rd.Web.InBrowser, sayso.SafeLine(surface))
}

func (rd *reader) saidWords(q *sayso.Question, a sayso.Answer) string {
	if !a.Answered() {
		return rd.Web.NoAnswer
	}
	if q.Secret {
		return rd.Web.SecretHidden
	}
	var parts []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, o.Label)
		}
	}
	if a.Other != "" {
		parts = append(parts, rd.Quote(sayso.SafeText(a.Other)))
	}
	words := strings.Join(parts, ", ")
	if a.Note != "" {
		words += " — " + rd.Say(rd.Web.WithNote, rd.Quote(sayso.SafeText(a.Note)))
	}
	return words
}

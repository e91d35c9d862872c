package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// ask is the right pane: the questions of one ask and what the person has said so far.
type ask struct {
	Handle, Digest  string
	Who             string // whose form it is: the browser keeps what is typed by person
	State           string // of the ask for this person; a page whose state is another one is out of date
	Life, Base      string // of the ask and the draft, when the form was made: see [life] and [version]
	Try             int    // how often the form was sent; a browser that cannot reach another address can go back to the form
	Verified, Claim string // who asks, as the hub knows it and as the asker says
	Ago             string
	Due             string // when the deadline is, if there is one
	Blocked         string // what waits behind it
	Needs           string // how surely the hub must know who answers
	Final           string // that the answer cannot be undone
	Warning         string // it asks for a secret and does not say so
	TooWeak         bool   // this session cannot answer it
	Questions       []question
	Notice          string   // what became of the form, if that is good news
	Picked          string   // that an option is selected which a notification offered
	Problems        []string // what keeps the form from being sent
	Answered        int      // questions that have an answer, where Problems holds only missing ones
	Partial         bool     // the form can be sent with questions skipped
	Confirm         *confirm // what the person must confirm first
	Closed          *closed
	Approval        *approval // what an agent wants to do; nil: it asks questions
	Unsent          []string  // what the person typed that is in neither the form nor the answer

	shown []string // the person's words that are in the form or in the answer
}

// question is one question with the state of its form.
type question struct {
	*sayso.Question
	Index   int
	Body    text
	Cards   []card
	Own     string // own words
	OwnOn   bool   // the own-words card is ticked
	Note    string
	Missing bool
}

// card is one option.
type card struct {
	*sayso.Option
	On      bool
	Preview text
	Does    *does // what an offer of an approval does
	Deny    bool  // it denies
	Locked  bool  // it cannot be chosen here
}

// confirm is the second step that a dangerous answer takes.
type confirm struct {
	Options []*sayso.Option
	Value   string // what the button sends: how it is sent, and what is confirmed
}

// Words is what the button says.
func (c *confirm) Words() string {
	names := make([]string, len(c.Options))
	for i, o := range c.Options {
		names[i] = "“" + o.Label + "”"
	}
	if n := len(names); n > 1 {
		names = []string{strings.Join(names[:n-1], ", "), names[n-1]}
	}
	return "Yes, send " + strings.Join(names, " and ")
}

// InputType is radio, or checkbox where several options may be chosen.
func (q question) InputType() string { return sayso.ByKind(q.Question, "", "radio", "checkbox") }

// SendWords is what the button that sends says.
func (a *ask) SendWords() string {
	if n := len(a.Questions); n > 1 {
		return fmt.Sprintf("Send %d answers", n)
	}
	if a.Approval != nil {
		return "Send decision"
	}
	return "Send answer"
}

// PartialWords is what the button says that sends what there is.
func (a *ask) PartialWords() string {
	n := len(a.Questions)
	return fmt.Sprintf("Send %d of %d, skip %d", a.Answered, n, n-a.Answered)
}

// The values of the cards: an option's id behind its prefix, or own words. An
// asker chooses the ids, so they must not be able to spell the other.
const (
	optionValue = "option:"
	ownValue    = "own"
)

// Value is what the form sends when the card is chosen.
func (c card) Value() string { return optionValue + c.ID }

// fill makes the view of a ticket with what the person has said so far.
func (s *Site) fill(who *auth.Principal, t *hub.Ticket, so []said) *ask {
	by := responder(who)
	v := &ask{
		Handle: s.hub.Handle(t.Address), Digest: t.Digest, Who: who.ID, State: state(t, by), Life: life(t, by),
		Verified: t.Ask.Origin.Verified(), Claim: t.Ask.Origin.Claim(),
		Ago: ago(s.opts.Now().Sub(t.Ask.AskedAt)), Closed: closing(t, by), shown: sent(t, by),
	}
	if t.Ask.Approval != nil {
		var got said
		if t.Open() && len(so) > 0 {
			got = so[0]
		}
		v.Approval = approvalOf(t.Ask, v.Handle, &got)
	}
	if !t.Open() {
		return v
	}
	v.Blocked, v.Needs, v.Final, v.Warning = t.Ask.HeldUp().String(), t.Ask.Needs(), t.Ask.Notice(), t.Ask.Warning()
	v.TooWeak = who.Assurance < t.Ask.MinAssurance
	if due := s.due(t.Ask); due != "" {
		v.Due = due + " (" + t.Ask.Deadline.UTC().Format("2 Jan 2006, 15:04 UTC") + ")"
	}
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		f := question{Question: q, Index: i, Body: markdown(q.Body)}
		var got said
		if i < len(so) {
			got = so[i]
		}
		f.Own, f.OwnOn, f.Note = got.Other, got.own, got.Note
		v.shown = append(v.shown, got.Other, got.Note)
		for j := range q.Options {
			o := &q.Options[j]
			f.Cards = append(f.Cards, card{Option: o, On: slices.Contains(got.Selected, o.ID), Preview: preview(o.Preview)})
		}
		if v.Approval != nil {
			f.Cards = v.Approval.offers(t.Ask.Approval, f.Cards)
			if v.Approval.Edit != nil {
				v.shown = append(v.shown, v.Approval.Edit.Text)
			}
		}
		v.Questions = append(v.Questions, f)
	}
	return v
}

// preview shows code as it is and anything else as Markdown.
func preview(s string) text {
	if strings.Contains(s, "```") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "- ") {
		return markdown(s)
	}
	if s == "" {
		return text{}
	}
	return text{HTML: "<pre>" + template.HTML(template.HTMLEscapeString(s)) + "</pre>"}
}

package web

import (
	"html/template"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
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
	Mark            mark
	Name, Place     string // of the claim
	Ago, At         string
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
	Partial         string   // what the button says that sends the form with questions skipped
	Send            string   // what the button says that sends it
	Confirm         *confirm // what the person must confirm first
	Tap             bool     // choosing an option sends it: the answer is held, and can be undone
	TapHint         string   // that it does
	Declining       bool     // the place for a reason to decline is open
	More            *more    // what the person can do besides answering
	Precedents      []precedent
	Same            int          // other open asks with the same questions
	Together        string       // the address of the page that answers them together
	Back            string       // the address of the list
	Query           template.URL // what the address of the form takes along, from the list
	Amending        bool         // the form changes an answer that the agent has
	Next            string       // where the script goes on
	To, Later       string
	Comment         string // of who delegated it
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
	Words   string // what the button says
	Value   string // what the button sends: how it is sent, and what is confirmed
}

// InputType is radio, or checkbox where several options may be chosen.
func (q question) InputType() string { return sayso.ByKind(q.Question, "", "radio", "checkbox") }

// sendWords is what the button that sends says.
func (rd *reader) sendWords(a *sayso.Ask) string {
	if n := len(a.Questions); n > 1 {
		return rd.Count(rd.Web.SendAnswers, n)
	}
	if a.Approval != nil {
		return rd.Web.SendDecision
	}
	return rd.Web.SendAnswer
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
func (s *Site) fill(rd *reader, t *hub.Ticket, so []said) *ask {
	by := rd.by()
	v := &ask{
		Handle: s.hub.Handle(t.Address), Digest: t.Digest, Who: rd.who.ID, State: state(t, by), Life: life(t, by),
		Verified: rd.Verified(t.Ask.Origin), Claim: t.Ask.Origin.Claim(), Mark: markOf(t.Ask.Origin),
		Ago: rd.ago(t.Ask.AskedAt), At: rd.stamp(t.Ask.AskedAt), Closed: rd.closing(t), shown: sent(t, by),
		Send: rd.sendWords(t.Ask),
	}
	if t.Ask.Approval != nil {
		var got said
		if v.Closed == nil && len(so) > 0 {
			got = so[0]
		}
		v.Approval = rd.approvalOf(t.Ask, v.Handle, &got)
	}
	if v.Closed != nil {
		return v
	}
	v.questions(rd, t, so)
	v.Tap = v.taps(rd, t, so)
	v.TapHint = rd.Count(rd.Web.TapHint, int(rd.grace.Seconds()))
	return v
}

// questions puts the questions of an open ask into the view.
func (v *ask) questions(rd *reader, t *hub.Ticket, so []said) {
	v.To, v.More = rd.to(t), rd.more()
	if p := t.DelegatedTo(rd.who.ID); p != nil {
		v.Comment = sayso.SafeText(p.Comment)
	}
	v.Blocked, v.Needs, v.Final, v.Warning = rd.heldUp(t.Ask), rd.Needs(t.Ask), rd.final(t.Ask), rd.warning(t.Ask)
	v.TooWeak = rd.who.Assurance < t.Ask.MinAssurance
	if due := rd.due(t.Ask); due != "" {
		v.Due = due + " (" + rd.stamp(t.Ask.Deadline) + ")"
	}
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		f := question{Question: q, Index: i, Body: rd.shown(q.Body)}
		var got said
		if i < len(so) {
			got = so[i]
		}
		f.Own, f.OwnOn, f.Note = got.Other, got.own, got.Note
		v.shown = append(v.shown, got.Other, got.Note)
		for j := range q.Options {
			o := &q.Options[j]
			f.Cards = append(f.Cards, card{Option: o, On: slices.Contains(got.Selected, o.ID), Preview: rd.preview(o.Preview)})
		}
		if v.Approval != nil {
			f.Cards = v.Approval.offers(rd, t.Ask.Approval, f.Cards)
			if v.Approval.Edit != nil {
				v.shown = append(v.shown, v.Approval.Edit.Text)
			}
		}
		v.Questions = append(v.Questions, f)
	}
}

// taps reports whether choosing an option is all that an answer takes: there is one
// question with one choice, nothing about it is dangerous, secret or to be opened first,
// nothing is filled in yet, and the answer can be taken back while it is held.
func (v *ask) taps(rd *reader, t *hub.Ticket, so []said) bool {
	if rd.grace == 0 || v.TooWeak || v.Approval != nil || len(v.Questions) != 1 || t.Ask.Notice() != "" || v.Warning != "" {
		return false
	}
	q := &v.Questions[0]
	if !q.Chooses() || q.Several() || q.Secret || len(so) > 0 && (len(so[0].Selected) > 0 || so[0].own) {
		return false
	}
	return !slices.ContainsFunc(q.Cards, func(c card) bool { return c.Danger || c.Preview.HTML != "" })
}

// preview shows code as it is and anything else as Markdown.
func (rd *reader) preview(s string) text {
	if strings.Contains(s, "```") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "- ") {
		return rd.shown(s)
	}
	if s == "" {
		return text{}
	}
	return text{HTML: "<pre>" + template.HTML(template.HTMLEscapeString(s)) + "</pre>"}
}

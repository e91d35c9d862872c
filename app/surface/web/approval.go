package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// approval is what an agent wants to do, as the page shows it. Everything that will run
// is on the page, or on the page that All names; only there can it be allowed.
type approval struct {
	Kind, Tool, Cwd, Mode string
	Reason                string // in the agent's words
	Why, Missing          []string
	Files                 []fileRow // where there is more than one
	Parts                 []part
	Hidden                string // how much of it is not on this page
	All                   string // the address of the page that has it; empty: it is all here
	Page, Pages           int    // of the page that has it
	Next                  string // the address of the next one
	Proof                 string // that all pages were opened
	Locked                bool   // nothing can be allowed here
	Edit                  *edit  // what can be changed before it is allowed; nil: nothing
	Words                 bool   // a decision can come with words
	TakesWords            string // which decisions do
}

// fileRow is a line of the list of changed files.
type fileRow struct{ ID, Path, About string }

// edit is what a person can change before they allow it.
type edit struct {
	Label, Text string
	Open        bool   // it was changed
	With        string // the decisions that take the change
}

// does says what an offer does.
type does struct{ Act, Rule, Where, Rest string }

// approvalOf makes the view of an approval. What the form says so far is got.
func (rd *reader) approvalOf(a *sayso.Ask, handle string, got *said) *approval {
	p := a.Approval
	v := &approval{
		Kind: string(p.Kind), Tool: line(p.Tool), Cwd: line(p.Cwd), Mode: line(p.Mode), Reason: sayso.Visible(p.Reason),
		Why: lines(p.Why), Missing: lines(p.Missing), Parts: rd.partsOf(p),
	}
	if len(p.Files) > 1 {
		for i := range v.Parts {
			if f := fileOf(p, &p.Shown[i]); f != nil {
				v.Files = append(v.Files, fileRow{v.Parts[i].ID, line(f.Path), rd.changes(f)})
			}
		}
	}
	if _, n := p.Unseen(); n > 0 {
		v.Hidden, v.All, v.Locked = bytesOf(n), "/ask/"+url.PathEscape(handle)+"/all", true
	}
	var takes []string
	for i := range p.Offers {
		if o := &p.Offers[i]; o.Message {
			takes = append(takes, rd.Quote(line(a.Questions[0].Option(o.ID).Label)))
		}
	}
	v.Words, v.TakesWords = len(takes) > 0, strings.Join(takes, ", ")
	v.Edit = rd.editOf(a, got)
	return v
}

func line(s string) string { return sayso.SafeLine(sayso.Visible(s)) }

func lines(all []string) (safe []string) {
	for _, s := range all {
		safe = append(safe, line(s))
	}
	return safe
}

// bytesOf spells a number of bytes as the ask does.
func bytesOf(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n, " bytes")
	case n < 1e6:
		return fmt.Sprint((n+500)/1000, " KB")
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// doing says what an offer does, beside its label, which may be the agent's.
func (rd *reader) doing(o *sayso.Offer, plan bool) *does {
	d := &does{Act: rd.Web.Denies, Rule: line(o.Rule), Where: line(o.Where)}
	switch {
	case o.Act == sayso.ActAllow && plan:
		d.Act = rd.Web.Approves
	case o.Act == sayso.ActAllow:
		d.Act = map[sayso.Scope]string{sayso.ScopeSession: rd.Web.AllowsSession, sayso.ScopeAlways: rd.Web.AllowsAlways}[o.Scope]
		if d.Act == "" {
			d.Act = rd.Web.AllowsOnce
		}
	}
	var rest []string
	if o.Mode != "" {
		rest = append(rest, rd.Say(rd.Web.ModeBecomes, line(o.Mode)))
	}
	if o.Stops {
		rest = append(rest, rd.Web.TurnEnds)
	}
	d.Rest = strings.Join(rest, "; ")
	return d
}

// offers sets what the cards of an approval do, and which of them can be chosen here.
func (v *approval) offers(rd *reader, p *sayso.Approval, cards []card) []card {
	for i := range cards {
		c := &cards[i]
		if o := p.Offer(c.ID); o != nil {
			c.Does, c.Deny = rd.doing(o, p.Kind == sayso.ApprovePlan), o.Act == sayso.ActDeny
			c.Locked = v.Locked && !c.Deny
		}
	}
	if v.Locked {
		return cards
	}
	return slices.DeleteFunc(cards, func(c card) bool { return c.ID == sayso.OfferUnseen }) // it was opened
}

// editOf returns what can be changed, as it is after the change, or nil. A text that a
// browser would change by showing it is not offered.
func (rd *reader) editOf(a *sayso.Ask, got *said) *edit {
	p := a.Approval
	member, text, ok := p.Editable()
	if !ok || sayso.SafeText(text) != text {
		return nil
	}
	e := &edit{Label: rd.Web.Command, Text: text}
	if member == "" {
		e.Label = rd.Web.InputJSON
	}
	if changed := cmp.Or(got.badEdit, editedText(p, got.Input)); changed != "" {
		e.Text, e.Open = changed, true
	}
	var with []string
	for i := range p.Offers {
		if o := &p.Offers[i]; o.Edit {
			with = append(with, line(a.Questions[0].Option(o.ID).Label))
		}
	}
	e.With = rd.list(rd.quoted(with))
	return e
}

// editedText returns what a person typed to get this input, or "".
func editedText(p *sayso.Approval, input string) string {
	member, _, ok := p.Editable()
	if !ok || input == "" || member == "" {
		return input
	}
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(input), &members) != nil || json.Unmarshal(members[member], &text) != nil {
		return input
	}
	return text
}

var errNotJSON = errors.New("what was changed is not valid JSON")

// edited returns the input that the form asks for, and "" if that is as it was.
func edited(p *sayso.Approval, text string) (string, error) {
	member, was, ok := p.Editable()
	if !ok || sayso.Blank(text) || text == strings.ReplaceAll(was, "\r\n", "\n") {
		return "", nil
	}
	if member != "" {
		return p.EditedInput(member, text)
	}
	if sayso.CheckJSON([]byte(text)) != nil {
		return "", errNotJSON
	}
	return text, nil
}

// readVerdict reads the form of an approval. Words are never taken for a choice: they
// deny, or go with a choice that takes them.
func (rd *reader) readVerdict(a *sayso.Ask, form url.Values, s *said) {
	s.approval = a.Approval
	s.own = false
	if o, err := a.Questions[0].OptionNamed(s.Other, nil); len(s.Selected) == 0 && (o != nil || err != nil) && !sayso.Blank(s.Other) {
		s.ambiguous = rd.Web.NamesChoice
	}
	input, err := edited(a.Approval, strings.ReplaceAll(form.Get("e0"), "\r\n", "\n"))
	if s.Input = input; err != nil {
		s.ambiguous, s.badEdit = err.Error(), form.Get("e0")
		if errors.Is(err, errNotJSON) {
			s.ambiguous = rd.Web.NotJSON
		}
	}
}

// undecided says why the form of an approval cannot be sent.
func (rd *reader) undecided(a *sayso.Ask, all []said) (words []string, missing int) {
	s := &all[0]
	if s.ambiguous != "" {
		return []string{rd.Say(rd.Web.NothingSentAs, s.ambiguous)}, 0
	}
	if !s.Answered() {
		return []string{rd.Web.DecideFirst}, 1
	}
	err := a.Check(&sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(all)})
	var invalid *sayso.InvalidError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			words = append(words, rd.Say(rd.Web.AnswerIs, p.Message))
		}
	}
	return words, 0
}

// decide makes an answer of what the form of an approval says: words go with the
// choice, and what was changed only with a choice that lets it run.
func (s *said) decide(a *sayso.Answer) {
	var chosen *sayso.Offer
	if len(a.Selected) > 0 {
		a.Note, a.Other = a.Other, ""
		chosen = s.approval.Offer(a.Selected[0])
	}
	if len(a.Selected) == 0 || chosen != nil && chosen.Act == sayso.ActDeny {
		a.Input = ""
	}
}

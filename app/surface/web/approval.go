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
	Open        bool     // it was changed
	With        []string // the decisions that take the change
}

// does says what an offer does.
type does struct{ Act, Rule, Where, Rest string }

// approvalOf makes the view of an approval. What the form says so far is got.
func approvalOf(a *sayso.Ask, handle string, got *said) *approval {
	p := a.Approval
	v := &approval{
		Kind: string(p.Kind), Tool: line(p.Tool), Cwd: line(p.Cwd), Mode: line(p.Mode), Reason: sayso.Visible(p.Reason),
		Why: lines(p.Why), Missing: lines(p.Missing), Parts: partsOf(p),
	}
	if len(p.Files) > 1 {
		for i := range v.Parts {
			if f := fileOf(p, &p.Shown[i]); f != nil {
				v.Files = append(v.Files, fileRow{v.Parts[i].ID, line(f.Path), changes(f)})
			}
		}
	}
	if _, n := p.Unseen(); n > 0 {
		v.Hidden, v.All, v.Locked = bytesOf(n), "/ask/"+url.PathEscape(handle)+"/all", true
	}
	var takes []string
	for i := range p.Offers {
		if o := &p.Offers[i]; o.Message {
			takes = append(takes, "“"+line(a.Questions[0].Option(o.ID).Label)+"”")
		}
	}
	v.Words, v.TakesWords = len(takes) > 0, strings.Join(takes, ", ")
	v.Edit = editOf(a, got)
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
func doing(o *sayso.Offer, plan bool) *does {
	d := &does{Act: "denies", Rule: line(o.Rule), Where: line(o.Where)}
	switch {
	case o.Act == sayso.ActAllow && plan:
		d.Act = "approves"
	case o.Act == sayso.ActAllow:
		d.Act = map[sayso.Scope]string{sayso.ScopeSession: "allows for this session", sayso.ScopeAlways: "allows always"}[o.Scope]
		if d.Act == "" {
			d.Act = "allows once"
		}
	}
	var rest []string
	if o.Mode != "" {
		rest = append(rest, "the permission mode becomes "+line(o.Mode))
	}
	if o.Stops {
		rest = append(rest, "the agent's turn ends")
	}
	d.Rest = strings.Join(rest, "; ")
	return d
}

// offers sets what the cards of an approval do, and which of them can be chosen here.
func (v *approval) offers(p *sayso.Approval, cards []card) []card {
	for i := range cards {
		c := &cards[i]
		if o := p.Offer(c.ID); o != nil {
			c.Does, c.Deny = doing(o, p.Kind == sayso.ApprovePlan), o.Act == sayso.ActDeny
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
func editOf(a *sayso.Ask, got *said) *edit {
	p := a.Approval
	member, text, ok := p.Editable()
	if !ok || sayso.SafeText(text) != text {
		return nil
	}
	e := &edit{Label: "Command", Text: text}
	if member == "" {
		e.Label = "Input, in JSON"
	}
	if changed := cmp.Or(got.badEdit, editedText(p, got.Input)); changed != "" {
		e.Text, e.Open = changed, true
	}
	for i := range p.Offers {
		if o := &p.Offers[i]; o.Edit {
			e.With = append(e.With, line(a.Questions[0].Option(o.ID).Label))
		}
	}
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
		return "", errors.New("what you changed is not valid JSON")
	}
	return text, nil
}

// readVerdict reads the form of an approval. Words are never taken for a choice: they
// deny, or go with a choice that takes them.
func readVerdict(a *sayso.Ask, form url.Values, s *said) {
	s.approval = a.Approval
	s.own = false
	if o, err := a.Questions[0].OptionNamed(s.Other, nil); len(s.Selected) == 0 && (o != nil || err != nil) && !sayso.Blank(s.Other) {
		s.ambiguous = "your words name one of the choices. Select it, or write more"
	}
	input, err := edited(a.Approval, strings.ReplaceAll(form.Get("e0"), "\r\n", "\n"))
	if s.Input = input; err != nil {
		s.ambiguous, s.badEdit = err.Error(), form.Get("e0")
	}
}

// undecided says why the form of an approval cannot be sent.
func undecided(a *sayso.Ask, all []said) (words []string, missing int) {
	s := &all[0]
	if s.ambiguous != "" {
		return []string{"Nothing was sent: " + s.ambiguous + "."}, 0
	}
	if !s.Answered() {
		return []string{"Nothing was sent: choose one of the decisions below first."}, 1
	}
	err := a.Check(&sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(all)})
	var invalid *sayso.InvalidError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			words = append(words, "Nothing was sent: the answer "+p.Message+".")
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

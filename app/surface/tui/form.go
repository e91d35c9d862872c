package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// barKind is what the foot of the dialog asks before something happens.
type barKind int

const (
	noBar      barKind = iota
	discardBar         // leave although something would be lost
	longBar            // go on with a text that is long
	dangerBar          // send an option that is marked as dangerous
)

// form is one ask and what the person has done to it so far.
type form struct {
	ask    *sayso.Ask
	sheets []*sheet
	page   int // of a question, or len(sheets): the review
	scroll int // of the review
	review reviewed
	bar    barKind
	resume func() tea.Cmd // what the bar is about: goes on with it
	leave  sayso.Status   // how the discard bar leaves
	longOK bool           // the person wants to send a long text
	notice string         // what the last key came to
	more   int            // how many others wait in the inbox
	same   int            // how many of them are identical
	guard  guard

	attended time.Time // when it was last told that the person is at the ask
	touched  bool      // the person has done something on purpose
	restored bool      // a draft was put back
	sending  *sayso.Outcome
	saving   bool // the draft is on its way to the hub, and the person on the way out
	discards bool // the person has said that what is typed may be lost
	outcome  *sayso.Outcome
	told     *sayso.Outcome // closed, as was heard while sending: perhaps by what is sent
	closed   *sayso.Outcome // closed elsewhere; still on screen
	drafts   *drafts

	single   bool           // one key answered it
	together []*hub.Ticket  // identical asks that the answer goes to as well
	earlier  *hub.Precedent // what was answered before
}

func newForm(a *sayso.Ask, o *Options) *form {
	a = a.Clone()
	a.Normalize()
	f := &form{ask: a, drafts: newDrafts(a, o.SaveDraft)}
	for i := range a.Questions {
		f.sheets = append(f.sheets, newSheet(&a.Questions[i], o.Words, o.History))
	}
	return f
}

// sheet returns the question on screen, or nil on the review page.
func (f *form) sheet() *sheet {
	if f.page == len(f.sheets) {
		return nil
	}
	return f.sheets[f.page]
}

// pages counts the pages to turn to: the questions, and the review of several.
func (f *form) pages() int {
	if len(f.sheets) == 1 {
		return 1
	}
	return len(f.sheets) + 1
}

// turn goes to a page, the one before the first being the last.
func (f *form) turn(page int) {
	if page != len(f.sheets) {
		page = (page + f.pages()) % f.pages()
	}
	f.page, f.scroll, f.notice = page, 0, ""
}

// busy reports whether something is on its way to the hub.
func (f *form) busy() bool { return f.sending != nil || f.saving }

// answered counts the questions that have an answer.
func (f *form) answered() int {
	n := 0
	for _, s := range f.sheets {
		if s.answered() {
			n++
		}
	}
	return n
}

// entered counts what would be lost: the answers, or else the questions in which
// something was typed.
func (f *form) entered() int {
	n := 0
	for _, s := range f.sheets {
		if !s.untouched() {
			n++
		}
	}
	return max(min(n, 1), f.answered())
}

// keepsSecrets reports whether something is typed that no draft holds.
func (f *form) keepsSecrets() bool {
	return slices.ContainsFunc(f.sheets, func(s *sheet) bool { return s.q.Secret && !s.untouched() })
}

// answeredHere reports whether the person's own answer closed the ask.
func (f *form) answeredHere() bool {
	return f.outcome != nil && f.outcome.Status == sayso.StatusAnswered && f.closed == nil
}

// draft returns what is typed and not sent, or nil if there is nothing.
func (f *form) draft() []sayso.Answer {
	if f.answeredHere() {
		return nil
	}
	var answers []sayso.Answer
	for _, s := range f.sheets {
		if a := s.draft(); len(a.Selected) > 0 || a.Other != "" || a.Note != "" || a.Input != "" {
			answers = append(answers, a)
		}
	}
	return answers
}

// restore puts a draft back, except over what the person has typed meanwhile.
func (f *form) restore(answers []sayso.Answer) {
	for _, a := range answers {
		for _, s := range f.sheets {
			if s.q.ID == a.QuestionID && s.untouched() {
				s.restore(a)
				f.restored = f.restored || !s.untouched()
			}
		}
	}
}

// reviewed is what the person has seen of the review as it is now.
type reviewed struct {
	text string
	seen map[int]bool // by line
}

// note remembers which lines were in sight.
func (r *reviewed) note(lines []line) {
	for _, l := range lines {
		if l.kind == theReview {
			r.seen[l.at] = true
		}
	}
}

// is begins anew if what is below the title has changed.
func (r *reviewed) is(p *page) {
	var b strings.Builder
	for _, l := range p.lines[1:] {
		b.WriteString(l.text + "\n")
	}
	if text := b.String(); r.seen == nil || text != r.text {
		r.text, r.seen = text, map[int]bool{}
	}
}

// unseen returns the first line that must still be looked at.
func (r *reviewed) unseen(p *page) (at int, there bool) {
	for i, l := range p.lines {
		if l.must && !r.seen[l.at] {
			return i, true
		}
	}
	return 0, false
}

package tui

import (
	"github.com/saysohq/sayso"
)

// bar is what the foot of the dialog asks before something is left.
type barKind int

const (
	noBar      barKind = iota
	leaveBar           // later, decline or back
	discardBar         // decline although there are answers
)

// form is one ask and what the person has done to it so far.
type form struct {
	ask    *sayso.Ask
	sheets []*sheet
	page   int // of a question, or len(sheets): the review
	scroll int // of the review
	bar    barKind
	notice string // what the last key came to
	news   string // what became of the ask before, until a key is pressed
	more   int    // how many others wait in the inbox
	guard  guard

	touched  bool // the person has done something on purpose
	restored bool // a draft was put back
	sending  bool
	outcome  *sayso.Outcome
	told     *sayso.Outcome // closed, as was heard while sending: perhaps by what is sent
	folded   *sayso.Outcome // closed elsewhere; still on screen
	drafts   *drafts
}

func newForm(a *sayso.Ask, o *Options) *form {
	a = a.Clone()
	a.Normalize()
	f := &form{ask: a, drafts: &drafts{save: o.SaveDraft, ask: a}}
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

// pages counts the questions, and the review of several.
func (f *form) pages() int {
	if len(f.sheets) == 1 {
		return 1
	}
	return len(f.sheets) + 1
}

// turn goes to a page.
func (f *form) turn(page int) {
	f.page = (page + f.pages()) % f.pages()
	f.notice = ""
}

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

// answeredHere reports whether the person's own answer closed the ask.
func (f *form) answeredHere() bool {
	return f.outcome != nil && f.outcome.Status == sayso.StatusAnswered && f.folded == nil
}

// draft returns what is typed and not sent, or nil if there is nothing.
func (f *form) draft() []sayso.Answer {
	if f.answeredHere() {
		return nil
	}
	var answers []sayso.Answer
	for _, s := range f.sheets {
		if a := s.draft(); len(a.Selected) > 0 || a.Other != "" || a.Note != "" {
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

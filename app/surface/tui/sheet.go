package tui

import (
	"strings"

	"github.com/saysohq/sayso"
)

// filterFrom is the number of options from which on a list can be filtered.
const filterFrom = 7

// focus is where keys go.
type focus int

const (
	onList focus = iota
	onWords
	onNote
	onFilter
	onEdit // of the input of an approval
)

// sheet is one question and what the person has done to it so far.
type sheet struct {
	q        *sayso.Question
	cur      int    // highlighted row: -1 none, len(Options) own words
	picked   []bool // by option; in a single choice at most one
	words    *field
	note     *field
	approval *approval // nil: it is a question
	focus    focus
	walked   bool // the arrow keys led into own words, and lead out again

	filter string
	opened bool // what does not fit is opened
	manual bool // the person scrolls; the window does not follow the highlight
	scroll int
	seen   map[part]bool // what has been in sight to its end
}

func newSheet(q *sayso.Question, w *Catalogue, history []string) *sheet {
	placeholder := w.TypeAnswer
	if q.Secret {
		placeholder = w.TypeSecret
	}
	s := &sheet{
		q: q, cur: -1, picked: make([]bool, len(q.Options)), seen: map[part]bool{},
		words: newField(placeholder, q.Secret, history),
		note:  newField(w.TypeNote, q.Secret, nil),
	}
	if s.free() {
		s.cur, s.focus = 0, onWords
	}
	return s
}

// free reports whether the question has no options.
func (s *sheet) free() bool { return !s.q.Chooses() }

// other is the row of own words.
func (s *sheet) other() int { return len(s.q.Options) }

// pick ticks or unticks an option, or chooses it instead of every other and of
// own words, whose text stays.
func (s *sheet) pick(i int) {
	if s.q.Several() {
		s.picked[i] = !s.picked[i]
		return
	}
	clear(s.picked)
	s.picked[i] = true
}

// focusRow is the row that has the focus.
func (s *sheet) focusRow() int {
	switch s.focus {
	case onNote:
		return s.other() + 1
	case onEdit:
		return s.editRow()
	}
	return s.cur
}

func (s *sheet) anyPicked() bool {
	for _, p := range s.picked {
		if p {
			return true
		}
	}
	return false
}

// saysWords reports whether own words are part of the answer: always in a
// multiple choice, and in a single choice when no option is chosen.
func (s *sheet) saysWords() bool {
	return !s.words.empty() && (s.q.Several() || !s.anyPicked())
}

// answered reports whether there is an answer. A note alone is a remark on
// nothing.
func (s *sheet) answered() bool { return s.anyPicked() || s.saysWords() }

// answer returns what the person decided.
func (s *sheet) answer() sayso.Answer {
	a := sayso.Answer{QuestionID: s.q.ID}
	if !s.answered() {
		a.Unanswered = sayso.ReasonSkipped
		return a
	}
	for i, p := range s.picked {
		if p {
			a.Selected = append(a.Selected, s.q.Options[i].ID)
		}
	}
	if s.saysWords() {
		a.Other = s.words.value()
	}
	if !s.note.empty() {
		a.Note = s.note.value()
	}
	if s.approval != nil {
		s.approval.decided(s, &a)
	}
	return a
}

// draft returns everything that was ticked and typed, whether it counts or not.
// What is secret is not for keeping.
func (s *sheet) draft() sayso.Answer {
	a := sayso.Answer{QuestionID: s.q.ID}
	if s.q.Secret {
		return a
	}
	for i, p := range s.picked {
		if p {
			a.Selected = append(a.Selected, s.q.Options[i].ID)
		}
	}
	a.Other, a.Note = s.words.value(), s.note.value()
	if s.approval != nil {
		a.Input = s.approval.input()
	}
	return a
}

// restore puts a draft back.
func (s *sheet) restore(a sayso.Answer) {
	for _, id := range a.Selected {
		for i := range s.q.Options {
			if s.q.Options[i].ID == id && (s.q.Several() || !s.anyPicked()) {
				s.picked[i] = true
			}
		}
	}
	s.words.set(a.Other)
	s.note.set(a.Note)
	if s.approval != nil {
		s.approval.restore(a.Input)
	}
}

// unseen returns a part that the person must still look at before the answer
// counts: what the asker wrote, and all of what is chosen.
func (s *sheet) unseen() (part, bool) {
	if of := (part{kind: theAsk}); !s.seen[of] && (s.approval == nil || s.approval.allows(s)) {
		return of, true
	}
	for i, picked := range s.picked {
		o := &s.q.Options[i]
		for _, p := range []struct {
			kind partKind
			text string
		}{{theLabel, o.Label}, {theDescription, o.Description}, {thePreview, o.Preview}} {
			if of := (part{p.kind, i}); picked && p.text != "" && !s.seen[of] {
				return of, true
			}
		}
	}
	return part{}, false
}

// untouched reports whether nothing is ticked or typed.
func (s *sheet) untouched() bool {
	return !s.anyPicked() && s.words.value() == "" && s.note.value() == "" && !s.approval.changed()
}

// rows returns the rows that the filter lets through, own words last.
func (s *sheet) rows() []int {
	var rows []int
	want := strings.ToLower(s.filter)
	for i := range s.q.Options {
		o := &s.q.Options[i]
		if want == "" || strings.Contains(strings.ToLower(o.Label+"\n"+o.Description), want) {
			rows = append(rows, i)
		}
	}
	return append(rows, s.other())
}

// move takes the highlight a step up (-1) or down (1) the visible rows.
func (s *sheet) move(step int) {
	rows := s.rows()
	at := -1
	for i, r := range rows {
		if r == s.cur {
			at = i
		}
	}
	switch {
	case at >= 0:
		at = min(max(at+step, 0), len(rows)-1)
	case step > 0:
		at = 0
	default:
		at = len(rows) - 1
	}
	s.highlight(rows[at])
	s.walked = s.focus == onWords
}

// highlight goes to a row; own words are a text field, so keys go there.
func (s *sheet) highlight(row int) {
	s.cur, s.manual, s.walked = row, false, false
	s.focus = onList
	if row == s.other() {
		s.focus = onWords
	}
}

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// advance goes on from a question that has an answer: to the next one without,
// to the review, or, from the only one, out. What is not all in sight goes by way
// of the review.
func (m *Model) advance(f *form) tea.Cmd {
	if !m.ready(f, f.page, func() tea.Cmd { return m.advance(f) }) {
		return nil
	}
	for i := f.page + 1; i < len(f.sheets); i++ {
		if !f.sheets[i].answered() {
			f.turn(i)
			return nil
		}
	}
	danger := len(f.ask.Dangerous(m.answer(f).Answers)) > 0
	only := len(f.sheets) == 1
	if only && !danger && m.inSight(f.sheets[0]) {
		return m.finish(f, m.answer(f))
	}
	f.turn(len(f.sheets))
	if only && danger {
		f.bar = dangerBar
	}
	f.guard.begin(m.o.Now(), m.o.Guard) // a second Enter must not send unread
	return nil
}

// inSight reports whether everything that the answer is made of is on the screen.
func (m *Model) inSight(s *sheet) bool {
	for i, picked := range s.picked {
		if picked && !m.frame.sight[part{theLabel, i}].whole() {
			return false
		}
	}
	return (!s.saysWords() || m.frame.sight[part{theField, s.other()}].whole()) &&
		(s.changedInput() == "" || m.frame.sight[part{theField, s.editRow()}].whole()) &&
		(s.note.empty() || m.frame.sight[part{theField, s.other() + 1}].whole())
}

// ready reports whether an answer may go on from here. If not, it says why; where
// the person is asked something, a yes resumes.
func (m *Model) ready(f *form, i int, resume func() tea.Cmd) bool {
	w, s := m.o.Words, f.sheets[i]
	of, unseen := s.unseen()
	switch {
	case f.ask.MinAssurance > m.o.By.Assurance:
		f.notice = w.say(w.CannotAnswer, w.Needs(f.ask))
	case f.restored && !f.touched:
		f.notice = w.DraftIsBack
	case m.missing(s) != "":
		f.notice = m.missing(s)
	case unseen:
		m.point(f, i, of)
	case m.names(f, i):
	case m.refuses(f) != "":
		f.notice = m.refuses(f)
	case !f.longOK && s.longest() > sayso.LongAnswer:
		f.bar, f.resume = longBar, resume
		f.guard.begin(m.o.Now(), m.o.Guard)
	default:
		return true
	}
	return false
}

// point goes to what the person has not seen yet.
func (m *Model) point(f *form, i int, of part) {
	w, s := m.o.Words, f.sheets[i]
	if f.page != i {
		f.turn(i)
	}
	if of.kind != theAsk && s.cur != of.row {
		s.highlight(of.row)
	}
	f.notice = w.LookFirst
	if m.draw(); !s.seen[of] {
		f.notice = w.say(w.ReadFirst, w.KeyOpen, w.PageDown, w.KeyEnd)
	}
}

// names takes own words that name an option for that option. The person sees it
// chosen, and confirms.
func (m *Model) names(f *form, i int) bool {
	w, s := m.o.Words, f.sheets[i]
	if s.free() || !s.saysWords() {
		return false
	}
	o, err := s.q.OptionNamed(s.words.value(), &sayso.MatchOptions{Numbers: true})
	switch {
	case err != nil:
		f.turn(i)
		s.highlight(s.other())
		f.notice = w.Ambiguous
		return true
	case o == nil:
		return false
	}
	words, row := s.words.value(), slices.IndexFunc(s.q.Options, func(of sayso.Option) bool { return of.ID == o.ID })
	s.words.set("")
	s.picked[row] = true
	s.highlight(row)
	f.notice = w.say(w.TakenAsOption, cut(o.Label, 40), w.KeyEnter)
	if m.draw(); m.frame.small { // nothing is chosen where it cannot be shown
		s.words.set(words)
		s.picked[row] = false
		s.highlight(s.other())
		f.notice = w.TooSmall
	}
	return true
}

// longest is the length of the longest text in the answer.
func (s *sheet) longest() int {
	n := s.note.length()
	if s.saysWords() {
		n = max(n, s.words.length())
	}
	return n
}

// answer returns the outcome that the answers make.
func (m *Model) answer(f *form) *sayso.Outcome {
	o := m.outcome(sayso.StatusAnswered)
	for _, s := range f.sheets {
		o.Answers = append(o.Answers, s.answer())
	}
	return o
}

type sentMsg struct {
	form   *form
	winner *sayso.Outcome
	err    error
}

// finish takes a decision to where it counts. To leave for later is none.
func (m *Model) finish(f *form, o *sayso.Outcome) tea.Cmd {
	if m.o.Send == nil || o.Status == sayso.StatusPending {
		f.outcome = o
		return m.closed(f)
	}
	f.sending = o
	return tea.Sequence(m.keep(f), func() tea.Msg {
		winner, err := m.o.Send(f.ask, o)
		return sentMsg{f, winner, err}
	})
}

func (m *Model) sent(msg sentMsg) tea.Cmd {
	f := msg.form
	sent, told := f.sending, f.told
	f.sending, f.told = nil, nil
	switch {
	case msg.err != nil && told != nil && !echo(told, sent):
		return m.closedElsewhere(ClosedElsewhereMsg{f.ask.ID, told})
	case msg.err != nil && told == nil:
		f.notice, f.single = m.o.Words.say(m.o.Words.NotSent, m.o.Words.trouble(msg.err)), false
		return nil
	case msg.winner != nil:
		return m.closedElsewhere(ClosedElsewhereMsg{f.ask.ID, msg.winner})
	}
	f.bar, f.outcome = noBar, sent
	return m.closed(f)
}

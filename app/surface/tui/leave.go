package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// pressBar takes a key while the foot asks how to leave. Every key that is none
// of those named there goes back.
func (m *Model) pressBar(f *form, msg tea.KeyPressMsg) tea.Cmd {
	asked := f.bar
	f.bar = noBar
	switch k := msg.String(); {
	case asked == leaveBar && (k == "l" || k == "L" || k == "ctrl+c"):
		return m.finish(f, &sayso.Outcome{Status: sayso.StatusPending}) // nobody has decided anything
	case asked == leaveBar && (k == "d" || k == "D"):
		if f.answered() > 0 {
			f.bar = discardBar
			return nil
		}
		return m.finish(f, m.outcome(sayso.StatusDeclined))
	case asked == discardBar && (k == "y" || k == "Y"):
		return m.finish(f, m.outcome(sayso.StatusDeclined))
	}
	return nil
}

func (m *Model) outcome(status sayso.Status) *sayso.Outcome {
	return &sayso.Outcome{Status: status, By: m.o.By, At: m.o.Now()}
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
	form    *form
	outcome *sayso.Outcome
	winner  *sayso.Outcome
	err     error
}

// finish takes a decision to where it counts. To leave for later is none.
func (m *Model) finish(f *form, o *sayso.Outcome) tea.Cmd {
	if m.o.Send == nil || o.Status == sayso.StatusPending {
		f.outcome = o
		return m.closed(f)
	}
	f.sending = true
	return tea.Sequence(m.keep(f), func() tea.Msg {
		winner, err := m.o.Send(f.ask, o)
		return sentMsg{f, o, winner, err}
	})
}

func (m *Model) sent(msg sentMsg) tea.Cmd {
	f := msg.form
	f.sending = false
	told := f.told
	f.told = nil
	switch {
	case msg.err != nil && told != nil && !echo(told, msg.outcome):
		return m.fold(Fold{f.ask.ID, told})
	case msg.err != nil && told == nil:
		f.notice = m.o.Words.say(m.o.Words.NotSent, sayso.SafeLine(msg.err.Error()))
		return m.focus()
	case msg.winner != nil:
		return m.fold(Fold{f.ask.ID, msg.winner})
	}
	f.outcome = msg.outcome
	return m.closed(f)
}

// closed leaves a form that has an outcome: its draft is kept, or no longer
// needed, before anybody is told.
func (m *Model) closed(f *form) tea.Cmd {
	f.bar, f.notice = noBar, ""
	if f.folded != nil {
		f.outcome = f.folded
	}
	if f.answeredHere() {
		m.remember(f)
	}
	closed := ClosedMsg{f.ask, f.outcome}
	return tea.Sequence(m.keep(f), func() tea.Msg { return closed }, m.next())
}

// remember lets the own words of this ask be recalled in the next.
func (m *Model) remember(f *form) {
	for _, s := range f.sheets {
		if s.q.Secret || !s.saysWords() {
			continue
		}
		m.o.History = append([]string{s.words.value()}, m.o.History...)
	}
	for _, other := range m.forms {
		for _, s := range other.sheets {
			if !s.q.Secret {
				s.words.history = m.o.History
			}
		}
	}
}

// echo reports whether what was told is what was sent.
func echo(told, sent *sayso.Outcome) bool {
	return told.Status == sent.Status && slices.EqualFunc(told.Answers, sent.Answers, same)
}

// fold lets a form go that was closed elsewhere, and says so. While an outcome is
// on its way, what closed the ask may be that very outcome: its sending will tell.
func (m *Model) fold(msg Fold) tea.Cmd {
	for _, f := range m.forms {
		if f.ask.ID != msg.AskID || f.outcome != nil || f.folded != nil || msg.Outcome == nil {
			continue
		}
		if f != m.form() {
			f.outcome = msg.Outcome // it never appeared
			continue
		}
		if f.sending {
			f.told = msg.Outcome
			return nil
		}
		f.folded, f.bar, f.notice = msg.Outcome, noBar, ""
		f.guard.begin(m.o.Now(), m.o.Guard) // a key typed for the form must not close the news
		return tea.Batch(m.focus(), m.keep(f))
	}
	return nil
}

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// leave leaves a question for later where it can wait, and cancels it where it
// cannot.
func (m *Model) leave(f *form) tea.Cmd {
	if m.o.Later {
		return m.leaveAs(f, sayso.StatusPending)
	}
	return m.leaveAs(f, sayso.StatusCancelled)
}

// leaveAs leaves at once if nothing is lost by it: nothing was entered, or the
// question stays open and its draft is kept. Else it asks.
func (m *Model) leaveAs(f *form, how sayso.Status) tea.Cmd {
	keeps := how == sayso.StatusPending && f.drafts.save != nil && !f.keepsSecrets()
	switch {
	case f.entered() == 0, keeps && f.drafts.isSafe():
		return m.finish(f, m.outcome(how))
	case keeps:
		f.saving = true // and leaves when that is done
		return m.keep(f)
	}
	f.bar, f.leave = discardBar, how
	return nil
}

// pressBar takes a key while the foot asks something. Only the keys that are named
// there do anything.
func (m *Model) pressBar(f *form, k string) tea.Cmd {
	asked := f.bar
	yes := k == "y" || k == "Y" || asked == longBar && k == "enter"
	switch {
	case yes && asked == discardBar:
		f.bar, f.discards = noBar, true
		return m.finish(f, m.outcome(f.leave))
	case yes && asked == longBar:
		f.bar, f.longOK = noBar, true
		return f.resume()
	case yes:
		return m.sendPart(f)
	case k == "esc" || k == "n" || k == "N":
		f.bar = noBar
		if asked == dangerBar && len(f.sheets) == 1 {
			f.turn(0)
		}
	case asked == dangerBar:
		m.scrollPage(f, k)
	}
	return nil
}

// outcome returns the outcome with a status. Who leaves for later has decided
// nothing.
func (m *Model) outcome(status sayso.Status) *sayso.Outcome {
	if status == sayso.StatusPending {
		return &sayso.Outcome{Status: status}
	}
	return &sayso.Outcome{Status: status, By: m.o.By, At: m.o.Now()}
}

// closed leaves a form that has an outcome: its draft is kept, or no longer
// needed, before anybody is told.
func (m *Model) closed(f *form) tea.Cmd {
	f.bar, f.notice = noBar, ""
	if f.closed != nil {
		f.outcome = f.closed
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

// closedElsewhere says that a form was closed elsewhere. While an outcome is on
// its way, what closed the ask may be that very outcome: its sending will tell.
func (m *Model) closedElsewhere(msg ClosedElsewhereMsg) tea.Cmd {
	for _, f := range m.forms {
		if f.ask.ID != msg.AskID || f.outcome != nil || f.closed != nil || msg.Outcome == nil {
			continue
		}
		if f != m.form() {
			f.outcome = msg.Outcome // it never appeared
			continue
		}
		if f.sending != nil {
			f.told = msg.Outcome
			return nil
		}
		f.closed, f.bar, f.notice, f.saving, f.scroll = msg.Outcome, noBar, "", false, 0
		f.guard.begin(m.o.Now(), m.o.Guard) // a key typed for the form must not close the news
		return m.keep(f)
	}
	return nil
}

// echo reports whether what was told is what was sent.
func echo(told, sent *sayso.Outcome) bool {
	return sent != nil && told.Status == sent.Status && slices.EqualFunc(told.Answers, sent.Answers, same)
}

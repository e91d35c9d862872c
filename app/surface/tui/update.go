package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// Update takes a message, and draws what is on the screen from then on.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	m.draw()
	return m, cmd
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.resize()
	case tea.BackgroundColorMsg:
		m.look = newLook(msg.IsDark())
		m.resize()
	case tea.KeyPressMsg:
		return tea.Batch(m.attend(), m.press(msg))
	case tea.PasteMsg:
		return tea.Batch(m.attend(), m.paste(msg.Content))
	case ClosedElsewhereMsg:
		return m.closedElsewhere(msg)
	default:
		return m.own(msg)
	}
	return nil
}

// own takes the messages of the model's own commands.
func (m *Model) own(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tickMsg:
		if msg.model == m && msg.chain == m.chain {
			return m.ticked()
		}
	case loadedMsg:
		if !m.owns(msg.form) || msg.form.outcome != nil {
			break
		}
		if msg.err != nil {
			msg.form.notice = m.o.Words.say(m.o.Words.DraftNotLoaded, m.o.Words.trouble(msg.err))
		}
		msg.form.restore(msg.answers)
	case pausedMsg:
		if m.owns(msg.form) {
			return m.paused(msg)
		}
	case keptMsg:
		if m.owns(msg.form) {
			return m.kept(msg)
		}
	case sentMsg:
		if m.owns(msg.form) {
			return m.sent(msg)
		}
	case openedMsg:
		if m.owns(msg.form) && msg.form.outcome == nil {
			m.fetched(msg)
		}
	case completedMsg:
		if m.owns(msg.form) {
			return m.completed(msg)
		}
	}
	return nil
}

// press takes a key to whatever it is meant for.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	f, k := m.form(), msg.String()
	if f == nil || f.guard.drops(m.o.Now(), m.o.Guard) || f.sending != nil {
		return nil
	}
	switch {
	case f.saving && k == "esc": // the person does not want to wait for the hub
		f.saving, f.bar, f.leave = false, discardBar, sayso.StatusPending
		return nil
	case f.saving && k == "ctrl+c":
		f.saving, f.bar, f.leave = false, discardBar, sayso.StatusCancelled
		return nil
	case f.saving:
		return nil
	case f.closed != nil:
		if m.scrollPage(f, k) {
			return nil
		}
		return m.closed(f)
	case m.frame.small && k != "ctrl+c":
		return nil
	}
	f.notice = ""
	before := f.draft()
	var cmd tea.Cmd
	switch {
	case f.bar != noBar:
		cmd = m.pressBar(f, k)
	case k == "ctrl+c":
		cmd = m.leaveAs(f, sayso.StatusCancelled)
	case k == "ctrl+d":
		cmd = m.leaveAs(f, sayso.StatusDeclined)
	case f.sheet() == nil:
		cmd = m.pressReview(f, k)
	default:
		cmd = m.pressSheet(f, msg)
	}
	if f.outcome != nil || f.busy() {
		return cmd
	}
	var touch tea.Cmd
	if k != "enter" { // Enter alone is the key of habit
		touch = m.touch(f)
	}
	return tea.Batch(cmd, touch, m.changed(f, before))
}

// paste puts what came in one piece into the text field, whatever has the focus:
// it cannot be a key. If the field is out of sight it only comes into view.
func (m *Model) paste(text string) tea.Cmd {
	f := m.form()
	if f == nil || f.guard.drops(m.o.Now(), m.o.Guard) || f.busy() ||
		f.closed != nil || f.bar != noBar || f.sheet() == nil || m.frame.small {
		return nil
	}
	f.notice = ""
	before := f.draft()
	s := f.sheet()
	there := m.frame.takes()
	switch {
	case s.focus == onList && m.frame.sight[part{theField, s.other()}].first:
		s.highlight(s.other())
		there = true
	case s.focus == onList:
		s.highlight(s.other())
	}
	switch {
	case !there:
		s.manual = false
		f.notice = m.o.Words.PasteAgain
	case s.focus == onNote:
		s.note.paste(text)
	case s.focus == onEdit:
		s.approval.edit.paste(text)
	case s.focus == onFilter:
		s.setFilter(s.filter + squeeze(sayso.SafeText(text)))
	default:
		s.words.paste(text)
		s.chooseWords()
	}
	return tea.Batch(m.touch(f), m.changed(f, before))
}

// touch notes that the person has begun to answer.
func (m *Model) touch(f *form) tea.Cmd {
	if f.touched {
		return nil
	}
	f.touched = true
	if m.o.Touched == nil || f.ask.Deadline.IsZero() {
		return nil
	}
	return func() tea.Msg { m.o.Touched(f.ask); return nil }
}

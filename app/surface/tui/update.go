package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.resize()
	case tea.BackgroundColorMsg:
		m.look = newLook(msg.IsDark())
		m.resize()
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case Fold:
		return m, m.fold(msg)
	default:
		return m, m.own(msg)
	}
	return m, nil
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
			msg.form.notice = m.o.Words.say(m.o.Words.DraftNotLoaded, sayso.SafeLine(msg.err.Error()))
		}
		msg.form.restore(msg.answers)
	case pausedMsg:
		if m.owns(msg.form) {
			return m.paused(msg)
		}
	case keptMsg:
		if m.owns(msg.form) && msg.err != nil {
			msg.form.notice = m.o.Words.say(m.o.Words.DraftNotKept, sayso.SafeLine(msg.err.Error()))
		}
	case sentMsg:
		if m.owns(msg.form) {
			return m.sent(msg)
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
	f := m.form()
	if f == nil || f.guard.drops(m.o.Now(), m.o.Guard) || f.sending {
		return nil
	}
	if f.folded != nil {
		return m.closed(f)
	}
	f.notice, f.news = "", ""
	before := f.draft()
	var cmd tea.Cmd
	switch {
	case f.bar != noBar:
		cmd = m.pressBar(f, msg)
	case msg.String() == "ctrl+c":
		f.bar = leaveBar
	case f.sheet() == nil:
		cmd = m.pressReview(f, msg)
	default:
		cmd = m.pressSheet(f, msg)
	}
	if f.outcome != nil || f.sending {
		return cmd
	}
	var touch tea.Cmd
	if msg.String() != "enter" { // Enter alone is the key of habit
		touch = m.touch(f)
	}
	return tea.Batch(cmd, touch, m.changed(f, before), m.focus())
}

// paste puts what came in one piece into the text field, whatever has the focus:
// it cannot be a key.
func (m *Model) paste(text string) tea.Cmd {
	f := m.form()
	if f == nil || f.guard.drops(m.o.Now(), m.o.Guard) || f.sending ||
		f.folded != nil || f.bar != noBar || f.sheet() == nil {
		return nil
	}
	f.notice, f.news = "", ""
	before := f.draft()
	s := f.sheet()
	switch s.focus {
	case onNote:
		s.note.paste(text)
	case onFilter:
		s.setFilter(s.filter + squeeze(sayso.SafeText(text)))
	default:
		s.highlight(s.other())
		s.words.paste(text)
		s.chooseWords()
	}
	return tea.Batch(m.touch(f), m.changed(f, before), m.focus())
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

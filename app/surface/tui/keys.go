package tui

import (
	tea "charm.land/bubbletea/v2"
)

// pressSheet takes a key on the page of a question.
func (m *Model) pressSheet(f *form, msg tea.KeyPressMsg) tea.Cmd {
	s := f.sheet()
	switch k := msg.String(); k {
	case "ctrl+o":
		m.open(f, s)
		return nil
	case "pgdown":
		m.scroll(f, s, 1)
		return nil
	case "pgup":
		m.scroll(f, s, -1)
		return nil
	case "home", "end":
		if s.opened && s.manual {
			m.jump(f, s, k == "end")
			return nil
		}
	}
	switch s.focus {
	case onWords:
		return m.pressWords(f, s, msg)
	case onNote:
		m.pressNote(f, s, msg)
		return nil
	case onFilter:
		m.pressFilter(f, s, msg)
		return nil
	case onEdit:
		m.pressEdit(f, s, msg)
		return nil
	}
	return m.pressList(f, s, msg.String())
}

// open shows what does not fit, from where there is something to read, or
// shortens it again.
func (m *Model) open(f *form, s *sheet) {
	s.opened, s.manual, s.scroll = !s.opened, false, 0
	m.fit(s)
	if !s.opened {
		return
	}
	of, there := s.unseen()
	switch {
	case there && of.kind == thePreview && of.row == s.cur: // it stands below everything else
		s.manual = true
		s.scroll = max(len(m.askPage(f, s).lines)+1+len(m.list(s, 0).lines)-1, 0)
	case !there || of.kind == theAsk:
		s.manual = true
	}
}

// pressList takes a key in the list of options.
func (m *Model) pressList(f *form, s *sheet, k string) tea.Cmd {
	switch k {
	case "up", "k", "ctrl+p":
		s.move(-1)
	case "down", "j", "ctrl+n":
		s.move(1)
	case "home":
		s.highlight(s.rows()[0])
	case "end":
		s.highlight(s.other())
	case "space":
		m.toggle(f, s)
	case "enter":
		return m.confirm(f, s)
	case "n":
		s.focus, s.manual = onNote, false
	case "c":
		if s.approval.editable() {
			s.approval.begin()
			m.fit(s)
			s.focus, s.manual = onEdit, false
		}
	case "/":
		if len(s.q.Options) >= filterFrom {
			s.focus, s.manual = onFilter, false
		}
	case "esc":
		if s.filter != "" {
			s.setFilter("")
		} else {
			return m.leave(f)
		}
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "0":
		return m.digit(f, s, int(k[0]-'0'))
	default:
		m.turnKey(f, k)
	}
	return nil
}

// turnKey goes to the question before or after, if that is what the key means.
func (m *Model) turnKey(f *form, k string) {
	if f.pages() == 1 {
		return
	}
	switch k {
	case "tab", "right":
		f.turn(f.page + 1)
	case "shift+tab", "left":
		f.turn(f.page - 1)
	}
}

// digit chooses by number an option that is in sight; one that is not only comes
// into view. 0, and the number after the last option, are own words. Where choosing is
// answering, it answers.
func (m *Model) digit(f *form, s *sheet, n int) tea.Cmd {
	w := m.o.Words
	row := n - 1
	switch {
	case n == 0 || row == s.other():
		s.highlight(s.other())
		return nil
	case row > s.other():
		f.notice = w.say(w.NoSuchOption, n)
		return nil
	}
	there := m.frame.has(row)
	if !there {
		s.setFilter("")
	}
	s.highlight(row)
	switch {
	case s.q.Options[row].Danger:
		f.notice = w.say(w.DangerByHand, w.KeySpace)
	case !there:
		f.notice = w.say(w.OutOfSight, n)
	default:
		touch := m.touch(f) // an earlier draft is not what is chosen now
		s.pick(row)
		return tea.Batch(touch, m.picked(f, s))
	}
	return nil
}

// inView reports whether the highlighted option is in sight, and else brings it
// there.
func (m *Model) inView(f *form, s *sheet) bool {
	if m.frame.has(s.cur) {
		return true
	}
	s.manual = false
	f.notice = m.o.Words.CameIntoView
	return false
}

// toggle chooses, or unticks, the highlighted option.
func (m *Model) toggle(f *form, s *sheet) {
	switch {
	case s.cur < 0:
		f.notice = m.o.Words.ChooseFirst
	case m.inView(f, s):
		s.pick(s.cur)
	}
}

// confirm takes the highlighted option if nothing else is chosen, and goes on if
// there is an answer. Where Enter would replace an earlier choice, it only
// chooses; the next one confirms.
func (m *Model) confirm(f *form, s *sheet) tea.Cmd {
	w := m.o.Words
	if !s.q.Several() && s.cur >= 0 && s.cur < s.other() && !s.picked[s.cur] {
		if !m.inView(f, s) {
			return nil
		}
		again := s.answered()
		s.pick(s.cur)
		if again {
			f.notice = w.say(w.ChosenNow, cut(s.q.Options[s.cur].Label, 40), w.KeyEnter)
			return nil
		}
	}
	switch {
	case !s.answered() && !s.note.empty():
		f.notice = w.NoteAlone
	case !s.answered() && s.q.Several():
		f.notice = w.say(w.TickFirst, w.KeySpace)
	case !s.answered():
		f.notice = w.ChooseFirst
	default:
		return m.advance(f)
	}
	return nil
}

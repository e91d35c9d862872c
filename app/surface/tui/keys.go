package tui

import (
	tea "charm.land/bubbletea/v2"
)

// pressSheet takes a key on the page of a question.
func (m *Model) pressSheet(f *form, msg tea.KeyPressMsg) tea.Cmd {
	s := f.sheet()
	switch msg.String() {
	case "ctrl+o":
		s.opened, s.read, s.manual, s.scroll = !s.opened, true, true, 0
		return nil
	case "pgdown":
		m.scroll(f, s, 1)
		return nil
	case "pgup":
		m.scroll(f, s, -1)
		return nil
	}
	switch s.focus {
	case onWords:
		return m.pressWords(f, s, msg)
	case onNote:
		return m.pressNote(s, msg)
	case onFilter:
		m.pressFilter(s, msg)
		return nil
	}
	return m.pressList(f, s, msg)
}

// pressList takes a key in the list of options.
func (m *Model) pressList(f *form, s *sheet, msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
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
		s.focus = onNote
	case "/":
		if len(s.q.Options) >= filterFrom {
			s.focus = onFilter
		}
	case "esc":
		if s.filter != "" {
			s.setFilter("")
		} else {
			f.bar = leaveBar
		}
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "0":
		m.digit(f, s, int(k[0]-'0'))
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

// digit chooses by number. 0, and the number after the last option, are own words.
func (m *Model) digit(f *form, s *sheet, n int) {
	switch {
	case n == 0 || n == s.other()+1:
		s.highlight(s.other())
	case n > s.other():
		f.notice = m.o.Words.say(m.o.Words.NoSuchOption, n)
	default:
		s.setFilter("") // the number may be that of an option it hides
		s.highlight(n - 1)
		if s.q.Options[n-1].Danger {
			f.notice = m.o.Words.say(m.o.Words.DangerByHand, m.o.Words.KeySpace)
			return
		}
		s.pick(n - 1)
	}
}

// toggle chooses, or unticks, the highlighted option.
func (m *Model) toggle(f *form, s *sheet) {
	if s.cur < 0 {
		f.notice = m.o.Words.say(m.o.Words.ChooseFirst, m.o.Words.KeyEsc)
		return
	}
	s.pick(s.cur)
}

// confirm takes the highlighted option if nothing else is chosen, and goes on if
// there is an answer. Where Enter would replace an earlier choice, or take an
// option marked as dangerous, it only chooses; the next one confirms.
func (m *Model) confirm(f *form, s *sheet) tea.Cmd {
	w := m.o.Words
	if !s.q.Multi && s.cur >= 0 && s.cur < s.other() && !s.picked[s.cur] {
		again := s.answered() || s.q.Options[s.cur].Danger
		s.pick(s.cur)
		if again {
			f.notice = w.say(w.ChosenNow, cut(s.q.Options[s.cur].Label, 40), w.KeyEnter)
			return nil
		}
	}
	switch {
	case !s.answered() && !s.note.empty():
		f.notice = w.NoteAlone
	case !s.answered() && s.q.Multi:
		f.notice = w.say(w.TickFirst, w.KeySpace, w.KeyEsc)
	case !s.answered():
		f.notice = w.say(w.ChooseFirst, w.KeyEsc)
	default:
		return m.advance(f)
	}
	return nil
}

// advance goes on from a question that has an answer: to the next one without,
// to the review, or, from the only one, out.
func (m *Model) advance(f *form) tea.Cmd {
	w := m.o.Words
	if f.restored && !f.touched {
		f.notice = w.DraftIsBack
		return nil
	}
	if m.hidden(f) > 0 {
		f.notice = w.say(w.OpenFirst, w.KeyOpen)
		return nil
	}
	if len(f.sheets) == 1 {
		return m.finish(f, m.answer(f))
	}
	for i := f.page + 1; i < len(f.sheets); i++ {
		if !f.sheets[i].answered() {
			f.turn(i)
			return nil
		}
	}
	f.turn(len(f.sheets))
	f.guard.begin(m.o.Now(), m.o.Guard) // a second Enter must not send unread
	return nil
}

package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// pressWords takes a key in the field of own words.
func (m *Model) pressWords(f *form, s *sheet, msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	switch k {
	case "enter":
		return m.confirmWords(f, s)
	case "esc":
		if s.free() {
			f.bar = leaveBar
		} else {
			s.leaveWords()
		}
		return nil
	case "tab":
		if path, ok := s.path(); ok && m.o.Complete != nil {
			return m.complete(f, s, path)
		}
		m.turnKey(f, k)
		return nil
	case "shift+tab":
		m.turnKey(f, k)
		return nil
	case "up":
		switch {
		case !s.walked && s.words.recall(1):
			s.chooseWords()
			return nil
		case !s.free() && s.words.atTop():
			s.move(-1)
			return nil
		}
	case "down":
		if s.words.recalled >= 0 && s.words.recall(-1) {
			return nil
		}
	}
	before := s.words.value()
	cmd := s.words.press(msg)
	if s.words.value() != before {
		s.walked = false
		s.chooseWords()
	}
	return cmd
}

// chooseWords makes own words the choice where only one thing can be.
func (s *sheet) chooseWords() {
	if !s.q.Multi && !s.words.empty() {
		clear(s.picked)
	}
}

// leaveWords goes back to the list; the text stays.
func (s *sheet) leaveWords() {
	rows := s.rows()
	s.highlight(-1)
	if len(rows) > 1 {
		s.highlight(rows[len(rows)-2])
	}
}

// confirmWords goes on with own words, or says that there are none.
func (m *Model) confirmWords(f *form, s *sheet) tea.Cmd {
	w := m.o.Words
	switch {
	case s.words.empty() && s.q.Multi && s.anyPicked():
		return m.advance(f)
	case s.words.empty() && s.free():
		f.notice = w.say(w.TypeFirst, w.KeyEsc)
	case s.words.empty():
		f.notice = w.say(w.TypeOrBack, w.KeyEsc)
	case !s.saysWords():
		s.chooseWords()
		f.notice = w.say(w.ChosenWords, w.KeyEnter)
	default:
		return m.advance(f)
	}
	return nil
}

// pressNote takes a key in the field of the note.
func (m *Model) pressNote(s *sheet, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter", "esc", "tab", "shift+tab":
		s.focus = onList
		if s.cur == s.other() {
			s.focus = onWords
		}
		return nil
	}
	return s.note.press(msg)
}

// pressFilter takes a key in the filter. Digits are letters here.
func (m *Model) pressFilter(s *sheet, msg tea.KeyPressMsg) {
	switch k := msg.String(); k {
	case "esc":
		s.setFilter("")
		s.focus = onList
	case "enter", "tab":
		s.focus = onList
	case "up", "down":
		s.focus = onList
		s.move(map[string]int{"up": -1, "down": 1}[k])
	case "backspace", "ctrl+h":
		if r := []rune(s.filter); len(r) > 0 {
			s.setFilter(string(r[:len(r)-1]))
		} else {
			s.focus = onList
		}
	case "ctrl+u":
		s.setFilter("")
	default:
		if msg.Text != "" {
			s.setFilter(s.filter + msg.Text)
		}
	}
}

// setFilter shows only the options that hold the text. The highlight goes where
// it can still be seen, or away.
func (s *sheet) setFilter(text string) {
	s.filter = strings.TrimLeft(text, " ")
	for _, r := range s.rows() {
		if r == s.cur {
			return
		}
	}
	s.cur = -1
}

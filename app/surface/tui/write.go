package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// pressWords takes a key in the field of own words.
func (m *Model) pressWords(f *form, s *sheet, msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	_, path := s.path()
	switch completes := k == "tab" && path && m.o.Complete != nil; {
	case k == "esc" && s.free():
		return m.leave(f)
	case k == "esc":
		s.leaveWords()
		return nil
	case (k == "tab" || k == "shift+tab") && !completes:
		m.turnKey(f, k)
		return nil
	case m.comesIntoView(f, s):
		return nil
	case completes:
		return m.complete(f, s)
	}
	switch k {
	case "enter":
		return m.confirmWords(f, s)
	case "up":
		switch {
		case !s.walked && s.words.recall(1):
			s.chooseWords()
			return nil
		case !s.free() && s.words.text.atTop():
			s.move(-1)
			return nil
		}
	case "down":
		if s.words.recalled >= 0 && s.words.recall(-1) {
			return nil
		}
	}
	before := s.words.value()
	s.words.press(msg)
	if s.words.value() != before {
		s.walked = false
		s.chooseWords()
	}
	return nil
}

// comesIntoView brings a field back that has the focus and is out of sight. The
// key that it was meant for does nothing else.
func (m *Model) comesIntoView(f *form, s *sheet) bool {
	if m.frame.takes() {
		return false
	}
	s.manual = false
	f.notice = m.o.Words.CameIntoView
	return true
}

// chooseWords makes own words the choice where only one thing can be.
func (s *sheet) chooseWords() {
	if !s.q.Several() && !s.words.empty() {
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
	case s.words.empty() && s.q.Several() && s.anyPicked():
		return m.advance(f)
	case s.words.empty() && s.free():
		f.notice = w.TypeFirst
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
func (m *Model) pressNote(f *form, s *sheet, msg tea.KeyPressMsg) {
	switch msg.String() {
	case "enter", "esc", "tab", "shift+tab":
		s.focus = onList
		if s.cur == s.other() {
			s.focus = onWords
		}
	default:
		if !m.comesIntoView(f, s) {
			s.note.press(msg)
		}
	}
}

// pressFilter takes a key in the filter. Digits are letters here.
func (m *Model) pressFilter(f *form, s *sheet, msg tea.KeyPressMsg) {
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
		if msg.Text != "" && !m.comesIntoView(f, s) {
			s.setFilter(s.filter + sayso.SafeLine(msg.Text))
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

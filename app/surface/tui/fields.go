package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// drawWords draws the row of own words: the field while it has the focus, else
// its text in one line.
func (m *Model) drawWords(l *list, s *sheet) {
	k, w := m.look, m.o.Words
	number := "0"
	if n := s.other() + 1; n <= 9 {
		number = strconv.Itoa(n)
	}
	g := m.gutter(s, s.other(), k.dim.Render(number), s.saysWords())
	if s.focus == onWords {
		m.drawField(l, s.other(), g, s.words)
		return
	}
	text := k.dim.Render(w.OwnWords)
	if !s.words.empty() {
		style := k.dim // a text that does not count
		if s.saysWords() {
			style = k.bold
		}
		text = style.Render(cut(s.words.shown(), m.column(s)-s.labelAt()))
	}
	l.add(s.other(), g+text)
}

// drawNote draws the remark on the choice.
func (m *Model) drawNote(l *list, s *sheet) {
	k := m.look
	g := blank
	if s.focus == onNote {
		g = " " + k.accent.Render(pointer) + " "
	}
	g = pad(g+k.dim.Render("n ✎"), s.labelAt())
	if s.focus == onNote {
		m.drawField(l, s.other()+1, g, s.note)
		return
	}
	l.add(s.other()+1, g+cut(s.note.shown(), m.column(s)-s.labelAt()))
}

func (m *Model) drawField(l *list, row int, gutter string, f *field) {
	lines, c := f.view()
	if c != nil {
		c.X += ansi.StringWidth(gutter)
		c.Y += len(l.lines)
		l.cursor = c
	}
	l.add(row, indent(gutter, lines)...)
}

// drawFilter draws what the list is filtered by.
func (m *Model) drawFilter(l *list, s *sheet) {
	k, w := m.look, m.o.Words
	g := blank
	if s.focus == onFilter {
		g = " " + k.accent.Render(pointer) + " "
	}
	g += k.dim.Render("/") + " "
	found := w.say(w.Matches, len(s.rows())-1, len(s.q.Options))
	room := m.column(s) - 5 - ansi.StringWidth(found) - 2
	text := s.filter
	for ansi.StringWidth(text) > max(room-1, 1) { // the end is where one types
		r := []rune(text)
		text = string(r[1:])
	}
	if s.focus == onFilter {
		l.cursor = tea.NewCursor(5+ansi.StringWidth(text), len(l.lines))
	}
	l.add(-1, g+spread(text, k.dim.Render(found), m.column(s)-5))
}

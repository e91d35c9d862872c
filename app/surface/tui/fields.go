package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// drawWords draws the row of own words: the field while it has the focus, else
// its text in one line.
func (m *Model) drawWords(p *page, s *sheet) {
	k := m.look
	number := "0"
	if n := s.other() + 1; n <= 9 {
		number = strconv.Itoa(n)
	}
	g := m.gutter(s, s.other(), k.dim.Render(number), s.saysWords())
	style := k.dim // a text that does not count
	if s.saysWords() {
		style = k.bold
	}
	switch {
	case s.focus == onWords:
		m.drawField(p, s.other(), g, s.words)
	case s.words.empty():
		p.add(part{theField, s.other()}, g+k.dim.Render(cut(m.ownWords(s), m.column(s)-s.labelAt())))
	default:
		m.drawLine(p, s, s.other(), g, s.words, style.Render)
	}
}

// drawNote draws the remark on the choice.
func (m *Model) drawNote(p *page, s *sheet) {
	m.drawMore(p, s, onNote, s.other()+1, "n ✎", s.note, m.look.plain.Render)
}

// drawMore draws a row that a key opens: the field while it has the focus, else its
// text in one line.
func (m *Model) drawMore(p *page, s *sheet, on focus, row int, key string, f *field, style func(...string) string) {
	k := m.look
	g := blank
	if s.focus == on {
		g = " " + k.accent.Render(pointer) + " "
	}
	g = pad(g+k.dim.Render(key), s.labelAt())
	if s.focus == on {
		m.drawField(p, row, g, f)
		return
	}
	m.drawLine(p, s, row, g, f, style)
}

// drawLine draws the text of a field in one line. Where that cuts it, not all of
// it is in sight.
func (m *Model) drawLine(p *page, s *sheet, row int, gutter string, f *field, style func(...string) string) {
	room, text := m.column(s)-s.labelAt(), f.shown()
	of := part{theField, row}
	p.add(of, gutter+style(cut(text, room)))
	if columns(text) > room {
		p.all[of]++
	}
}

func (m *Model) drawField(p *page, row int, gutter string, f *field) {
	lines, rows, c := f.view()
	if f.value() == "" {
		lines[0] = m.look.dim.Render(cut(f.placeholder, f.text.width))
	}
	c.X += columns(gutter)
	c.Y += len(p.lines)
	p.cursor = c
	of := part{theField, row}
	p.add(of, indent(gutter, lines)...)
	p.all[of] = rows
}

// drawFilter draws what the list is filtered by.
func (m *Model) drawFilter(p *page, s *sheet) {
	k, w := m.look, m.o.Words
	g := blank
	if s.focus == onFilter {
		g = " " + k.accent.Render(pointer) + " "
	}
	g += k.dim.Render("/") + " "
	found := w.say(w.Matches, len(s.rows())-1, len(s.q.Options))
	room := m.column(s) - 5 - columns(found) - 2
	text := s.filter
	for columns(text) > max(room-1, 1) { // the end is where one types
		r := []rune(text)
		text = string(r[1:])
	}
	if s.focus == onFilter {
		p.cursor = tea.NewCursor(5+columns(text), len(p.lines))
	}
	p.add(part{theField, -1}, g+spread(text, k.dim.Render(found), m.column(s)-5))
}

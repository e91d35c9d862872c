package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// list is the drawn list of options, own words and the note.
type list struct {
	lines  []string
	rows   []int       // by line: the row it belongs to, -1: none
	cut    map[int]int // by row: lines that are left out
	cursor *tea.Cursor
}

func (l *list) add(row int, lines ...string) {
	for _, t := range lines {
		l.lines = append(l.lines, t)
		l.rows = append(l.rows, row)
	}
}

// cursorAt returns the cursor for a list that is drawn from the given line on.
func (l *list) cursorAt(y int) *tea.Cursor {
	if l.cursor == nil {
		return nil
	}
	c := *l.cursor
	c.Y += y
	return &c
}

// cutLines counts what is left out of the options that are chosen.
func (l *list) cutLines(s *sheet) int {
	n := 0
	for i, p := range s.picked {
		if p {
			n += l.cut[i]
		}
	}
	return n
}

// labelAt is the column in which labels begin. What stands left of it, the
// pointer, the number and the mark, is the frame's.
func (s *sheet) labelAt() int {
	switch {
	case s.free():
		return 3
	case s.q.Multi:
		return 9
	}
	return 7
}

// list draws the options. most bounds the lines of a label and of a description;
// 0 means no bound.
func (m *Model) list(s *sheet, most int) list {
	l := list{cut: map[int]int{}}
	if s.free() {
		m.drawWords(&l, s)
		return l
	}
	if s.q.Multi {
		l.add(-1, blank+m.look.dim.Render(m.o.Words.TickAll))
	}
	if s.focus == onFilter || s.filter != "" {
		m.drawFilter(&l, s)
	}
	for _, row := range s.rows() {
		if row < s.other() {
			m.drawOption(&l, s, row, most)
		} else {
			m.drawWords(&l, s)
		}
	}
	if s.focus == onNote || !s.note.empty() {
		m.drawNote(&l, s)
	}
	return l
}

func (m *Model) drawOption(l *list, s *sheet, row, most int) {
	k, o := m.look, &s.q.Options[row]
	number := " "
	if row < 9 {
		number = k.dim.Render(strconv.Itoa(row + 1))
	}
	if o.Danger {
		number = k.danger.Render("!")
	}
	style := k.plain
	switch {
	case row == s.cur:
		style = k.accent
	case s.picked[row]:
		style = k.bold
	}
	w := m.column(s) - s.labelAt()
	label := wrap(o.Label, w)
	hidden := 0
	short := func(lines []string) []string {
		if most == 0 || len(lines) <= most {
			return lines
		}
		hidden += len(lines) - most
		return lines[:most]
	}
	label = short(label)
	for i := range label {
		label[i] = style.Render(label[i])
	}
	label = m.tag(label, o.Recommended, m.o.Words.Recommended, k.ok.Render, w)
	label = m.tag(label, o.Danger, m.o.Words.Dangerous, k.danger.Render, w)
	l.add(row, indent(m.gutter(s, row, number, s.picked[row]), label)...)
	if o.Description != "" {
		for _, t := range short(wrap(o.Description, w)) {
			l.add(row, pad("", s.labelAt())+k.dim.Render(t))
		}
	}
	if hidden > 0 {
		words := m.o.Words
		l.cut[row] = hidden
		l.add(row, blank+k.warn.Render("▸ "+words.say(words.Folded.of(hidden), hidden, words.KeyOpen)))
	}
}

// tag puts a word of ours behind a label, or below it where there is no room.
func (m *Model) tag(label []string, on bool, word string, style func(...string) string, w int) []string {
	if !on {
		return label
	}
	last := len(label) - 1
	if ansi.StringWidth(label[last])+2+ansi.StringWidth(word) <= w {
		label[last] += "  " + style(word)
		return label
	}
	return append(label, style(word))
}

// gutter is what stands left of a row: pointer, number, mark.
func (m *Model) gutter(s *sheet, row int, number string, on bool) string {
	k := m.look
	g := blank
	if row == s.cur && (s.focus == onList || s.focus == onWords) {
		g = " " + k.accent.Render(pointer) + " "
	}
	if s.free() {
		return g
	}
	mark := map[bool]string{false: "○", true: "●"}
	if s.q.Multi {
		mark = map[bool]string{false: "[ ]", true: "[x]"}
	}
	style := k.dim
	if on {
		style = k.chosen
	}
	return g + number + " " + style.Render(mark[on]) + " "
}

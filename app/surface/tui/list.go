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

// rowLines returns the first and the last line of a row.
func (l *list) rowLines(row int) (first, last int) {
	first = -1
	for i, r := range l.rows {
		if r == row {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return max(first, 0), last
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

// listWindow shows the part of the list around the highlight in a number of
// lines, and says how many options are out of sight.
func (m *Model) listWindow(s *sheet, l list, height int) ([]string, span) {
	win := l.align(m.windowFor(s, l, 0, len(l.lines), height), s.cur)
	if height < 3 { // no room for marks
		return l.lines[win.from:min(win.from+height, len(l.lines))], win
	}
	above, below := l.outside(win)
	var lines []string
	if win.from > 0 {
		lines = append(lines, m.moreRows("↑", above, win.from, m.o.Words.PageUp))
	}
	lines = append(lines, l.lines[win.from:win.to]...)
	if n := len(l.lines) - win.to; n > 0 {
		lines = append(lines, m.moreRows("↓", below, n, m.o.Words.PageDown))
	}
	return lines, win
}

// align lets a window begin and end between rows, where that costs little.
func (l *list) align(win span, cur int) span {
	split := func(at int) bool {
		return at > 0 && at < len(l.rows) && l.rows[at] == l.rows[at-1] && l.rows[at] != cur
	}
	for range 3 {
		if split(win.from) {
			win.from++
			win.to = min(win.to+1, len(l.lines))
		}
	}
	to := win.to
	for range 3 {
		if split(to) {
			to--
		}
	}
	if to > win.from && !split(to) {
		win.to = to
	}
	return win
}

// windowFor returns the window on n lines of which the list begins at the given
// one: where the person has scrolled to, or around the highlight.
func (m *Model) windowFor(s *sheet, l list, at, n, height int) span {
	first, last := l.rowLines(s.cur)
	switch {
	case s.manual:
		return window(n, height, s.scroll)
	case s.cur < 0:
		return window(n, height, 0)
	}
	return around(n, height, at+first, at+last)
}

// outside counts the rows of which no line is inside the window.
func (l *list) outside(win span) (above, below int) {
	for i, r := range l.rows {
		if r < 0 || i > 0 && l.rows[i-1] == r {
			continue
		}
		_, last := l.rowLines(r)
		switch {
		case last < win.from:
			above++
		case i >= win.to:
			below++
		}
	}
	return above, below
}

// moreRows is the mark of rows that are out of sight, or of lines where these
// belong to a row in sight.
func (m *Model) moreRows(arrow string, rows, lines int, key string) string {
	if rows == 0 {
		return m.moreLines(arrow, lines, key)
	}
	w := m.o.Words
	return blank + m.look.dim.Render(arrow+" "+w.say(w.MoreRows.of(rows), rows))
}

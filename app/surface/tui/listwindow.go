package tui

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

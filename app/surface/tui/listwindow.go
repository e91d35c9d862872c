package tui

// addWindow adds the part of the list around the focus, in a number of lines, and
// says how many options are out of sight.
func (m *Model) addWindow(p *page, s *sheet, l *page, height int) {
	win := span{0, len(l.lines)}
	switch {
	case height >= 3:
		win = l.align(m.windowFor(s, l, 0, len(l.lines), height), s.focusRow())
	case len(l.lines) > height: // no room for marks
		at := max(min(l.focusLine(s), len(l.lines)-height), 0)
		win = span{at, at + height}
	}
	above, below := l.outside(win)
	marks := height >= 3
	if win.from > 0 && marks {
		p.blank(m.moreRows("↑", above, win.from, m.o.Words.PageUp))
	}
	if c := l.cursor; c != nil && c.Y >= win.from && c.Y < win.to {
		p.cursor = moved(c, len(p.lines)-win.from)
	}
	p.lines = append(p.lines, l.lines[win.from:win.to]...)
	if n := len(l.lines) - win.to; n > 0 && marks {
		p.blank(m.moreRows("↓", below, n, m.o.Words.PageDown))
	}
	p.from = win.from
}

// align lets a window begin and end between rows, where that costs little. The row
// with the focus is left alone.
func (l *page) align(win span, focus int) span {
	split := func(at int) bool {
		return at > 0 && at < len(l.lines) && l.lines[at].row == l.lines[at-1].row && l.lines[at].row != focus
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
// one: where the person has scrolled to, or around the focus.
func (m *Model) windowFor(s *sheet, l *page, at, n, height int) span {
	switch {
	case s.manual:
		return window(n, height, s.scroll)
	case l.cursor != nil:
		return around(n, height, at+l.cursor.Y, at+l.cursor.Y)
	case s.cur < 0:
		return window(n, height, 0)
	}
	first, last := l.rowLines(s.cur)
	return around(n, height, at+first, at+last)
}

// focusLine is the line of the list that has the focus.
func (l *page) focusLine(s *sheet) int {
	if l.cursor != nil {
		return l.cursor.Y
	}
	first, _ := l.rowLines(s.cur)
	return first
}

// outside counts the rows of which no line is inside the window.
func (l *page) outside(win span) (above, below int) {
	for i := range l.lines {
		r := l.lines[i].row
		if r < 0 || i > 0 && l.lines[i-1].row == r {
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
	return m.fits(blank + m.look.dim.Render(arrow+" "+w.count(w.MoreRows, rows)+" · "+key))
}

// rowLines returns the first and the last line of a row.
func (l *page) rowLines(row int) (first, last int) {
	first = -1
	for i := range l.lines {
		if l.lines[i].row == row {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return max(first, 0), last
}

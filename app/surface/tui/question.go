package tui

// question draws the page of a question. What fits is shown whole. What does not
// is folded, each part for itself, until the person opens it; then it scrolls.
func (m *Model) question(f *form, s *sheet, height int) body {
	ask := m.askLines(f, s)
	list := m.list(s, 0)
	box := m.preview(s, s.cur)
	side := m.beside(s)

	tall := len(ask) + 1 + len(list.lines)
	if !side && len(box) > 0 {
		tall += 1 + len(box)
	}
	var b body
	switch {
	case tall <= height || s.opened:
		b = m.whole(s, ask, list, box, height)
	default:
		b = m.folded(s, ask, box, height)
	}
	if side {
		part, more := m.foldTo(box, height)
		b.lines = m.joinBeside(s, b.lines, part)
		b.hidden += m.count(s, more)
	}
	if s.read {
		b.hidden = 0
	}
	return b
}

// whole shows everything, in one piece that scrolls where it is too tall.
func (m *Model) whole(s *sheet, ask []string, list list, box []string, height int) body {
	lines := append(append([]string{}, ask...), "")
	at := len(lines)
	lines = append(lines, list.lines...)
	if len(box) > 0 && !m.beside(s) {
		lines = append(append(lines, ""), box...)
	}
	if len(lines) <= height {
		return body{lines: lines, cursor: list.cursorAt(at)}
	}
	win := m.windowFor(s, list, at, len(lines), height)
	out, _ := m.scrolled(lines, height, win.from)
	return body{lines: out, from: win.from, cursor: list.cursorAt(at - win.from + win.shift())}.clip()
}

// folded shows the beginning of the question, a window on the list, and the
// beginning of the preview.
func (m *Model) folded(s *sheet, ask, box []string, height int) body {
	ask, hidden := m.foldTo(ask, max(height/3, 2))
	list := m.list(s, 3)
	room := height - len(ask) - 1
	more := 0
	if len(box) > 0 && !m.beside(s) { // the list comes first, but for a glimpse of the preview
		rows := max(room-len(list.lines)-1, min(room-6, 4), 1)
		if box, more = m.foldTo(box, rows); rows > 1 {
			box = append([]string{""}, box...)
		}
		room -= len(box)
	} else {
		box = nil
	}
	part, win := m.listWindow(s, list, max(room, 1))

	lines := append(append([]string{}, ask...), "")
	c := list.cursorAt(len(lines) - win.from + win.shift())
	lines = append(append(lines, part...), box...)
	return body{
		lines: lines, from: win.from, cursor: c,
		hidden: hidden + m.count(s, more) + list.cutLines(s),
	}.clip()
}

// count returns how much of the folded preview must be opened: that of an option
// which is not chosen decides nothing.
func (m *Model) count(s *sheet, more int) int {
	if more > 0 && s.cur >= 0 && s.cur < s.other() && s.picked[s.cur] {
		return more
	}
	return 0
}

// foldTo cuts lines to a number of rows and says how many are folded away.
func (m *Model) foldTo(lines []string, rows int) ([]string, int) {
	if len(lines) <= rows {
		return lines, 0
	}
	keep := rows - 1
	n := len(lines) - keep
	w := m.o.Words
	mark := " " + m.look.warn.Render("▸ "+w.say(w.Folded.of(n), n, w.KeyOpen))
	return append(append([]string{}, lines[:keep]...), mark), n
}

// askLines is what the asker wrote, each line behind a bar.
func (m *Model) askLines(f *form, s *sheet) []string {
	w := m.column(s) - 4
	l := m.look
	var lines []string
	if len(f.sheets) == 1 && s.q.Header != "" {
		lines = append(lines, l.dim.Render(cut(squeeze(s.q.Header), w)))
	}
	for _, t := range wrap(s.q.Text, w) {
		lines = append(lines, l.bold.Render(t))
	}
	if s.q.Body != "" {
		lines = append(append(lines, ""), m.markdown(s.q.Body, w)...)
	}
	return prefix(" "+l.accent.Render(bar)+" ", lines)
}

// hidden counts the lines on the page that must be opened before Enter counts.
func (m *Model) hidden(f *form) int { return m.hiddenOn(f, f.page) }

// hiddenOn counts them on the page of any question, with every chosen option
// looked at in turn.
func (m *Model) hiddenOn(f *form, i int) int {
	s := *f.sheets[i]
	height := m.bodyHeight(m.head(f), m.help(f))
	n := 0
	for row, picked := range s.picked {
		if picked {
			s.cur = row
			n = max(n, m.question(f, &s, height).hidden)
		}
	}
	if n == 0 {
		n = m.question(f, &s, height).hidden
	}
	return n
}

// scroll turns a page up or down.
func (m *Model) scroll(f *form, s *sheet, step int) {
	height := m.bodyHeight(m.head(f), m.foot(f))
	if !s.manual {
		s.manual, s.scroll = true, m.question(f, s, height).from
	}
	s.scroll = max(s.scroll+step*max(height-3, 1), 0)
	s.scroll = m.question(f, s, height).from
}

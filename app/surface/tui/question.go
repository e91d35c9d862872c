package tui

import (
	"github.com/saysohq/sayso"
)

// question draws the page of a question. What fits is shown whole. What does not
// is shortened, each part for itself, until the person opens it; then it scrolls.
func (m *Model) question(f *form, s *sheet, height int) *page {
	ask := m.askPage(f, s)
	list := m.list(s, 0)
	box := m.preview(s, s.cur)
	side := m.beside(s)

	tall := len(ask.lines) + 1 + len(list.lines)
	if !side && len(box) > 0 {
		tall += 1 + len(box)
	}
	var p *page
	switch {
	case tall <= height || s.opened:
		p = m.whole(s, ask, list, box, height)
	default:
		p = m.short(s, ask, box, height)
	}
	if side && len(box) > 0 {
		m.joinBeside(s, p, m.cutTo(box, height))
		p.all[part{thePreview, s.cur}] = len(box)
	}
	return p
}

// whole shows everything, in one piece that scrolls where it is too tall.
func (m *Model) whole(s *sheet, ask, list *page, box []string, height int) *page {
	rest := &page{all: list.all} // what stands below the ask, which may be long
	rest.all[part{kind: theAsk}] = len(ask.lines)
	rest.blank("")
	rest.lines = append(rest.lines, list.lines...)
	if len(box) > 0 && !m.beside(s) {
		rest.blank("")
		rest.add(part{thePreview, s.cur}, box...)
	}
	at := len(ask.lines)
	n := at + len(rest.lines)
	win := m.windowFor(s, list, at+1, n, height)
	lines := append([]line{}, ask.lines[min(win.from, at):min(win.to, at)]...)
	lines = append(lines, rest.lines[max(win.from-at, 0):max(win.to-at, 0)]...)
	return m.marked(&page{lines: lines, all: rest.all, cursor: moved(list.cursor, at+1-win.from)}, win, n)
}

// short shows the beginning of the question, a window on the list, and the
// beginning of the preview.
func (m *Model) short(s *sheet, ask *page, box []string, height int) *page {
	list := m.list(s, 3)
	p := newPage()
	top := max(height/3, 2)
	if s.approval != nil { // what will run comes first
		top = max(top, height-1-len(list.lines))
	}
	if height < 6 { // there is room for a line of each
		top = 1
	}
	p.lines, p.all = m.cutPage(ask, top), list.all
	p.all[part{kind: theAsk}] = len(ask.lines)
	if top > 1 {
		p.blank("")
	}
	room := height - len(p.lines)
	var shown []string
	if len(box) > 0 && !m.beside(s) { // the list comes first, but for a glimpse of the preview
		rows := max(room-len(list.lines)-1, min(room-6, 4), 1)
		if shown = m.cutTo(box, rows); rows > 1 {
			room--
		}
		room -= len(shown)
	}
	m.addWindow(p, s, list, max(room, 1))
	if len(shown) > 1 {
		p.blank("")
	}
	p.add(part{thePreview, s.cur}, shown...)
	p.all[part{thePreview, s.cur}] = len(box)
	return p
}

// cutTo cuts lines to a number of rows, and says in the last of them how many are
// left out.
func (m *Model) cutTo(lines []string, rows int) []string {
	if len(lines) <= rows {
		return lines
	}
	return append(append([]string{}, lines[:rows-1]...), m.opens(len(lines)-rows+1, " "))
}

// cutPage does the same for what the asker wrote.
func (m *Model) cutPage(p *page, rows int) []line {
	if len(p.lines) <= rows {
		return append([]line{}, p.lines...)
	}
	out := &page{lines: append([]line{}, p.lines[:rows-1]...)}
	out.blank(m.opens(len(p.lines)-rows+1, " "))
	return out.lines
}

// opens is the mark of lines that are left out, with the key that opens them.
func (m *Model) opens(n int, before string) string {
	w := m.o.Words
	return m.fits(before + m.look.warn.Render("▸ "+w.count(w.MoreToOpen, n, w.KeyOpen)))
}

// askDrawing names a question as it is drawn.
type askDrawing struct {
	q     *sayso.Question
	width int
}

// askPage is what the asker wrote, each line behind a bar.
func (m *Model) askPage(f *form, s *sheet) *page {
	w := m.column(s) - 4
	key := askDrawing{s.q, w}
	if p := m.askPages[key]; p != nil {
		return p
	}
	l := m.look
	var lines []string
	if title := squeeze(s.q.Header); title != "" && (len(f.sheets) == 1 || columns(title) > nameMax) {
		for _, t := range wrap(title, w) { // the tabs show the beginning of it at most
			lines = append(lines, l.dim.Render(t))
		}
	}
	switch secret := l.warn.Render(m.o.Words.Secret); {
	case s.q.Secret && len(lines) > 0:
		lines = m.tag(lines, true, m.o.Words.Secret, l.warn.Render, w)
	case s.q.Secret:
		lines = append(lines, secret)
	}
	for _, t := range wrap(s.q.Text, w) {
		lines = append(lines, l.bold.Render(t))
	}
	switch {
	case s.approval != nil:
		lines = append(append(lines, m.openingLines(s.approval, w)...), "")
		lines = append(lines, m.approvalBody(s.q.Body, w)...)
	case s.q.Body != "":
		lines = append(append(lines, ""), m.markdown(s.q.Body, w)...)
	}
	p := newPage()
	p.add(part{kind: theAsk}, prefix(" "+l.accent.Render(bar)+" ", lines)...)
	if s == f.sheets[0] { // no asker can write without the bar
		p.add(part{kind: theAsk}, prefix(blank, m.togetherLines(f, w))...)
	}
	m.askPages[key] = p
	return p
}

// scroll turns a page up or down.
func (m *Model) scroll(f *form, s *sheet, step int) {
	height := m.bodyHeight(f)
	if !s.manual {
		s.manual, s.scroll = true, m.question(f, s, height).from
	}
	s.scroll = max(s.scroll+step*max(height-3, 1), 0)
	s.scroll = m.question(f, s, height).from
}

// jump goes to the beginning of what is opened, or to the end: first that of the
// asker's text, then that of the page.
func (m *Model) jump(f *form, s *sheet, toEnd bool) {
	height := m.bodyHeight(f)
	s.manual, s.scroll = true, 0
	if !toEnd {
		return
	}
	if end := len(m.askPage(f, s).lines) - 1; !m.frame.sight[part{kind: theAsk}].last && !s.seen[part{kind: theAsk}] {
		s.scroll = max(end-height+3, 0) // its last line is the last in the window
		return
	}
	s.scroll = 1 << 30
	s.scroll = m.question(f, s, height).from
}

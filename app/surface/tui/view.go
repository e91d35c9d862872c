package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

const (
	textMax    = 100 // columns that are still good to read
	besideFrom = 110 // columns from which on a preview stands beside the list
)

// View shows the dialog. It is empty when the person is done: the caller leaves
// the record.
func (m *Model) View() tea.View {
	v := m.frame.view
	v.Cursor = moved(v.Cursor, 0)
	return v
}

// moved returns the cursor so many lines further down.
func moved(c *tea.Cursor, lines int) *tea.Cursor {
	if c == nil {
		return nil
	}
	to := *c
	to.Y += lines
	return &to
}

// bodyHeight is what the head and the foot leave of the screen.
func (m *Model) bodyHeight(f *form) int {
	return max(m.height-1-len(m.head(f))-len(m.foot(f)), 3)
}

// column is the right edge of the main column.
func (m *Model) column(s *sheet) int {
	w := max(min(m.width-1, textMax), 16)
	if s != nil && m.beside(s) {
		w = min((m.width-1)*11/20, textMax)
	}
	return w
}

// beside reports whether previews stand beside the list. It does not depend on
// the highlight, so that the list does not jump. What is opened stands in one
// column, so that all of it can be scrolled to.
func (m *Model) beside(s *sheet) bool {
	if m.width < besideFrom || s.opened {
		return false
	}
	for i := range s.q.Options {
		if s.q.Options[i].Preview != "" {
			return true
		}
	}
	return false
}

func (m *Model) body(f *form, height int) *page {
	switch s := f.sheet(); {
	case f.closed != nil:
		return m.scrolled(m.closedPage(f), height, f.scroll)
	case s == nil:
		return m.scrolled(m.reviewPage(f), height, f.scroll)
	default:
		return m.question(f, s, height)
	}
}

// scrolled returns the part of a page that begins at the given line, with marks
// for the rest.
func (m *Model) scrolled(p *page, height, at int) *page {
	n := len(p.lines)
	win := window(n, height, at)
	return m.marked(&page{lines: p.lines[win.from:win.to], all: p.all}, win, n)
}

// marked returns what is seen through a window on n lines, with marks for the rest.
func (m *Model) marked(p *page, win span, n int) *page {
	out := &page{all: p.all, from: win.from}
	if win.from > 0 {
		out.blank(m.moreLines("↑", win.from, m.o.Words.PageUp))
	}
	if c := p.cursor; c != nil && c.Y >= 0 && c.Y < len(p.lines) {
		out.cursor = moved(c, len(out.lines))
	}
	out.lines = append(out.lines, p.lines...)
	if left := n - win.to; left > 0 {
		out.blank(m.moreLines("↓", left, m.o.Words.PageDown))
	}
	return out
}

// moreLines is the mark of lines that are out of sight, with the key that shows
// them.
func (m *Model) moreLines(arrow string, n int, key string) string {
	w := m.o.Words
	return m.fits(blank + m.look.dim.Render(arrow+" "+w.count(w.MoreLines, n)+" · "+key))
}

// fits cuts a line of ours where the window is very narrow.
func (m *Model) fits(line string) string { return cut(line, m.width-1) }

// span is a window on a list.
type span struct{ from, to int }

// window returns which of n lines are seen through a window of the given height
// that would like to begin at a line, leaving room for marks of what is not seen.
// The line is among them. The height is 3 or more.
func window(n, height, at int) span {
	if n <= height {
		return span{0, n}
	}
	at = max(min(at, n-1), 0)
	if at <= 1 {
		return span{0, height - 1}
	}
	rows := height - 2
	if at+rows >= n-1 {
		return span{n - height + 1, n}
	}
	return span{at, at + rows}
}

// around returns a window that has the wanted line, the first if it is taller, in
// its middle.
func around(n, height, first, last int) span {
	tall := last - first + 1
	lead := max((height-2-tall)/2, 0)
	return window(n, height, first-lead)
}

// pad fills a line up to w columns.
func pad(s string, w int) string {
	return s + strings.Repeat(" ", max(w-columns(s), 0))
}

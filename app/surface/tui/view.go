package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	textMax    = 100 // columns that are still good to read
	besideFrom = 110 // columns from which on a preview stands beside the list
)

// View draws the dialog. It is empty when the person is done: the caller leaves
// the record.
func (m *Model) View() tea.View {
	f := m.form()
	if f == nil {
		return tea.NewView("")
	}
	head, foot := m.head(f), m.foot(f)
	b := m.body(f, m.bodyHeight(head, foot))
	lines := append(append(head, b.lines...), foot...)
	v := tea.NewView(strings.Join(lines, "\n"))
	if b.cursor != nil && f.bar == noBar && !f.sending {
		b.cursor.Y += len(head)
		v.Cursor = b.cursor
	}
	return v
}

// bodyHeight is what the head and the foot leave of the screen, but for a spare
// row: a frame as tall as the screen would scroll.
func (m *Model) bodyHeight(head, foot []string) int {
	return max(m.height-1-len(head)-len(foot), 3)
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
// the highlight, so that the list does not jump.
func (m *Model) beside(s *sheet) bool {
	if m.width < besideFrom {
		return false
	}
	for i := range s.q.Options {
		if s.q.Options[i].Preview != "" {
			return true
		}
	}
	return false
}

// body is what stands between head and foot.
type body struct {
	lines  []string
	from   int // the line that a scrolled part begins at
	cursor *tea.Cursor
	hidden int // lines of the asker that the person has not been shown, and which count
}

// clip takes a cursor away that is out of sight.
func (b body) clip() body {
	if b.cursor != nil && (b.cursor.Y < 0 || b.cursor.Y >= len(b.lines)) {
		b.cursor = nil
	}
	return b
}

func (m *Model) body(f *form, height int) body {
	switch s := f.sheet(); {
	case f.folded != nil:
		lines, _ := m.scrolled(m.foldedLines(f), height, f.scroll)
		return body{lines: lines}
	case s == nil:
		lines, at := m.scrolled(m.reviewLines(f), height, f.scroll)
		return body{lines: lines, from: at}
	default:
		return m.question(f, s, height)
	}
}

// scrolled returns the part of the lines that begins at the given one, with marks
// for the rest, and where it does begin.
func (m *Model) scrolled(lines []string, height, at int) ([]string, int) {
	win := window(len(lines), height, at)
	out := lines[win.from:win.to]
	if win.from > 0 {
		out = append([]string{m.moreLines("↑", win.from, m.o.Words.PageUp)}, out...)
	}
	if n := len(lines) - win.to; n > 0 {
		out = append(out[:len(out):len(out)], m.moreLines("↓", n, m.o.Words.PageDown))
	}
	return out, win.from
}

// moreLines is the mark of lines that are out of sight, with the key that shows
// them.
func (m *Model) moreLines(arrow string, n int, key string) string {
	w := m.o.Words
	return blank + m.look.dim.Render(arrow+" "+w.say(w.MoreLines.of(n), n)+" · "+key)
}

// span is a window on a list.
type span struct{ from, to int }

// shift is the room that the mark above the window takes.
func (w span) shift() int { return min(w.from, 1) }

// window returns which of n lines are seen through a window of the given height
// that would like to begin at a line, leaving room for marks of what is not seen.
func window(n, height, at int) span {
	if n <= height {
		return span{0, n}
	}
	at = max(min(at, n-1), 0)
	if at <= 1 && height > 1 {
		return span{0, height - 1}
	}
	if height < 3 {
		return span{at, min(at+height, n)}
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
	return s + strings.Repeat(" ", max(w-ansi.StringWidth(s), 0))
}

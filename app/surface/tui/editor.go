package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

// editor is a text with a cursor, in rows of a width. It keeps every byte of the
// text, and wraps only the lines that changed: a text of 200 KB stays usable.
type editor struct {
	lines    []editLine
	row, col int // of the cursor: line, cell
	column   int // where ↑ and ↓ would like to be; -1: where the cursor is
	width    int
	masked   bool // every letter is drawn as a dot

	text  string // of all lines, unless stale
	stale bool
}

// editLine is what stands between two line ends.
type editLine struct {
	cells []cell
	rows  []int // the cells that rows begin with; nil: not wrapped yet
}

// cell is what a person takes for one character.
type cell struct {
	text, show string
	width      int
}

func newEditor(masked bool) *editor {
	return &editor{lines: make([]editLine, 1), column: -1, width: 40, masked: masked}
}

func (e *editor) value() string {
	if e.stale {
		var b strings.Builder
		for i := range e.lines {
			if i > 0 {
				b.WriteByte('\n')
			}
			writeCells(&b, e.lines[i].cells)
		}
		e.text, e.stale = b.String(), false
	}
	return e.text
}

func writeCells(b *strings.Builder, cells []cell) {
	for i := range cells {
		b.WriteString(cells[i].text)
	}
}

func textOf(cells []cell) string {
	var b strings.Builder
	writeCells(&b, cells)
	return b.String()
}

// set replaces the text and goes to its end.
func (e *editor) set(s string) {
	e.lines, e.row, e.col, e.column = make([]editLine, 1), 0, 0, -1
	e.insert(s)
}

// resize sets the width. The last column is for the cursor behind a full row.
func (e *editor) resize(w int) {
	if w = max(w-1, 2); w == e.width {
		return
	}
	e.width = w
	for i := range e.lines {
		e.lines[i].rows = nil
	}
}

// insert types a text at the cursor.
func (e *editor) insert(s string) {
	at := e.lines[e.row].cells
	before, after := textOf(at[:e.col]), textOf(at[e.col:])
	parts := strings.Split(before+s, "\n")
	last := len(parts) - 1
	end := len(parts[last])
	parts[last] += after
	fresh := make([]editLine, len(parts))
	for i, p := range parts {
		fresh[i].cells = e.cellsOf(p)
	}
	if e.lines[e.row] = fresh[0]; last > 0 {
		e.lines = slices.Insert(e.lines, e.row+1, fresh[1:]...)
	}
	e.row += last
	e.col = cellAt(e.lines[e.row].cells, end)
	e.changed()
}

// remove takes away what stands between two places.
func (e *editor) remove(fromRow, fromCol, toRow, toCol int) {
	rest := textOf(e.lines[toRow].cells[toCol:])
	head := textOf(e.lines[fromRow].cells[:fromCol])
	e.lines[fromRow] = editLine{cells: e.cellsOf(head + rest)}
	e.lines = slices.Delete(e.lines, fromRow+1, toRow+1)
	e.row, e.col = fromRow, cellAt(e.lines[fromRow].cells, len(head))
	e.changed()
}

func (e *editor) changed() { e.stale, e.column = true, -1 }

// cellAt returns the cell that begins at a byte, or the next one.
func cellAt(cells []cell, at int) int {
	for i := range cells {
		if at <= 0 {
			return i
		}
		at -= len(cells[i].text)
	}
	return len(cells)
}

// cellsOf takes a line apart.
func (e *editor) cellsOf(s string) []cell {
	cells := make([]cell, 0, len(s))
	for s != "" {
		c := cell{text: s[:1], show: s[:1], width: 1}
		if s[0] >= utf8.RuneSelf || s[0] < ' ' || s[0] == 0x7f || len(s) > 1 && s[1] >= utf8.RuneSelf {
			c.text, c.width = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			c.show = c.text
			switch {
			case c.text == "\t":
				c.show, c.width = "    ", 4
			case strings.ContainsFunc(c.text, perilous):
				c.show = sayso.SafeLine(c.text)
				c.width = ansi.StringWidth(c.show)
			}
		}
		s = s[len(c.text):]
		if e.masked {
			c.show, c.width = "•", 1
		}
		cells = append(cells, c)
	}
	return cells
}

// perilous reports whether a character does something to a terminal. An earlier
// draft may hold some.
func perilous(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r == utf8.RuneError || r >= 0xE0000 && r <= 0xE0FFF
}

// rowsOf returns where the rows of a line begin. They break behind spaces, if
// there are any.
func (e *editor) rowsOf(i int) []int {
	l := &e.lines[i]
	if l.rows != nil {
		return l.rows
	}
	l.rows = []int{0}
	used, space := 0, -1 // columns of the row; the cell behind its last space
	for c := 0; c < len(l.cells); c++ {
		if used+l.cells[c].width > e.width && used > 0 {
			at := c
			if space > l.rows[len(l.rows)-1] {
				at = space
			}
			l.rows = append(l.rows, at)
			c, used, space = at, 0, -1
		}
		used += l.cells[c].width
		if l.cells[c].text == " " {
			space = c + 1
		}
	}
	return l.rows
}

// cursorRow returns the row of its line that the cursor is on.
func (e *editor) cursorRow() int {
	rows := e.rowsOf(e.row)
	at := 0
	for at+1 < len(rows) && rows[at+1] <= e.col {
		at++
	}
	return at
}

// view draws at most so many rows around the cursor, and says how many there are
// and where the cursor is.
func (e *editor) view(most int) (drawn []string, rows, x, y int) {
	for i := range e.lines {
		if i == e.row {
			y = rows + e.cursorRow()
		}
		rows += len(e.rowsOf(i))
	}
	from := max(min(y-most/2, rows-most), 0)
	at := 0
	for i := range e.lines {
		starts := e.rowsOf(i)
		for r := range starts {
			if at >= from && at < from+most {
				drawn = append(drawn, e.rowText(i, r))
			}
			at++
		}
	}
	return drawn, rows, e.cursorColumn(), y - from
}

func (e *editor) rowCells(line, row int) []cell {
	l := &e.lines[line]
	end := len(l.cells)
	if row+1 < len(l.rows) {
		end = l.rows[row+1]
	}
	return l.cells[l.rows[row]:end]
}

func (e *editor) rowText(line, row int) string {
	var b strings.Builder
	for _, c := range e.rowCells(line, row) {
		b.WriteString(c.show)
	}
	return b.String()
}

func (e *editor) cursorColumn() int {
	x := 0
	row := e.cursorRow()
	for _, c := range e.lines[e.row].cells[e.lines[e.row].rows[row]:e.col] {
		x += c.width
	}
	return x
}

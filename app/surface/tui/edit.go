package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// press edits the text as people who use Emacs or a shell expect it. It reports
// whether the key means anything here.
func (e *editor) press(msg tea.KeyPressMsg) bool {
	if msg.Text != "" && !strings.ContainsFunc(msg.Text, perilous) {
		e.insert(msg.Text)
		return true
	}
	do, ok := editing[msg.String()]
	if ok {
		do(e)
	}
	return ok
}

var editing = map[string]func(*editor){
	"ctrl+j": newLine, "shift+enter": newLine, "alt+enter": newLine,
	"left": func(e *editor) { e.to(e.before()) }, "ctrl+b": func(e *editor) { e.to(e.before()) },
	"right": func(e *editor) { e.to(e.after()) }, "ctrl+f": func(e *editor) { e.to(e.after()) },
	"alt+left": func(e *editor) { e.to(e.wordBefore()) }, "alt+b": func(e *editor) { e.to(e.wordBefore()) }, "ctrl+left": func(e *editor) { e.to(e.wordBefore()) },
	"alt+right": func(e *editor) { e.to(e.wordAfter()) }, "alt+f": func(e *editor) { e.to(e.wordAfter()) }, "ctrl+right": func(e *editor) { e.to(e.wordAfter()) },
	"home": func(e *editor) { e.to(e.row, 0) }, "ctrl+a": func(e *editor) { e.to(e.row, 0) },
	"end": func(e *editor) { e.to(e.row, e.lineEnd()) }, "ctrl+e": func(e *editor) { e.to(e.row, e.lineEnd()) },
	"ctrl+home": func(e *editor) { e.to(0, 0) }, "alt+<": func(e *editor) { e.to(0, 0) },
	"ctrl+end": (*editor).toEnd, "alt+>": (*editor).toEnd,
	"up": func(e *editor) { e.upDown(-1) }, "ctrl+p": func(e *editor) { e.upDown(-1) },
	"down": func(e *editor) { e.upDown(1) }, "ctrl+n": func(e *editor) { e.upDown(1) },
	"backspace": func(e *editor) { e.cutTo(e.before()) }, "ctrl+h": func(e *editor) { e.cutTo(e.before()) },
	"delete":        func(e *editor) { e.cutTo(e.after()) },
	"alt+backspace": func(e *editor) { e.cutTo(e.wordBefore()) }, "ctrl+w": func(e *editor) { e.cutTo(e.wordBefore()) },
	"alt+d": func(e *editor) { e.cutTo(e.wordAfter()) }, "alt+delete": func(e *editor) { e.cutTo(e.wordAfter()) },
	"ctrl+u": func(e *editor) {
		if e.col == 0 {
			e.cutTo(e.before())
		} else {
			e.cutTo(e.row, 0)
		}
	},
	"ctrl+k": func(e *editor) {
		if e.col == e.lineEnd() {
			e.cutTo(e.after())
		} else {
			e.cutTo(e.row, e.lineEnd())
		}
	},
}

func newLine(e *editor) { e.insert("\n") }

func (e *editor) lineEnd() int { return len(e.lines[e.row].cells) }

func (e *editor) to(row, col int) { e.row, e.col, e.column = row, col, -1 }

func (e *editor) toEnd() { e.to(len(e.lines)-1, len(e.lines[len(e.lines)-1].cells)) }

// cutTo removes what stands between the cursor and a place.
func (e *editor) cutTo(row, col int) {
	if row < e.row || row == e.row && col < e.col {
		e.remove(row, col, e.row, e.col)
	} else {
		e.remove(e.row, e.col, row, col)
	}
}

// before is the place of the character before the cursor.
func (e *editor) before() (row, col int) {
	switch {
	case e.col > 0:
		return e.row, e.col - 1
	case e.row > 0:
		return e.row - 1, len(e.lines[e.row-1].cells)
	}
	return 0, 0
}

// after is the place behind the character at the cursor.
func (e *editor) after() (row, col int) {
	switch {
	case e.col < e.lineEnd():
		return e.row, e.col + 1
	case e.row+1 < len(e.lines):
		return e.row + 1, 0
	}
	return e.row, e.col
}

// wordBefore is where the word before the cursor begins.
func (e *editor) wordBefore() (row, col int) {
	if e.col == 0 {
		return e.before()
	}
	cells, at := e.lines[e.row].cells, e.col
	for at > 0 && cells[at-1].text == " " {
		at--
	}
	for at > 0 && cells[at-1].text != " " {
		at--
	}
	return e.row, at
}

// wordAfter is where the word behind the cursor ends.
func (e *editor) wordAfter() (row, col int) {
	if e.col == e.lineEnd() {
		return e.after()
	}
	cells, at := e.lines[e.row].cells, e.col
	for at < len(cells) && cells[at].text == " " {
		at++
	}
	for at < len(cells) && cells[at].text != " " {
		at++
	}
	return e.row, at
}

// upDown goes to the row above or below, and stays in its column as far as the
// rows are long enough.
func (e *editor) upDown(step int) {
	if e.column < 0 {
		e.column = e.cursorColumn()
	}
	want := e.column
	line, row := e.row, e.cursorRow()+step
	switch {
	case row < 0 && line == 0, row == len(e.rowsOf(line)) && line == len(e.lines)-1:
		return
	case row < 0:
		line--
		row = len(e.rowsOf(line)) - 1
	case row == len(e.rowsOf(line)):
		line, row = line+1, 0
	}
	e.rowsOf(line)
	cells, x, at := e.rowCells(line, row), 0, 0
	for at < len(cells) && x+cells[at].width <= want {
		x += cells[at].width
		at++
	}
	start := e.lines[line].rows[row]
	if last := row == len(e.lines[line].rows)-1; !last && at == len(cells) {
		at-- // the place behind it is the beginning of the next row
	}
	e.row, e.col, e.column = line, start+at, want
}

// atTop reports whether there is no row above the cursor.
func (e *editor) atTop() bool { return e.row == 0 && e.cursorRow() == 0 }

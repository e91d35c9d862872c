package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// frame is what is on the screen. A key acts on what the frame before it shows,
// and on nothing else.
type frame struct {
	view  tea.View
	sight map[part]extent
	small bool // the window is too small to show a question
}

// part is something on a page that can be in sight: what the asker wrote, an
// option, a field.
type part struct {
	kind partKind
	row  int // of the list
}

type partKind int8

const (
	theRest        partKind = iota // marks, empty lines
	theAsk                         // the text and the body of the question
	theLabel                       // of an option
	theDescription                 // of an option
	thePreview                     // of an option
	theField                       // own words, the note, the filter
	theReview                      // what is about to be sent
	theEarlier                     // what was answered before
)

// line is a line of a page and the part that it belongs to.
type line struct {
	text string
	part
	at   int  // which line of the part it is
	must bool // it must have been in sight before an answer is sent
}

// extent is how much of a part is in sight.
type extent struct {
	first, last bool
	lines, of   int
}

func (e extent) whole() bool { return e.of > 0 && e.lines == e.of }

// page is something to show between head and foot, taller than that perhaps.
type page struct {
	lines  []line
	beside []line       // what stands beside the lines, already drawn into them
	all    map[part]int // lines that there are of each part
	cursor *tea.Cursor
	from   int // the line that the page, or its list, is scrolled to
}

func newPage() *page { return &page{all: map[part]int{}} }

// add appends lines of a part.
func (p *page) add(of part, texts ...string) {
	for _, t := range texts {
		p.lines = append(p.lines, line{text: t, part: of, at: p.all[of]})
		p.all[of]++
	}
}

// blank appends an empty line, or one that is ours.
func (p *page) blank(text string) { p.lines = append(p.lines, line{text: text, part: part{row: -1}}) }

// draw draws what is on the screen now, and notes what the person could see.
func (m *Model) draw() {
	f := m.form()
	if f == nil {
		m.frame = frame{view: tea.NewView("")}
		return
	}
	head, foot := m.head(f), m.foot(f)
	height := m.height - 1 - len(head) - len(foot) // a frame as tall as the screen would scroll
	var b *page
	if height >= 3 && m.width >= 20 {
		b = m.body(f, height)
	}
	if b == nil || len(b.lines) > height {
		m.frame = frame{view: tea.NewView(m.tooSmall()), small: true}
		return
	}
	var content strings.Builder
	for _, t := range head {
		content.WriteString(m.fits(t) + "\n")
	}
	for _, l := range b.lines {
		content.WriteString(l.text + "\n")
	}
	for i, t := range foot {
		foot[i] = m.fits(t)
	}
	content.WriteString(strings.Join(foot, "\n"))
	m.frame = frame{view: tea.NewView(content.String()), sight: b.sight()}
	if b.cursor != nil && f.bar == noBar && !f.busy() {
		m.frame.view.Cursor = moved(b.cursor, len(head))
	}
	m.note(f, b)
}

func (m *Model) tooSmall() string {
	lines := wrap(m.o.Words.TooSmall, max(m.width-1, 2))
	return strings.Join(lines[:max(min(len(lines), m.height-1), 0)], "\n")
}

// sight says how much of every part is in sight.
func (p *page) sight() map[part]extent {
	seen := make(map[part]extent, 16)
	for _, l := range slices.Concat(p.lines, p.beside) {
		if l.kind == theRest {
			continue
		}
		e := seen[l.part]
		e.of = p.all[l.part]
		e.lines++
		e.first = e.first || l.at == 0
		e.last = e.last || l.at == e.of-1
		seen[l.part] = e
	}
	return seen
}

// note remembers what has been in sight to its end.
func (m *Model) note(f *form, b *page) {
	s := f.sheet()
	if f.closed != nil {
		return
	}
	if s == nil {
		f.review.note(b.lines)
		return
	}
	for p, e := range m.frame.sight {
		if e.last {
			s.seen[p] = true
		}
	}
}

// has reports whether an option can be acted on: its mark is in sight.
func (fr *frame) has(row int) bool { return fr.sight[part{theLabel, row}].first }

// takes reports whether the field with the cursor is in sight.
func (fr *frame) takes() bool { return fr.view.Cursor != nil }

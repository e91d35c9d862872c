package tui

import (
	"strconv"

	"github.com/saysohq/sayso"
)

// labelAt is the column in which labels begin. What stands left of it, the
// pointer, the number and the mark, is the frame's.
func (s *sheet) labelAt() int { return sayso.ByKind(s.q, 3, 7, 9) }

// list draws the options, own words and the note. most bounds the lines of a label
// and of a description; 0 means no bound.
func (m *Model) list(s *sheet, most int) *page {
	p := newPage()
	if f := m.form(); f != nil && f.sheet() == s && s == f.sheets[0] {
		p.add(part{kind: theEarlier, row: -1}, m.earlierLines(f, m.column(s)-3)...)
	}
	if s.free() {
		m.drawWords(p, s)
		return p
	}
	if s.q.Several() {
		p.blank(m.fits(blank + m.look.dim.Render(m.o.Words.TickAll)))
	}
	if s.focus == onFilter || s.filter != "" {
		m.drawFilter(p, s)
	}
	for _, row := range s.rows() {
		if row < s.other() {
			m.drawOption(p, s, row, most)
		} else {
			m.drawWords(p, s)
		}
	}
	if s.focus == onNote || !s.note.empty() {
		m.drawNote(p, s)
	}
	if s.showsEdit() {
		m.drawEdit(p, s)
	}
	return p
}

// option is how an option is drawn: what of it depends on what.
type option struct {
	q            *sayso.Question
	row, w, most int
	cur, on      bool
}

// drawnOption is an option without what stands left of it.
type drawnOption struct {
	label, description []string
	left               [2]int // lines of them that are left out
}

func (m *Model) drawOption(p *page, s *sheet, row, most int) {
	k, o := m.look, &s.q.Options[row]
	number := " "
	if row < 9 {
		number = k.dim.Render(strconv.Itoa(row + 1))
	}
	if o.Danger {
		number = k.danger.Render("!")
	}
	d := m.option(option{q: s.q, row: row, w: m.column(s) - s.labelAt(), most: most, cur: row == s.cur, on: s.picked[row]})
	of := part{theLabel, row}
	p.add(of, indent(m.gutter(s, row, number, s.picked[row]), d.label)...)
	p.all[of] += d.left[0]
	of.kind = theDescription
	p.add(of, prefix(pad("", s.labelAt()), d.description)...)
	p.all[of] += d.left[1]
	if n := d.left[0] + d.left[1]; n > 0 {
		p.lines = append(p.lines, line{text: m.opens(n, blank), part: part{row: row}})
	}
}

// option draws an option, once for every way in which it can look.
func (m *Model) option(how option) *drawnOption {
	if d := m.options[how]; d != nil {
		return d
	}
	k, o := m.look, &how.q.Options[how.row]
	style := k.plain
	switch {
	case how.cur:
		style = k.accent
	case how.on:
		style = k.bold
	}
	if o.Danger && !how.cur {
		style = k.danger
	}
	d := &drawnOption{}
	short := func(lines []string, left *int) []string {
		if how.most == 0 || len(lines) <= how.most {
			return lines
		}
		*left = len(lines) - how.most
		return lines[:how.most]
	}
	d.label = short(wrap(o.Label, how.w), &d.left[0])
	for i := range d.label {
		d.label[i] = style.Render(d.label[i])
	}
	d.label = m.tag(d.label, o.Recommended, m.o.Words.Recommended, k.ok.Render, how.w)
	d.label = m.tag(d.label, o.Danger, m.o.Words.Dangerous, k.danger.Render, how.w)
	if o.Description != "" {
		d.description = short(wrap(o.Description, how.w), &d.left[1])
	}
	for i := range d.description {
		d.description[i] = k.dim.Render(d.description[i])
	}
	m.options[how] = d
	return d
}

// tag puts a word of ours behind a label, or below it where there is no room.
func (m *Model) tag(label []string, on bool, word string, style func(...string) string, w int) []string {
	if !on {
		return label
	}
	last := len(label) - 1
	if columns(label[last])+2+columns(word) <= w {
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
	marks := sayso.ByKind(s.q, [2]string{}, [2]string{"○", "●"}, [2]string{"[ ]", "[x]"})
	style, mark := k.dim, marks[0]
	if on {
		style, mark = k.chosen, marks[1]
	}
	return g + number + " " + style.Render(mark) + " "
}

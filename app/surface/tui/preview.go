package tui

import (
	"strings"
)

// preview draws the box with what choosing the highlighted option would mean.
func (m *Model) preview(s *sheet, row int) []string {
	if row < 0 || row >= s.other() || s.q.Options[row].Preview == "" {
		return nil
	}
	k := m.look
	w := m.column(s) - 3
	left := blank
	if m.beside(s) {
		w, left = min(m.width-1-m.column(s)-2, textMax), ""
	}
	inner := w - 4
	text := s.q.Options[row].Preview
	var lines []string
	if strings.Contains(text, "```") {
		lines = m.markdown(text, inner)
	} else {
		lines = hardwrap(text, inner)
	}
	wide := 20
	for _, t := range lines {
		wide = max(wide, columns(t))
	}
	inner = min(inner, wide)
	w = inner + 4
	title := cut(m.o.Words.Preview, inner-2)
	side := k.dim.Render("│")
	top := "╭─ " + title + " " + strings.Repeat("─", max(w-5-columns(title), 0)) + "╮"
	box := []string{left + k.dim.Render(top)}
	for _, t := range lines {
		box = append(box, left+side+" "+pad(t, inner)+" "+side)
	}
	return append(box, left+k.dim.Render("╰"+strings.Repeat("─", w-2)+"╯"))
}

// joinBeside puts the preview beside the list.
func (m *Model) joinBeside(s *sheet, p *page, box []string) {
	of := part{thePreview, s.cur}
	for i, t := range box {
		if i == len(p.lines) {
			p.blank("")
		}
		p.lines[i].text = pad(p.lines[i].text, m.column(s)+1) + t
		p.beside = append(p.beside, line{part: of, at: i})
	}
}

package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/saysohq/sayso"
)

const (
	nameMax  = 16 // columns of a question's name
	tallFrom = 16 // rows from which on there is room for more than what must be said
)

// head says who asks, as far as is known and as the asker says itself, what there
// is to know before answering, and which question this is.
func (m *Model) head(f *form) []string {
	w, l := m.o.Words, m.look
	edge := m.column(nil) // of the text
	if s := f.sheet(); s != nil && m.beside(s) {
		edge = m.width - 1
	}
	var right []string
	if len(m.forms) > 1 {
		right = append(right, w.say(w.OneOf, m.at+1, len(m.forms)))
	}
	if f.more > 0 {
		right = append(right, w.count(w.MoreWait, f.more))
	}
	if !f.ask.AskedAt.IsZero() {
		right = append(right, w.age(m.o.Now().Sub(f.ask.AskedAt)))
	}
	tall := m.height >= tallFrom
	lines := m.identity(f.ask.Origin, strings.Join(right, " · "), edge, tall)
	for _, mark := range m.marks(f) {
		lines = append(lines, prefix(blank, firstLines(wrap(l.warn.Render(mark), edge-3), 2, edge-3))...)
	}
	if f.pages() > 1 && f.closed == nil {
		lines = append(lines, m.tabs(f, edge))
	}
	if tall {
		lines = append(lines, "")
	}
	return lines
}

// identity says what the hub knows of the asker, and below it what the asker says
// of itself. Nobody shall take the one for the other.
func (m *Model) identity(o sayso.Origin, since string, edge int, tall bool) []string {
	w, l := m.o.Words, m.look
	rows := 1
	if tall {
		rows = 2
	}
	var lines []string
	add := func(title, text string, style lipgloss.Style) {
		title += " "
		hang := columns(title) // a further line cannot pass for one of ours
		for _, t := range indent(title, firstLines(wrap(text, edge-3-hang), rows, edge-3-hang)) {
			lines = append(lines, style.Render(t))
		}
	}
	add(w.AskedBy, w.Verified(o), l.bold)
	if claim := o.Claim(); claim != "" {
		add(w.SaysItIs, claim, l.dim)
	}
	at := slices.IndexFunc(lines, func(t string) bool {
		return columns(t)+2+columns(since) <= edge-3
	})
	switch {
	case since != "" && at >= 0:
		lines[at] = spread(lines[at], l.dim.Render(since), edge-3)
	case since != "" && tall:
		lines = append(lines, l.dim.Render(cut(since, edge-3)))
	}
	return append([]string{" " + l.accent.Render("◆") + " " + lines[0]}, prefix(blank, lines[1:])...)
}

// firstLines returns the first lines of a text, and marks that there are more.
func firstLines(lines []string, n, w int) []string {
	if len(lines) <= n {
		return lines
	}
	return append(append([]string{}, lines[:n-1]...), cut(lines[n-1]+" …", w))
}

// asker is who asks in short: what is known first, then what is claimed.
func (w *Catalogue) asker(o sayso.Origin) string {
	claim := o.Claim()
	if claim == "" {
		return w.Verified(o)
	}
	return w.say(w.AskerInShort, w.Verified(o), claim)
}

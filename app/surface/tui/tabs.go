package tui

import (
	"strings"

	"github.com/saysohq/sayso"
)

// tabs names the questions and marks which have an answer; where there is no room
// only the one on screen is named.
func (m *Model) tabs(f *form, edge int) string {
	for _, names := range []bool{true, false} {
		line := " " + strings.Join(m.tabList(f, names), "   ")
		if columns(line) <= edge {
			return line
		}
	}
	w := m.o.Words
	name := w.ReviewTab
	if f.page < len(f.sheets) {
		name = w.say(w.OneOf, f.page+1, len(f.sheets)) + " · " + w.name(f.sheets[f.page].q, f.page)
	}
	return " " + m.look.accent.Render(m.mark(f, f.page)) + " " + cut(name, edge-3)
}

func (m *Model) tabList(f *form, names bool) []string {
	w, l := m.o.Words, m.look
	var tabs []string
	for i := range f.pages() {
		style, name := l.dim, w.ReviewTab
		if i < len(f.sheets) {
			name = w.name(f.sheets[i].q, i)
			if f.sheets[i].answered() {
				style = l.ok
			}
		}
		if i == f.page {
			style = l.accent
		} else if !names && i < len(f.sheets) {
			name = ""
		}
		tab := style.Render(m.mark(f, i))
		if name != "" {
			if i == f.page {
				style = style.Underline(true)
			}
			tab += " " + style.Render(name)
		}
		tabs = append(tabs, tab)
	}
	return tabs
}

// mark says whether a question has an answer.
func (m *Model) mark(f *form, page int) string {
	switch {
	case page == len(f.sheets):
		return "→"
	case f.sheets[page].answered():
		return "●"
	}
	return "○"
}

// name is the short name of a question.
func (w *Catalogue) name(q *sayso.Question, i int) string {
	if q.Header == "" {
		return w.say(w.QuestionN, i+1)
	}
	return cut(squeeze(q.Header), nameMax)
}

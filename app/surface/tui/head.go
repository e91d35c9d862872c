package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

const nameMax = 16 // columns of a question's name

// head says who asks, where, since when, and which question this is.
func (m *Model) head(f *form) []string {
	w, l := m.o.Words, m.look
	edge := m.column(f.sheet()) // of the text
	if s := f.sheet(); s != nil && m.beside(s) {
		edge = m.width - 1
	}
	var right []string
	if len(m.forms) > 1 {
		right = append(right, w.say(w.OneOf, m.at+1, len(m.forms)))
	}
	if f.more > 0 {
		right = append(right, w.say(w.MoreWait.of(f.more), f.more))
	}
	if !f.ask.AskedAt.IsZero() {
		right = append(right, w.age(m.o.Now().Sub(f.ask.AskedAt)))
	}
	who, where := w.asker(f.ask.Origin), place(f.ask.Origin)
	since := strings.Join(right, " · ")
	line := w.say(w.Asks, who)
	lines := make([]string, 0, 5)
	mark := " " + l.accent.Render("◆") + " "
	room := edge - 3 - ansi.StringWidth(since) - 2
	if where != "" && ansi.StringWidth(line)+3+ansi.StringWidth(where) <= room {
		lines = append(lines, mark+spread(l.bold.Render(line)+l.dim.Render(" · "+where), l.dim.Render(since), edge-3))
	} else {
		lines = append(lines, mark+spread(l.bold.Render(line), l.dim.Render(since), edge-3))
		if where != "" {
			lines = append(lines, blank+l.dim.Render(cut(where, edge-3)))
		}
	}
	if c := m.countdown(f); c != "" {
		lines = append(lines, prefix(blank, wrap(c, edge-3))...)
	}
	if f.pages() > 1 && f.folded == nil {
		lines = append(lines, m.tabs(f, edge))
	}
	return append(lines, "")
}

// asker returns who asks: the chain of agents, or the program.
func (w *Catalogue) asker(o sayso.Origin) string {
	switch {
	case len(o.Agents) > 0:
		return squeeze(strings.Join(o.Agents, " ▸ "))
	case o.Host != "":
		return squeeze(o.Host)
	}
	return w.SomeAgent
}

// place returns where the question comes from.
func place(o sayso.Origin) string {
	var parts []string
	if len(o.Agents) > 0 && o.Host != "" {
		parts = append(parts, squeeze(o.Host))
	}
	at := squeeze(o.Workspace)
	if o.Branch != "" {
		at = strings.TrimSpace(at + " @ " + squeeze(o.Branch))
	}
	if at != "" {
		parts = append(parts, at)
	}
	return strings.Join(parts, " · ")
}

// countdown says how long a declared deadline is away and what it will do.
func (m *Model) countdown(f *form) string {
	if f.ask.Deadline.IsZero() || f.folded != nil {
		return ""
	}
	w := m.o.Words
	text := w.countdown(f.ask.Deadline.Sub(m.o.Now()))
	if !f.ask.OnExpiry.IsZero() {
		if f.touched {
			text += " · " + w.DefaultStopped
		} else {
			text += " · " + w.say(w.DefaultThen, cut(w.answers(f.ask, f.ask.OnExpiry.Default, false), 30))
		}
	}
	return m.look.warn.Render(text)
}

// tabs names the questions and marks which have an answer; where there is no room
// only the one on screen is named.
func (m *Model) tabs(f *form, edge int) string {
	for _, names := range []bool{true, false} {
		line := " " + strings.Join(m.tabList(f, names), "   ")
		if ansi.StringWidth(line) <= edge {
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

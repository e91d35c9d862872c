package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// beginSearch lets the person type what to look for, among open and closed asks.
func (b *Inbox) beginSearch() tea.Cmd {
	if !b.can.search {
		return nil
	}
	if b.query.Text == "" {
		b.query.from = b.query.view()
	}
	b.query.field = newField(b.o.Words.Inbox.SearchHint, false, nil)
	b.query.field.set(b.query.Text)
	b.query.field.text.toEnd()
	return nil
}

// endSearch goes back to the view before.
func (b *Inbox) endSearch() tea.Cmd {
	s := b.query.Search
	s.Text, s.View, s.Cursor = "", b.query.from, ""
	b.query.field = nil
	return b.lookFor(s)
}

// pressSearch takes a key while the person types what to look for.
func (b *Inbox) pressSearch(msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
	case "esc", "ctrl+c":
		return b.endSearch()
	case "enter", "down", "up":
		if b.query.Text == "" {
			return b.endSearch()
		}
		b.query.field = nil
		return b.search()
	case "ctrl+j", "shift+enter", "alt+enter": // one line
		return nil
	}
	b.query.field.press(msg)
	return b.searchTyped()
}

// searchTyped looks for what the field has now.
func (b *Inbox) searchTyped() tea.Cmd {
	text := b.query.field.value()
	if text == b.query.Text {
		return nil
	}
	b.query.Text, b.query.View = text, hub.ViewAll
	if text == "" {
		b.query.View = b.query.from
	}
	return b.searchSoon()
}

// searchLine shows what is looked for.
func (b *Inbox) searchLine(edge int) string {
	l, w := b.look, b.o.Words
	g, text := blank, sayso.SafeLine(b.query.Text)
	if b.query.field != nil {
		g = " " + l.accent.Render(pointer) + " "
	}
	if text == "" {
		text = l.dim.Render(w.Inbox.SearchHint)
	}
	found := ""
	if f := b.query.found; f != nil && b.query.Text != "" {
		found = w.number(f.Total)
	}
	return g + l.dim.Render("/") + " " + spread(text, l.dim.Render(found), edge-5)
}

// searchCursor is where the person types.
func (b *Inbox) searchCursor(c *tea.Cursor) *tea.Cursor {
	if b.query.field == nil || b.menu != nil || b.dialog != nil {
		return c
	}
	return tea.NewCursor(min(5+columns(sayso.SafeLine(b.query.Text)), b.edge()), titleRows)
}

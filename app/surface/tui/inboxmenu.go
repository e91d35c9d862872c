package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// menu is something to choose, or to type, before something is done.
type menu struct {
	title string
	about *sayso.Ask // nil: it is about the list
	items []menuItem
	cur   int
	field *field // a text instead of items
	then  func(text string) tea.Cmd
}

type menuItem struct {
	label, right string
	do           func() tea.Cmd
}

// textMenu asks for a text. Empty is one, too.
func (b *Inbox) textMenu(title, placeholder string, about *sayso.Ask, then func(string) tea.Cmd) {
	b.menu = &menu{title: title, about: about, field: newField(placeholder, false, nil), then: then}
}

// pressMenu takes a key while a menu is open.
func (b *Inbox) pressMenu(msg tea.KeyPressMsg) tea.Cmd {
	m, k := b.menu, msg.String()
	choose := func(i int) tea.Cmd {
		if i < 0 || i >= len(m.items) {
			return nil
		}
		b.menu = nil
		return m.items[i].do()
	}
	switch {
	case k == "esc", k == "ctrl+c":
		b.menu = nil
	case m.field != nil && k == "enter":
		b.menu = nil
		return m.then(strings.TrimSpace(m.field.value()))
	case m.field != nil:
		m.field.press(msg)
	case k == "q":
		b.menu = nil
	case k == "up" || k == "k":
		m.cur = max(m.cur-1, 0)
	case k == "down" || k == "j":
		m.cur = min(m.cur+1, len(m.items)-1)
	case k == "enter" || k == "space":
		return choose(m.cur)
	case len(k) == 1 && k >= "1" && k <= "9":
		return choose(int(k[0] - '1'))
	}
	return nil
}

// pasted puts text into the field of a menu, or of the search. It reports whether the
// dialog has no use for it.
func (b *Inbox) pasted(text string) (cmd tea.Cmd, done bool) {
	switch {
	case b.menu != nil:
		if b.menu.field != nil {
			b.menu.field.paste(text)
		}
		return nil, true
	case b.query.field != nil && b.dialog == nil:
		b.query.field.paste(strings.ReplaceAll(text, "\n", " "))
		return b.searchTyped(), true
	}
	return nil, b.help != nil || b.batch != nil || b.past != nil
}

// menuLines draws the menu.
func (b *Inbox) menuLines(edge, height int) ([]string, *tea.Cursor) {
	m, w, l := b.menu, b.o.Words, b.look
	edge = min(edge, textMax)
	var lines []string
	for _, t := range wrap(m.title, edge-3) {
		lines = append(lines, blank+l.bold.Render(t))
	}
	if m.about != nil {
		for _, t := range firstLines(wrap(rowText(m.about), edge-5), 2, edge-5) {
			lines = append(lines, " "+l.accent.Render(bar)+" "+l.dim.Render(t))
		}
	}
	lines = append(lines, "")
	hints := []hint{{"1-" + digit(len(m.items)), w.DoesChoose}, {"↑↓", w.DoesMove}, {w.KeyEnter, w.DoesConfirm}, {w.KeyEsc, w.DoesBack}}
	var cursor *tea.Cursor
	if m.field != nil {
		m.field.text.resize(edge - 5)
		text, _, c := m.field.view()
		if m.field.value() == "" {
			text[0] = l.dim.Render(cut(m.field.placeholder, edge-5))
		}
		c.X, c.Y = c.X+3, c.Y+len(lines)
		cursor = c
		lines = append(lines, indent(" "+l.accent.Render(pointer)+" ", text)...)
		hints = []hint{{w.KeyEnter, w.DoesConfirm}, {w.KeyNewLine, w.DoesNewLine}, {w.KeyEsc, w.DoesBack}}
	} else {
		lines = append(lines, b.menuItems(edge, max(height-len(lines)-3, 1))...)
	}
	return append(append(lines, ""), b.hintsIn(hints, edge, 2)...), cursor
}

// menuItems draws those around the highlight.
func (b *Inbox) menuItems(edge, height int) []string {
	m, l := b.menu, b.look
	from := max(min(m.cur-height/2, len(m.items)-height), 0)
	var lines []string
	for i := from; i < min(from+height, len(m.items)); i++ {
		number, g, style := " ", blank, l.plain
		if i < 9 {
			number = strconv.Itoa(i + 1)
		}
		if i == m.cur {
			g, style = " "+l.accent.Render(pointer)+" ", l.accent
		}
		lines = append(lines, g+l.dim.Render(number)+" "+spread(style.Render(m.items[i].label), l.dim.Render(m.items[i].right), edge-5))
	}
	return lines
}

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

const (
	panesFrom = 100 // columns from which on the list and the ask stand side by side
	panesTall = 14  // and rows
	barRows   = 1   // at the foot: what was sent, and what a key came to
	titleRows = 2
)

// panes reports whether the list and the ask stand side by side.
func (b *Inbox) panes() bool { return b.width >= panesFrom && b.height >= panesTall }

// listWidth is how many columns the list has.
func (b *Inbox) listWidth() int {
	if !b.panes() {
		return b.width
	}
	return min(max(b.width*2/5, 40), 60)
}

// paneSize is the window that a dialog is given. It leaves the last row of it empty,
// as it does on a screen of its own.
func (b *Inbox) paneSize() (width, height int) {
	if b.panes() {
		return b.width - b.listWidth() - 1, b.height - titleRows - barRows + 1
	}
	return b.width, b.height
}

// View draws the list, the dialog, or both.
func (b *Inbox) View() tea.View {
	if b.gone {
		return tea.NewView("")
	}
	side, cursor := b.side()
	var lines []string
	switch {
	case b.panes():
		lines = b.beside(side)
		cursor = shifted(cursor, b.listWidth()+1, titleRows)
	case side != nil:
		lines = side
	default:
		lines = append(b.title(b.edge()), b.listPane(b.edge(), b.height-titleRows-barRows)...)
	}
	if !b.panes() && side == nil || b.query.field != nil {
		cursor = b.searchCursor(cursor)
	}
	room := max(b.height-barRows, 1)
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], b.bar())
	v := tea.NewView(strings.Join(lines, "\n"))
	v.Cursor, v.AltScreen = cursor, true
	return b.titled(v)
}

// edge is the right edge of the list.
func (b *Inbox) edge() int {
	if b.panes() {
		return b.listWidth() - 1
	}
	return max(min(b.width-1, textMax), 16)
}

// side is what stands beside the list, or in its place; nil: the list has the screen.
func (b *Inbox) side() ([]string, *tea.Cursor) {
	width, height := b.paneSize()
	switch {
	case b.help != nil:
		return b.help.view(b.helpLines(width-1), height-1, b.look, b.o.Words), nil
	case b.menu != nil:
		return b.menuLines(width-1, height-1)
	case b.batch != nil:
		return b.batchLines(width, height-1), nil
	case b.past != nil:
		return b.past.scroll.view(b.pastLines(b.past.ticket, width), height-1, b.look, b.o.Words), nil
	case b.dialog != nil:
		v := b.dialog.View()
		return strings.Split(v.Content, "\n"), v.Cursor
	case b.panes():
		return b.peekLines(width, height), nil
	}
	return nil, nil
}

// beside puts the two panes side by side.
func (b *Inbox) beside(side []string) []string {
	lines, width := b.title(b.width-1), b.listWidth()
	rows := b.height - titleRows - barRows
	list := b.listPane(b.edge(), rows)
	rule := b.look.dim.Render("│")
	for i := range rows {
		var left, right string
		if i < len(list) {
			left = list[i]
		}
		if i < len(side) {
			right = side[i]
		}
		lines = append(lines, pad(cut(left, width), width)+rule+right)
	}
	return lines
}

// title says what the list shows, and whether it is live.
func (b *Inbox) title(edge int) []string {
	w, l := b.o.Words, b.look
	state := l.ok.Render("● " + w.Live)
	if !b.live {
		state = l.warn.Render("○ " + w.Offline)
	}
	what := ""
	switch n := b.count(); {
	case b.query.view() != hub.ViewOpen:
		what = " · " + b.viewName(b.query.view())
		if f := b.query.found; f != nil {
			what += " " + w.number(f.Total)
		}
	case !b.query.plain() && b.query.found != nil:
		what = " · " + w.say(w.Waiting, b.query.found.Total)
	case n > 0:
		what = " · " + w.say(w.Waiting, n)
	}
	for _, f := range b.filters() {
		what += " · " + f
	}
	title := l.bold.Render(w.InboxTitle) + l.dim.Render(what)
	return []string{" " + l.accent.Render("◆") + " " + spread(title, state, edge-3), ""}
}

// listPane draws the list: what is looked for, the rows, and the keys.
func (b *Inbox) listPane(edge, height int) []string {
	var lines []string
	if b.query.field != nil || b.query.Text != "" {
		lines = append(lines, b.searchLine(edge), "")
	}
	foot := b.hintLines(edge)
	room := max(height-len(lines)-len(foot), 3)
	lines = append(lines, b.drawRows(edge, room)...)
	for len(lines) < height-len(foot) {
		lines = append(lines, "")
	}
	return append(lines, foot...)
}

// drawRows draws the rows that fit, and sees to it that the highlight is among them.
// The list stays where it is as long as that is so.
func (b *Inbox) drawRows(edge, height int) []string {
	w, l := b.o.Words, b.look
	rows := b.rows()
	if len(rows) == 0 {
		return prefix(blank, b.nothing(edge-3))
	}
	at := b.highlighted(rows)
	drawn := map[int][]string{}
	draw := func(i int) []string {
		if _, ok := drawn[i]; !ok {
			drawn[i] = b.row(rows, i, i == at, edge)
		}
		return drawn[i]
	}
	fits := func(from int) (to int) { // leaves a line for the mark above, and one below
		left := height
		if from > 0 {
			left--
		}
		for to = from; to < len(rows); to++ {
			need := len(draw(to))
			if to < len(rows)-1 {
				need++
			}
			if left < need && to > from {
				return to
			}
			left -= len(draw(to))
		}
		return to
	}
	from := min(max(b.top, 0), len(rows)-1)
	if at < from {
		from = at
	}
	if at-from > height {
		from = at - height
	}
	for from < at && fits(from) <= at {
		from++
	}
	to := fits(from)
	for to == len(rows) && from > 0 && fits(from-1) == len(rows) { // no empty room at the end
		from--
	}
	b.top = from
	var lines []string
	if from > 0 {
		lines = append(lines, blank+l.dim.Render("↑ "+w.count(w.MoreRows, from)))
	}
	for i := from; i < to; i++ {
		lines = append(lines, draw(i)...)
	}
	if n := len(rows) - to + b.further(); n > 0 {
		lines = append(lines[:min(len(lines), height-1)], blank+l.dim.Render("↓ "+w.count(w.MoreRows, n)))
	}
	return lines
}

// further is how many rows there are that are not listed yet.
func (b *Inbox) further() int {
	switch f := b.query.found; {
	case b.query.plain():
		return b.beyond
	case f == nil:
		return 0
	default:
		return max(f.Total-len(f.Items), 0)
	}
}

// nothing says that the list is empty, and what to do.
func (b *Inbox) nothing(width int) []string {
	w, l := b.o.Words, b.look
	switch {
	case b.query.plain() && !b.there.listed:
		return nil // nobody knows yet
	case b.query.plain():
		return []string{l.ok.Render(w.CaughtUp)}
	case b.query.found == nil:
		return []string{l.dim.Render(w.Searching)}
	case b.query.Text == "" && !b.query.filtered():
		return wrap(l.dim.Render(w.Inbox.NothingHere), width)
	}
	return wrap(l.dim.Render(w.Inbox.NothingFound), width)
}

// peek is an ask beside the list before it is opened.
type peek struct {
	of     hub.Address
	rev    uint64
	width  int
	height int
	lines  []string
}

// peekLines shows the highlighted ask without its keys.
func (b *Inbox) peekLines(width, height int) []string {
	i := b.current()
	switch {
	case i == nil:
		return nil
	case !i.Open():
		return firstLines(b.pastLines(i.Ticket, width), max(height-1, 1), width-1)
	}
	p := &b.peek
	if p.of == i.Address && p.rev == i.Revision && p.width == width && p.height == height {
		return p.lines
	}
	o := b.o
	o.inbox, o.passive = true, true
	m := New([]*sayso.Ask{i.Ask}, &o)
	m.look, m.width, m.height = b.look, width, height
	m.resize()
	m.draw()
	*p = peek{i.Address, i.Revision, width, height, slices.Clone(strings.Split(m.View().Content, "\n"))}
	return p.lines
}

// shifted returns the cursor of a pane on the screen.
func shifted(c *tea.Cursor, x, y int) *tea.Cursor {
	if c = moved(c, y); c != nil {
		c.X += x
	}
	return c
}

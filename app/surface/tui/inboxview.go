package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Update takes a message.
func (b *Inbox) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	b.looks(msg)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		b.look = newLook(msg.IsDark())
	case changeMsg:
		if msg.inbox == b {
			cmd := b.told(msg.change)
			b.refresh()
			return b, cmd
		}
	case listedMsg:
		if msg.inbox == b {
			cmd := b.listed(msg)
			b.refresh()
			return b, cmd
		}
	case undoneMsg:
		if msg.inbox == b {
			return b, b.undone(msg)
		}
	case lineMsg:
		if msg.inbox == b {
			b.live = false
		}
	case inboxTickMsg:
		if msg.inbox == b {
			return b, b.tick()
		}
	case ClosedMsg:
		if b.dialog != nil && msg.Ask == b.dialog.forms[0].ask {
			return b, b.leave(msg)
		}
	case tea.KeyPressMsg:
		if b.dialog == nil {
			return b, b.press(msg)
		}
		if msg.String() == "u" && b.offers() {
			return b, b.takeBack()
		}
	}
	if b.dialog != nil {
		_, cmd := b.dialog.Update(msg)
		return b, cmd
	}
	return b, nil
}

// press takes a key in the list.
func (b *Inbox) press(msg tea.KeyPressMsg) tea.Cmd {
	at := b.highlighted()
	move := func(to int) {
		if n := len(b.waiting); n > 0 {
			b.cur = b.waiting[min(max(to, 0), n-1)].Address
		}
	}
	switch msg.String() {
	case "up", "k", "ctrl+p":
		move(at - 1)
	case "down", "j", "ctrl+n":
		move(at + 1)
	case "home":
		move(0)
	case "end":
		move(len(b.waiting))
	case "pgup":
		move(at - 5)
	case "pgdown":
		move(at + 5)
	case "enter", "right", "space":
		if len(b.waiting) > 0 {
			return b.open(b.waiting[at], nil)
		}
	case "u":
		if b.offers() {
			return b.takeBack()
		}
	case "q", "esc", "ctrl+c":
		b.gone = true
		b.life.end()
		return func() tea.Msg { return DoneMsg{b} }
	}
	return nil
}

// View draws the list, or the dialog.
func (b *Inbox) View() tea.View {
	switch {
	case b.gone:
		return tea.NewView("")
	case b.dialog != nil:
		return b.titled(b.dialog.View())
	}
	w, l := b.o.Words, b.look
	edge := max(min(b.width-1, textMax), 16)
	state := l.ok.Render("● " + w.Live)
	if !b.live {
		state = l.warn.Render("○ " + w.Offline)
	}
	title := l.bold.Render(w.InboxTitle) + l.dim.Render(" · "+w.say(w.Waiting, len(b.waiting)))
	if len(b.waiting) == 0 {
		title = l.bold.Render(w.InboxTitle)
	}
	lines := []string{" " + l.accent.Render("◆") + " " + spread(title, state, edge-3), ""}
	foot := b.foot(edge)
	lines = append(lines, b.rows(edge, max(b.height-1-len(lines)-len(foot), 3))...)
	return b.titled(tea.NewView(strings.Join(append(lines, foot...), "\n")))
}

func (b *Inbox) foot(edge int) []string {
	w, l := b.o.Words, b.look
	lines := []string{""}
	if b.notice != "" {
		lines = append(lines, blank+l.dim.Render(b.line(edge-3)))
	}
	var hints []hint
	if len(b.waiting) > 0 {
		hints = []hint{{"↑↓", w.DoesMove}, {w.KeyEnter, w.DoesOpen}}
	}
	if b.offers() {
		hints = append(hints, hint{"u", w.DoesUndo})
	}
	hints = append(hints, hint{"q", w.DoesQuit})
	var items []string
	for _, h := range hints {
		items = append(items, l.bold.Render(h.key)+" "+l.dim.Render(h.does))
	}
	return append(lines, prefix(blank, flow(items, l.dim.Render(" · "), edge-3))...)
}

// rows draws what waits around the highlight.
func (b *Inbox) rows(edge, height int) []string {
	w, l := b.o.Words, b.look
	if len(b.waiting) == 0 {
		return []string{blank + l.ok.Render(w.CaughtUp)}
	}
	at := b.highlighted()
	first := max(at-height, 0) // more than these cannot be in sight
	var all [][]string
	for i := first; i < min(at+height, len(b.waiting)); i++ {
		all = append(all, b.row(b.waiting[i], i == at, edge))
	}
	from, to := fitting(all, at-first, height)
	from, to = from+first, to+first
	var lines []string
	if from > 0 {
		lines = append(lines, blank+l.dim.Render("↑ "+w.say(w.MoreRows.of(from), from)))
	}
	for i := from; i < to; i++ {
		if i > from {
			lines = append(lines, "")
		}
		lines = append(lines, all[i-first]...)
	}
	if n := len(b.waiting) - to; n > 0 {
		lines = append(lines, blank+l.dim.Render("↓ "+w.say(w.MoreRows.of(n), n)))
	}
	return lines
}

// fitting returns which rows fit into a height, with an empty line between them
// and marks of what does not: those around the highlight.
func fitting(rows [][]string, at, height int) (from, to int) {
	total := -1
	for _, r := range rows {
		total += len(r) + 1
	}
	if total <= height {
		return 0, len(rows)
	}
	from, to = at, at+1
	used := len(rows[at]) + 2 // and the marks
	for grown := true; grown; {
		grown = false
		if to < len(rows) && used+len(rows[to])+1 <= height {
			used += len(rows[to]) + 1
			to, grown = to+1, true
		}
		if from > 0 && used+len(rows[from-1])+1 <= height {
			used += len(rows[from-1]) + 1
			from, grown = from-1, true
		}
	}
	return from, to
}

// row draws an ask in the list: who asks and when, what, and its marks.
func (b *Inbox) row(t *hub.Ticket, highlighted bool, edge int) []string {
	w, l := b.o.Words, b.look
	g, style := blank, l.bold
	if highlighted {
		g, style = " "+l.accent.Render(pointer)+" ", l.accent
	}
	age := ""
	if !t.Ask.AskedAt.IsZero() {
		age = w.age(b.o.Now().Sub(t.Ask.AskedAt))
	}
	right := ""
	if n := len(t.Ask.Questions) - 1; n > 0 {
		right = w.say(w.MoreQuestions.of(n), n)
	}
	if b.later[t.Address] {
		right = w.LeftMark
	}
	if columns(right) > edge/3 {
		right = ""
	}
	text := squeeze(sayso.Meta(t.Ask))
	if len(t.Ask.Questions) > 0 {
		text = squeeze(sayso.SafeLine(t.Ask.Questions[0].Text))
	}
	lines := []string{g + spread(l.dim.Render(w.asker(t.Ask.Origin)), l.dim.Render(age), edge-3)}
	if claim := t.Ask.Origin.Claim(); claim != "" && columns(w.asker(t.Ask.Origin))+2+columns(age) > edge-3 {
		lines = []string{
			g + spread(l.dim.Render(w.verified(t.Ask.Origin)), l.dim.Render(age), edge-3),
			blank + l.dim.Render(cut(w.SaysItIs+" "+claim, edge-3)),
		}
	}
	lines = append(lines, blank+spread(style.Render(text), l.dim.Render(right), edge-3))
	left := ""
	if !t.Ask.Deadline.IsZero() {
		left = w.countdown(t.Ask.Deadline.Sub(b.o.Now()))
	}
	if marks := w.inShort(t.Ask, left); len(marks) > 0 {
		for _, m := range flow(marks, " · ", edge-3) {
			lines = append(lines, blank+l.warn.Render(m))
		}
	}
	return lines
}

package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Update takes a message.
func (b *Inbox) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		b.look = newLook(msg.IsDark())
	case changeMsg:
		if msg.inbox == b {
			return b, b.told(msg.change)
		}
	case listedMsg:
		if msg.inbox == b {
			return b, b.listed(msg)
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
			return b.open(b.waiting[at])
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
		return b.dialog.View()
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
	return tea.NewView(strings.Join(append(lines, foot...), "\n"))
}

func (b *Inbox) foot(edge int) []string {
	w, l := b.o.Words, b.look
	lines := []string{""}
	if b.notice != "" {
		lines = append(lines, blank+l.dim.Render(cut(b.notice, edge-3)))
	}
	hints := []hint{{"↑↓", w.DoesMove}, {w.KeyEnter, w.DoesOpen}, {"q", w.DoesQuit}}
	if len(b.waiting) == 0 {
		hints = hints[2:]
	}
	var items []string
	for _, h := range hints {
		items = append(items, l.bold.Render(h.key)+" "+l.dim.Render(h.does))
	}
	return append(lines, prefix(blank, flow(items, l.dim.Render(" · "), edge-3))...)
}

// rows draws what waits, three lines each, around the highlight.
func (b *Inbox) rows(edge, height int) []string {
	w, l := b.o.Words, b.look
	if len(b.waiting) == 0 {
		return []string{blank + l.ok.Render(w.CaughtUp)}
	}
	per := 3
	fits := max((height+1)/per, 1)
	at := b.highlighted()
	from, to := 0, len(b.waiting)
	if to > fits {
		fits = max((height-2+1)/per, 1)
		from = min(max(at-fits/2, 0), len(b.waiting)-fits)
		to = from + fits
	}
	var lines []string
	if from > 0 {
		lines = append(lines, blank+l.dim.Render("↑ "+w.say(w.MoreRows.of(from), from)))
	}
	for i := from; i < to; i++ {
		if i > from {
			lines = append(lines, "")
		}
		lines = append(lines, b.row(b.waiting[i], i == at, edge)...)
	}
	if n := len(b.waiting) - to; n > 0 {
		lines = append(lines, blank+l.dim.Render("↓ "+w.say(w.MoreRows.of(n), n)))
	}
	return lines
}

func (b *Inbox) row(t *hub.Ticket, highlighted bool, edge int) []string {
	w, l := b.o.Words, b.look
	g, style := blank, l.bold
	if highlighted {
		g, style = " "+l.accent.Render(pointer)+" ", l.accent
	}
	who, where := w.asker(t.Ask.Origin), place(t.Ask.Origin)
	age := ""
	if !t.Ask.AskedAt.IsZero() {
		age = w.age(b.o.Now().Sub(t.Ask.AskedAt))
	}
	if where != "" {
		where = " · " + where
	}
	first := spread(l.dim.Render(sayso.SafeLine(who)+sayso.SafeLine(where)), l.dim.Render(age), edge-3)
	right := ""
	if n := len(t.Ask.Questions) - 1; n > 0 {
		right = w.say(w.MoreQuestions.of(n), n)
	}
	if b.later[t.Address] {
		right = w.LeftMark
	}
	if ansi.StringWidth(right) > edge/3 {
		right = ""
	}
	text := squeeze(sayso.Meta(t.Ask))
	if len(t.Ask.Questions) > 0 {
		text = squeeze(sayso.SafeLine(t.Ask.Questions[0].Text))
	}
	return []string{g + first, blank + spread(style.Render(text), l.dim.Render(right), edge-3)}
}

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso/hub"
)

// Update takes a message.
func (b *Inbox) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	b.looks(msg)
	there := b.isActive()
	cmd, done := b.take(msg)
	if cmd = tea.Batch(there, cmd); done {
		return b, cmd
	}
	if b.dialog != nil {
		_, more := b.dialog.Update(msg)
		cmd = tea.Batch(cmd, more)
	}
	return b, cmd
}

// take takes a message, and reports whether the dialog has no use for it.
func (b *Inbox) take(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
		b.refresh()
		return nil, true // it has the size of its pane
	case tea.BackgroundColorMsg:
		b.look, b.peek = newLook(msg.IsDark()), peek{}
	case ClosedMsg:
		if b.dialog != nil && msg.Ask == b.dialog.forms[0].ask {
			return b.leave(msg), true
		}
	case tea.PasteMsg:
		return b.pasted(msg.Content)
	case tea.KeyPressMsg:
		return b.press(msg)
	default:
		cmd = b.own(msg)
	}
	return cmd, false
}

// own takes the messages of the inbox's own commands.
func (b *Inbox) own(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case changeMsg:
		if msg.inbox == b {
			cmd := b.told(msg.change)
			b.refresh()
			return tea.Batch(cmd, b.countDown())
		}
	case listedMsg:
		if msg.inbox == b {
			cmd := b.listed(msg)
			b.refresh()
			return tea.Batch(cmd, b.countDown())
		}
	case foundMsg:
		if msg.inbox == b {
			return b.found(msg)
		}
	case searchMsg:
		if msg.inbox == b {
			b.query.pausing = false
			return b.search()
		}
	case undoneMsg:
		if msg.inbox == b {
			return b.undone(msg)
		}
	case lineMsg:
		if msg.inbox == b {
			return b.lined(msg.up)
		}
	case relistMsg:
		if msg.inbox == b && !b.live {
			return b.list()
		}
	case settledMsg:
		if msg.inbox == b {
			b.settled(msg)
		}
	case inboxTickMsg:
		if msg.inbox == b {
			if b.can.search && b.live {
				return tea.Batch(b.tick(), b.list())
			}
			return b.tick()
		}
	case secondMsg:
		if msg.inbox == b {
			return b.second()
		}
	default:
		return b.acted(msg)
	}
	return nil
}

// press takes a key to what has the keys now.
func (b *Inbox) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	k := msg.String()
	undo := k == "ctrl+z" || k == "u" && !b.typing()
	if !undo && (b.last() == nil || !b.sent) {
		b.notice = "" // it was about the key before
	}
	switch {
	case undo && b.last() != nil && b.menu == nil:
		return b.takeBack(), true
	case b.help != nil:
		if !b.help.press(k) {
			b.help = nil
		}
		return nil, true
	case b.menu != nil:
		return b.pressMenu(msg), true
	case b.batch != nil:
		return b.pressBatch(k), true
	case b.past != nil:
		return b.pressPast(k), true
	case b.dialog != nil:
		return b.pressDialog(k)
	case b.query.field != nil:
		return b.pressSearch(msg), true
	}
	return b.pressList(k), true
}

// pressDialog takes the keys of the inbox while a dialog has the others.
func (b *Inbox) pressDialog(k string) (cmd tea.Cmd, done bool) {
	f := b.dialog.form()
	if b.amends && f != nil && f.outcome == nil && !f.busy() {
		switch {
		case k == "ctrl+d": // what was answered is not declined any more
			return nil, true
		case k == "ctrl+c", (k == "esc" || k == "q") && !b.typing() && b.unchanged(f):
			return b.drop(), true // the answer stays as it is
		}
	}
	if f == nil || b.typing() || f.busy() || f.closed != nil || b.dialog.frame.small {
		return nil, false
	}
	does := map[string]func() tea.Cmd{
		"q": func() tea.Cmd { return b.dialog.press(tea.KeyPressMsg{Code: tea.KeyEscape}) },
		"?": b.showHelp,
	}
	if !b.amends {
		i := hub.Item{Ticket: b.shown}
		does["e"] = func() tea.Cmd { return b.snoozeMenu(i) }
		does["x"] = func() tea.Cmd { return b.declineMenu(i) }
		does["d"] = func() tea.Cmd { return b.delegateMenu(i) }
		does["b"] = func() tea.Cmd { return b.together(f) }
		does["r"] = func() tea.Cmd { return b.dialog.reuse(f) }
	}
	do, ours := does[k]
	if !ours {
		return nil, false
	}
	if f.guard.drops(b.o.Now(), b.o.Guard) { // it was meant for the ask before
		return nil, true
	}
	cmd = tea.Batch(b.dialog.attend(), do())
	if b.dialog != nil {
		b.refresh()
	}
	return cmd, true
}

// pressList takes a key in the list.
func (b *Inbox) pressList(k string) tea.Cmd {
	rows := b.rows()
	at := b.highlighted(rows)
	move := func(to int) tea.Cmd {
		if n := len(rows); n > 0 {
			b.cur = rows[min(max(to, 0), n-1)].Address
		}
		return b.more()
	}
	switch k {
	case "up", "k", "ctrl+p":
		return move(at - 1)
	case "down", "j", "ctrl+n":
		return move(at + 1)
	case "home":
		return move(0)
	case "end":
		return move(len(rows))
	case "pgup":
		return move(at - 5)
	case "pgdown":
		return move(at + 5)
	case "g":
		b.query.grouped = !b.query.grouped
		b.top = 0
		return nil
	case "?":
		return b.showHelp()
	case "/":
		return b.beginSearch()
	case "v":
		return b.viewMenu()
	case "f":
		return b.filterMenu()
	case "q", "ctrl+c":
		return b.quit()
	case "esc":
		return b.back()
	}
	if len(rows) > 0 {
		return b.pressRow(k, rows[at])
	}
	return nil
}

// pressRow takes a key about the highlighted ask.
func (b *Inbox) pressRow(k string, i hub.Item) tea.Cmd {
	switch {
	case b.picks.on && (k == "space" || k == "enter" || k == "b"):
		return b.pressPicks(k, i)
	case !i.Open() && k == "a":
		return b.amend(i.Ticket)
	case !i.Open() && k == "o":
		return b.askAgain(i.Ticket)
	case !i.Open() && k == "y":
		return b.copyPast(i.Ticket)
	case !i.Open() && (k == "enter" || k == "right" || k == "space"):
		b.cur, b.past = i.Address, &past{ticket: i.Ticket}
		return nil
	case !i.Open():
		return nil
	}
	switch k {
	case "enter", "right", "space":
		return b.open(i.Ticket, nil)
	case "e":
		return b.snoozeMenu(i)
	case "x":
		return b.declineMenu(i)
	case "d":
		return b.delegateMenu(i)
	case "b":
		return b.pressPicks(k, i)
	}
	return nil
}

// back goes a step back: from selecting, from a search, from another view; else out.
func (b *Inbox) back() tea.Cmd {
	switch {
	case b.picks.on:
		b.picks = picks{}
		return nil
	case b.query.Text != "":
		return b.endSearch()
	case !b.query.plain():
		return b.lookFor(hub.Search{})
	}
	return b.quit()
}

func (b *Inbox) quit() tea.Cmd {
	b.gone = true
	b.life.end()
	return func() tea.Msg { return DoneMsg{b} }
}

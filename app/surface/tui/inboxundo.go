package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// undoneMsg says what became of an undo.
type undoneMsg struct {
	inbox  *Inbox
	was    *hub.Ticket
	ticket *hub.Ticket
	err    error
}

// takeBack undoes what the person sent last.
func (b *Inbox) takeBack() tea.Cmd {
	was := b.undo
	b.undo = nil
	return func() tea.Msg {
		t, err := b.calls.undo(was)
		return undoneMsg{b, was, t, err}
	}
}

// undone opens the ask again, with exactly what was sent.
func (b *Inbox) undone(msg undoneMsg) tea.Cmd {
	w := b.o.Words
	if msg.err != nil {
		notice := w.say(w.NotUndone, sayso.SafeLine(msg.err.Error()))
		if errors.Is(msg.err, hub.ErrConsumed) {
			notice = w.AgentHasIt
		} else {
			b.undo = msg.was // it may be tried again
		}
		b.say(notice)
		return nil
	}
	b.records = slices.DeleteFunc(b.records, func(r record) bool { return r.of == msg.was.Address })
	b.put(msg.ticket)
	if b.dialog != nil && !b.unused() { // the person has begun to answer another
		b.refresh()
		return nil
	}
	if b.dialog != nil {
		b.dialog.life.end()
	}
	b.notice, b.sent = w.Undone, false
	return b.open(msg.ticket, sentBefore(msg.ticket))
}

// sentBefore returns the answers that were undone last.
func sentBefore(t *hub.Ticket) []sayso.Answer {
	for _, e := range slices.Backward(t.History) {
		if e.Why == hub.Undone {
			return e.Outcome.Answers
		}
	}
	return nil
}

// say shows a notice where the person looks.
func (b *Inbox) say(notice string) {
	if b.dialog == nil {
		b.notice, b.sent = notice, false
		return
	}
	b.dialog.forms[0].notice = notice
	b.dialog.draw()
}

// unused reports whether nothing has been done in the dialog yet.
func (b *Inbox) unused() bool {
	f := b.dialog.form()
	return f != nil && f.news != "" && f.bar == noBar
}

// offers reports whether u undoes: in the list, and in the next question as long
// as it says so and keys are not for typing.
func (b *Inbox) offers() bool {
	if b.undo == nil || b.dialog == nil {
		return b.undo != nil
	}
	s := b.dialog.form().sheet()
	return b.unused() && s != nil && s.focus == onList
}

// line is the notice in a number of columns. Of what was sent it says so, and how
// to undo it.
func (b *Inbox) line(width int) string {
	if !b.sent {
		return cut(b.notice, width)
	}
	w := b.o.Words
	end := " · " + w.Sent
	if b.offers() {
		end += " · u " + w.DoesUndo
	}
	return cut(b.notice, width-columns(end)) + end
}

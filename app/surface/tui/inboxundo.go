package tui

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// given is one action of the person: an outcome of one ask, or of several together.
type given struct {
	tickets []*hub.Ticket // as the hub returned them
	text    string
}

// until is when the last of what is held counts; zero: nothing is held.
func (g *given) until() time.Time {
	var last time.Time
	for _, t := range g.tickets {
		if t.Open() && t.Held != nil && t.Held.Until.After(last) {
			last = t.Held.Until
		}
	}
	return last
}

func (g *given) index(addr hub.Address) int {
	return slices.IndexFunc(g.tickets, func(t *hub.Ticket) bool { return t.Address == addr })
}

// keepGiven keeps what was given as long as it can be undone.
func (b *Inbox) keepGiven(g *given) {
	if slices.ContainsFunc(g.tickets, func(t *hub.Ticket) bool { return !t.Consumed.IsZero() }) {
		return // the agent has it
	}
	b.given = append(b.given, g)
}

// last is what u undoes; nil: nothing.
func (b *Inbox) last() *given {
	if len(b.given) == 0 {
		return nil
	}
	return b.given[len(b.given)-1]
}

// undoneMsg says what became of an undo.
type undoneMsg struct {
	inbox   *Inbox
	was     *given
	tickets []*hub.Ticket // that are open again
	err     error
}

// takeBack undoes what the person sent last.
func (b *Inbox) takeBack() tea.Cmd {
	was := b.last()
	b.given = b.given[:len(b.given)-1]
	tickets := slices.Clone(was.tickets)
	return func() tea.Msg {
		msg := undoneMsg{inbox: b, was: was}
		for _, t := range tickets {
			back, err := b.calls.undo(t)
			if err != nil {
				msg.err = err
				continue
			}
			msg.tickets = append(msg.tickets, back)
		}
		return msg
	}
}

// undone opens the ask again, with exactly what was sent.
func (b *Inbox) undone(msg undoneMsg) tea.Cmd {
	w := b.o.Words
	if msg.err != nil {
		notice := w.say(w.NotUndone, w.trouble(msg.err))
		if errors.Is(msg.err, hub.ErrConsumed) {
			notice = w.AgentHasIt
		} else if len(msg.tickets) == 0 {
			b.given = append(b.given, msg.was) // it may be tried again
		}
		b.say(notice)
		if len(msg.tickets) == 0 {
			return nil
		}
	}
	for _, t := range msg.tickets {
		b.records = slices.DeleteFunc(b.records, func(r record) bool { return r.of == t.Address })
		b.put(t)
	}
	if b.dialog != nil && !b.unused() { // the person has begun to answer another
		b.say(w.Inbox.Undone)
		b.refresh()
		return b.search()
	}
	if b.dialog != nil {
		b.dialog.life.end()
		b.dialog = nil
	}
	b.notice, b.sent = w.Undone, false
	return tea.Batch(b.open(msg.tickets[0], sentBefore(msg.tickets[0])), b.search())
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
	b.notice, b.sent = notice, false
	if b.dialog != nil {
		b.dialog.forms[0].notice = notice
		b.dialog.draw()
	}
}

// unused reports whether nothing has been entered in the dialog yet.
func (b *Inbox) unused() bool {
	f := b.dialog.form()
	return f != nil && f.entered() == 0 && f.bar == noBar && !f.busy() && f.closed == nil
}

// typing reports whether letters are for a text field.
func (b *Inbox) typing() bool {
	switch {
	case b.menu != nil:
		return b.menu.field != nil
	case b.query.field != nil:
		return true
	case b.dialog == nil:
		return false
	}
	f := b.dialog.form()
	return f != nil && f.closed == nil && (f.bar != noBar || f.sheet() != nil && f.sheet().focus != onList)
}

// follows follows what was given: when it counts, is undone or was too late. It reports
// whether the change is about something that the person gave here.
func (b *Inbox) follows(t *hub.Ticket) bool {
	for i, g := range b.given {
		at := g.index(t.Address)
		if at < 0 {
			continue
		}
		was := g.tickets[at]
		switch {
		case t.Revision < was.Revision:
		case t.Open() && t.Held == nil: // undone elsewhere
			b.forget(i, at)
			return false
		case t.Open() && sameHeld(t, was):
			g.tickets[at] = t
		case t.Open(): // undone, and answered again
			b.forget(i, at)
			return false
		case !t.Open() && !t.Consumed.IsZero(), !t.Open() && !ours(t, was):
			b.forget(i, at)
			if !ours(t, was) {
				b.say(b.o.Words.say(b.o.Words.TooLate, b.o.Words.closedBy(t.Ask, t.Outcome)))
			}
		case !t.Open():
			g.tickets[at] = t
		}
		return true
	}
	return false
}

// forget takes an ask out of what can be undone.
func (b *Inbox) forget(i, at int) {
	g := b.given[i]
	if g.tickets = slices.Delete(g.tickets, at, at+1); len(g.tickets) == 0 {
		b.given = slices.Delete(b.given, i, i+1)
	}
}

func sameHeld(t, was *hub.Ticket) bool {
	return t.Held != nil && was.Held != nil && t.Held.Nonce == was.Held.Nonce
}

// ours reports whether what closed an ask is what was given here.
func ours(t, was *hub.Ticket) bool {
	if was.Held != nil && was.Outcome == nil {
		return t.Nonce == was.Held.Nonce
	}
	return t.Nonce == was.Nonce
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

type (
	// closedMsg says what became of an outcome that was given without a dialog.
	closedMsg struct {
		inbox *Inbox
		was   *hub.Ticket
		out   *sayso.Outcome
		given *given
		won   *sayso.Outcome
		err   error
	}
	// doneMsg says what became of something else.
	doneMsg struct {
		inbox  *Inbox
		of     *hub.Ticket
		notice string
		later  *hub.Item // as it is in the list of what waits later
		err    error
	}
)

// acted takes what became of an action.
func (b *Inbox) acted(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case closedMsg:
		if msg.inbox == b {
			return b.closedBySurface(msg)
		}
	case doneMsg:
		if msg.inbox == b {
			return b.done(msg)
		}
	case againMsg:
		if msg.inbox == b {
			return b.askedAgain(msg)
		}
	case precedentsMsg:
		if msg.inbox == b {
			b.knows(msg)
		}
	case facetsMsg:
		if msg.inbox == b {
			b.filterWith(msg)
		}
	case wholeMsg:
		if msg.inbox == b && b.batch != nil {
			b.batch.fetched(msg)
		}
	case batchMsg:
		if msg.inbox == b {
			return b.batchDone(msg)
		}
	}
	return nil
}

// close gives an outcome to an ask without a dialog.
func (b *Inbox) close(t *hub.Ticket, o *sayso.Outcome) tea.Cmd {
	return func() tea.Msg {
		closed, err := b.give(t, o, false)
		msg := closedMsg{inbox: b, was: t, out: o, err: err, won: winner(err)}
		if err == nil {
			msg.given = &given{tickets: []*hub.Ticket{closed}}
		}
		return msg
	}
}

func (b *Inbox) closedBySurface(msg closedMsg) tea.Cmd {
	w := b.o.Words
	switch {
	case msg.won != nil:
		b.say(w.closedBy(msg.was.Ask, msg.won.Settled()))
		return b.list()
	case msg.err != nil:
		b.say(w.say(w.NotSent, b.o.Words.trouble(msg.err)))
		return nil
	}
	var keep tea.Cmd
	if b.dialog != nil && b.shown.Address == msg.was.Address {
		keep = b.drop()
	}
	b.notice, b.sent = w.became(msg.was.Ask, msg.out, b.o.By), true
	return tea.Batch(keep, b.goOn(msg.was, msg.given, msg.out))
}

// drop takes the dialog away. What is typed in it is kept.
func (b *Inbox) drop() tea.Cmd {
	m := b.dialog
	b.o.History = m.o.History
	m.life.end()
	b.dialog, b.shown, b.closing, b.amends = nil, nil, nil, false
	return m.keep(m.forms[0])
}

// declineMenu asks why, and declines.
func (b *Inbox) declineMenu(i hub.Item) tea.Cmd {
	w := b.o.Words
	b.textMenu(w.Inbox.Decline, w.Inbox.DeclineReason+". "+w.Inbox.DeclineHint, i.Ask, func(why string) tea.Cmd {
		return b.close(i.Ticket, &sayso.Outcome{Status: sayso.StatusDeclined, Reason: why, By: b.o.By, At: b.o.Now()})
	})
	return nil
}

// snoozeMenu asks until when an ask shall wait, or shows it again.
func (b *Inbox) snoozeMenu(i hub.Item) tea.Cmd {
	if !b.can.snooze {
		return nil
	}
	w := b.o.Words
	if b.snoozed(i) {
		return b.snooze(i, nil)
	}
	b.menu = &menu{title: w.Inbox.LaterTitle, about: i.Ask}
	for _, c := range w.LaterChoices(b.o.Now().In(b.zone)) {
		s, right := &hub.Snooze{Until: c.Until, Back: c.Until.IsZero()}, ""
		if !s.Back {
			right = b.clock(s.Until)
		}
		b.menu.items = append(b.menu.items, menuItem{c.Words, right, func() tea.Cmd { return b.snooze(i, s) }})
	}
	return nil
}

// snoozed reports whether the person left an ask for later.
func (b *Inbox) snoozed(i hub.Item) bool {
	s, there := b.later[i.Address]
	return there && s.Snoozed != nil || i.Snoozed != nil
}

func (b *Inbox) snooze(i hub.Item, s *hub.Snooze) tea.Cmd {
	w := b.o.Words
	return func() tea.Msg {
		err := b.calls.desk.snooze(i.Ticket, s)
		if s == nil {
			return doneMsg{b, i.Ticket, w.Inbox.Unsnoozed, nil, err}
		}
		return doneMsg{b, i.Ticket, w.titled(i.Ask, b.snoozeWords(s)), &hub.Item{Ticket: i.Ticket, Snoozed: s}, err}
	}
}

// snoozeWords say until when an ask waits.
func (b *Inbox) snoozeWords(s *hub.Snooze) string {
	w := b.o.Words
	if s.Back {
		return w.Inbox.LaterUntilBack
	}
	return w.say(w.Inbox.LaterUntil, b.clock(s.Until))
}

// clock is a time for people, in their zone.
func (b *Inbox) clock(t time.Time) string { return b.o.Words.When(t, b.o.Now(), b.zone) }

// delegateMenu asks to whom, and what to say.
func (b *Inbox) delegateMenu(i hub.Item) tea.Cmd {
	if len(b.people) == 0 {
		return nil
	}
	w := b.o.Words
	b.menu = &menu{title: w.Inbox.Delegate, about: i.Ask}
	for _, p := range b.people {
		name := squeeze(sayso.SafeLine(p))
		b.menu.items = append(b.menu.items, menuItem{label: name, do: func() tea.Cmd {
			b.textMenu(w.Inbox.Delegate+": "+name, w.Inbox.Comment, i.Ask, func(comment string) tea.Cmd {
				return func() tea.Msg {
					t, err := b.calls.desk.delegate(i.Ticket, p, comment)
					if err != nil {
						return doneMsg{b, i.Ticket, "", nil, err}
					}
					return doneMsg{b, t, w.titled(i.Ask, w.say(w.Inbox.DelegatedTo, name)), &hub.Item{Ticket: t}, nil}
				}
			})
			return nil
		}})
	}
	return nil
}

// done takes what became of snoozing and delegating, and goes on.
func (b *Inbox) done(msg doneMsg) tea.Cmd {
	switch {
	case unsupported(msg.err):
		b.can.snooze = false
		b.say(b.o.Words.NotSupported)
		return nil
	case msg.err != nil:
		b.say(b.o.Words.say(b.o.Words.NotDone, b.o.Words.trouble(msg.err)))
		return nil
	}
	addr := msg.of.Address
	if msg.later == nil {
		delete(b.later, addr)
		b.notice, b.sent = msg.notice, false
		return tea.Batch(b.list(), b.search())
	}
	next := b.after(msg.of, nil)
	open := b.dialog != nil && b.shown.Address == addr
	rows := b.rows()
	at := b.highlighted(rows)
	b.later[addr] = *msg.later
	if b.query.view() == hub.ViewOpen {
		b.query.remove(addr)
	}
	if rows = b.rows(); addr == b.cur && len(rows) > 0 {
		b.cur = rows[min(at, len(rows)-1)].Address
	}
	b.notice, b.sent = msg.notice, false
	if !open {
		return b.search()
	}
	keep := b.drop()
	if next == nil {
		return tea.Batch(keep, b.search())
	}
	return tea.Batch(keep, b.search(), b.open(next, nil))
}

package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// defaultGrace is for how long an answer is held of a person who has chosen nothing.
const defaultGrace = 5 * time.Second

// deskCalls are what an inbox asks of a [hub.Desk], bound to a context.
type deskCalls struct {
	search      func(*hub.Search) (*hub.Found, error)
	hold        func(*hub.Ticket, *sayso.Outcome, time.Duration) (*hub.Ticket, error)
	amend       func(*hub.Ticket, *sayso.Outcome) (*hub.Ticket, error)
	again       func(*hub.Ticket) (*hub.Ticket, error)
	snooze      func(*hub.Ticket, *hub.Snooze) error
	delegate    func(t *hub.Ticket, to, comment string) (*hub.Ticket, error)
	people      func() ([]string, error)
	precedents  func(*hub.Ticket) ([]hub.Precedent, error)
	preferences func() (*hub.Preferences, error)
}

// abilities are what the desk can do, as far as is known. What it cannot is not
// offered.
type abilities struct{ search, amend, snooze, precedents bool }

// sitAt takes what a desk has to offer.
func (b *Inbox) sitAt(ctx context.Context, d hub.Desk) {
	b.can = abilities{search: true, amend: true, snooze: true, precedents: true}
	b.calls.desk = deskCalls{
		search: func(s *hub.Search) (*hub.Found, error) { return d.Search(ctx, s) },
		hold: func(t *hub.Ticket, o *sayso.Outcome, so time.Duration) (*hub.Ticket, error) {
			return d.Hold(ctx, t, o, so)
		},
		amend:  func(t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) { return d.Amend(ctx, t, o) },
		again:  func(t *hub.Ticket) (*hub.Ticket, error) { return d.AskAgain(ctx, t) },
		snooze: func(t *hub.Ticket, s *hub.Snooze) error { return d.Snooze(ctx, t, s) },
		delegate: func(t *hub.Ticket, to, comment string) (*hub.Ticket, error) {
			return d.Delegate(ctx, t, to, comment)
		},
		people:      func() ([]string, error) { return d.People(ctx) },
		precedents:  func(t *hub.Ticket) ([]hub.Precedent, error) { return d.Precedents(ctx, t) },
		preferences: func() (*hub.Preferences, error) { return d.Preferences(ctx) },
	}
	switch {
	case b.o.Grace < 0:
	case b.o.Grace > 0:
		b.grace.Store(int64(min(b.o.Grace, hub.MaxHold)))
	default:
		b.grace.Store(int64(defaultGrace))
	}
}

// holds is for how long answers are held; zero: they count at once.
func (b *Inbox) holds() time.Duration { return time.Duration(b.grace.Load()) }

type settledMsg struct {
	inbox  *Inbox
	wants  *hub.Preferences
	people []string
}

// settle asks what the person has chosen, and who else there is.
func (b *Inbox) settle() tea.Cmd {
	if b.calls.desk.preferences == nil {
		return nil
	}
	return func() tea.Msg {
		wants, err := b.calls.desk.preferences()
		if err != nil {
			wants = nil // the defaults do
		}
		people, err := b.calls.desk.people()
		if err != nil {
			people = nil // delegating is not offered
		}
		return settledMsg{b, wants, people}
	}
}

func (b *Inbox) settled(msg settledMsg) {
	b.people = msg.people
	if msg.wants == nil {
		return
	}
	if g := msg.wants.Grace; g != nil && b.o.Grace == 0 {
		b.grace.Store(int64(min(time.Duration(max(*g, 0))*time.Second, hub.MaxHold)))
	}
	if w := Words(msg.wants.Language); w.Tag == msg.wants.Language {
		b.o.Words, b.peek = w, peek{}
	}
	if z, err := time.LoadLocation(msg.wants.Zone); msg.wants.Zone != "" && err == nil {
		b.zone = z
	}
}

// give takes an outcome to the hub, which holds it for a while if it can. One that
// was given by a single key counts only if it is held: the person relies on undo.
func (b *Inbox) give(t *hub.Ticket, o *sayso.Outcome, single bool) (*hub.Ticket, error) {
	if d := b.holds(); d > 0 {
		held, err := b.calls.desk.hold(t, o, d)
		switch {
		case !unsupported(err):
			return held, err
		case single:
			b.grace.Store(0)
			return nil, errors.New(b.o.Words.NotHeld)
		}
		b.grace.Store(0)
	}
	return b.calls.close(t, o)
}

// winner returns the outcome that came before ours, if that is what an error says.
func winner(err error) *sayso.Outcome {
	var lost *hub.ClosedError
	switch {
	case !errors.As(err, &lost) || lost.Ticket == nil:
		return nil
	case lost.Ticket.Outcome != nil:
		return lost.Ticket.Outcome
	case lost.Ticket.Held != nil:
		return lost.Ticket.Held.Outcome
	}
	return nil
}

package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

type (
	inboxTickMsg struct{ inbox *Inbox }
	changeMsg    struct {
		inbox  *Inbox
		change hub.Change
	}
	listedMsg struct {
		inbox   *Inbox
		tickets []*hub.Ticket
		damaged int
		err     error
		since   int // changes that had come when it began
	}
	lineMsg struct { // the line to the hub
		inbox *Inbox
		err   error
	}
)

// RunInbox runs an inbox on the terminal of the process until the person leaves
// it or ctx ends, and leaves a line on the terminal for every ask that was closed.
// Without a terminal its error wraps [sayso.ErrUnreachable].
func RunInbox(ctx context.Context, in hub.Inbox, o *Options) error {
	tty, out, err := openTerminal()
	if err != nil {
		return fmt.Errorf("tui: %w: %w", err, sayso.ErrUnreachable)
	}
	defer tty.Close()
	if out != tty {
		defer out.Close()
	}
	flush(tty)
	running, stop := context.WithCancel(ctx)
	b := NewInbox(running, in, o)
	p := tea.NewProgram(&program{Model: b}, tea.WithInput(tty), tea.WithOutput(out))
	watched := make(chan struct{})
	go func() { defer close(watched); b.Watch(running, in, p.Send) }()
	gone := make(chan struct{})
	unhook := context.AfterFunc(running, func() { defer close(gone); p.Send(leaveMsg{}) })
	_, err = p.Run()
	if unhook() {
		close(gone)
	}
	<-gone
	stop()
	<-watched
	b.life.end()
	if b.dialog != nil {
		b.dialog.life.end()
	}
	for _, r := range b.records {
		fmt.Fprintln(out, r)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("tui: running the inbox: %w", err)
	}
	return nil
}

// Watch tells the inbox of everything that happens, through send, until ctx ends.
// It starts again when the hub goes away.
func (b *Inbox) Watch(ctx context.Context, in hub.Inbox, send func(tea.Msg)) {
	pause := 500 * time.Millisecond
	for ctx.Err() == nil {
		err := in.Watch(ctx, func(c hub.Change) {
			pause = 500 * time.Millisecond
			send(changeMsg{b, c})
		})
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("the watch ended")
		}
		send(lineMsg{b, err})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, 10*time.Second)
	}
}

// listAll returns every open ask, and how many cannot be read.
func listAll(ctx context.Context, in hub.Inbox) (all []*hub.Ticket, damaged int, err error) {
	f := hub.Filter{Limit: 1000}
	for {
		page, err := in.List(ctx, &f)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, page.Tickets...)
		damaged += len(page.Damaged)
		if page.Next == "" {
			return all, damaged, nil
		}
		f.Cursor = page.Next
	}
}

// older orders by age; what has none comes last.
func older(a, b *hub.Ticket) int {
	at, bt := a.Ask.AskedAt, b.Ask.AskedAt
	if at.IsZero() != bt.IsZero() {
		if at.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(at.Compare(bt), strings.Compare(a.Address.ID, b.Address.ID), strings.Compare(a.Address.Conversation, b.Address.Conversation))
}

// told takes a change.
func (b *Inbox) told(c hub.Change) tea.Cmd {
	b.live = true
	b.changes++
	switch t := c.Ticket; {
	case c.Reset:
		since := b.changes
		return func() tea.Msg {
			tickets, damaged, err := b.calls.list()
			return listedMsg{b, tickets, damaged, err, since}
		}
	case t == nil:
		b.notice = b.o.Words.say(b.o.Words.Damaged.of(1), 1)
	case t.Open():
		b.put(t)
		b.fresh[t.Address] = b.changes
	default:
		b.remove(t.Address, t.Revision)
		if b.shown != nil && b.shown.Address == t.Address && t.Revision > b.shown.Revision {
			_, cmd := b.dialog.Update(Fold{b.dialog.forms[0].ask.ID, t.Outcome})
			return cmd
		}
	}
	return nil
}

// listed takes what a list found. It knows nothing of asks that came since.
func (b *Inbox) listed(msg listedMsg) tea.Cmd {
	if msg.err != nil {
		b.live = false
		b.notice = sayso.SafeLine(msg.err.Error())
		return nil
	}
	b.live = true
	if msg.damaged > 0 {
		b.notice = b.o.Words.say(b.o.Words.Damaged.of(msg.damaged), msg.damaged)
	}
	there := map[hub.Address]bool{}
	for _, t := range msg.tickets {
		there[t.Address] = true
		b.put(t)
	}
	for _, t := range append([]*hub.Ticket{}, b.waiting...) {
		shown := b.shown != nil && b.shown.Address == t.Address // its end will be told
		if !there[t.Address] && b.fresh[t.Address] <= msg.since && !shown {
			b.remove(t.Address, t.Revision)
		}
	}
	return nil
}

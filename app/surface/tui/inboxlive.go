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
// What was typed and could not be kept stays there too, to be copied. Without a
// terminal its error wraps [sayso.ErrUnreachable].
func RunInbox(ctx context.Context, in hub.Inbox, o *Options) error {
	tty, out, err := openTerminal()
	if err != nil {
		return fmt.Errorf("tui: %w: %w", err, sayso.ErrUnreachable)
	}
	defer tty.Close()
	if out != tty {
		defer out.Close()
	}
	return runInbox(ctx, in, o, screenOn(tty, out))
}

// lastSave is how long the end of an inbox waits for a draft to be kept.
const lastSave = 3 * time.Second

// runInbox runs an inbox on a screen. The calls that it makes outlive ctx by as
// long as it takes to keep a draft.
func runInbox(ctx context.Context, in hub.Inbox, o *Options, s *screen) error {
	calling, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	watching, stop := context.WithCancel(calling)
	b := NewInbox(calling, in, o)
	watched := make(chan struct{})
	if b.o.Alert != nil {
		fmt.Fprint(s.out, pushTitle)
	}
	err := s.run(ctx, b, func(send func(tea.Msg)) {
		go func() { defer close(watched); b.Watch(watching, in, send) }()
	})
	if b.o.Alert != nil {
		fmt.Fprint(s.out, popTitle)
	}
	stop()
	<-watched
	b.life.end()
	var behind []string
	if b.dialog != nil {
		defer time.AfterFunc(lastSave, end).Stop()
		b.dialog.life.end()
		b.dialog.look = look{}
		b.dialog.keepNow(b.dialog.forms[0])
		behind = b.dialog.leftBehind(b.dialog.forms[0])
	}
	s.print(b.Records()...)
	s.print(behind...)
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
		b.notice, b.sent = b.o.Words.say(b.o.Words.Damaged.of(1), 1), false
	case t.Open():
		b.fresh[t.Address] = b.changes
		if b.put(t) {
			return b.alert()
		}
	default:
		b.remove(t.Address, t.Revision)
		if b.undo != nil && b.undo.Address == t.Address && (t.Nonce != b.undo.Nonce || !t.Consumed.IsZero()) {
			b.undo = nil // the agent has it
		}
		if b.shown != nil && b.shown.Address == t.Address && t.Revision > b.shown.Revision {
			_, cmd := b.dialog.Update(ClosedElsewhereMsg{b.dialog.forms[0].ask.ID, t.Outcome})
			return cmd
		}
	}
	return nil
}

// listed takes what a list found. It knows nothing of asks that came since.
func (b *Inbox) listed(msg listedMsg) tea.Cmd {
	if msg.err != nil {
		b.live = false
		b.notice, b.sent = sayso.SafeLine(msg.err.Error()), false
		return nil
	}
	b.live = true
	if msg.damaged > 0 {
		b.notice, b.sent = b.o.Words.say(b.o.Words.Damaged.of(msg.damaged), msg.damaged), false
	}
	there, came := map[hub.Address]bool{}, false
	for _, t := range msg.tickets {
		there[t.Address] = true
		came = b.put(t) || came
	}
	for _, t := range append([]*hub.Ticket{}, b.waiting...) {
		shown := b.shown != nil && b.shown.Address == t.Address // its end will be told
		if !there[t.Address] && b.fresh[t.Address] <= msg.since && !shown {
			b.remove(t.Address, t.Revision)
		}
	}
	first := !b.there.listed
	if b.there.listed = true; came && !first {
		return b.alert()
	}
	return nil
}

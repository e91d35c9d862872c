package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
		later   map[hub.Address]hub.Item // snoozed or delegated; nil: not known
		beyond  int                      // how many more there are
		damaged int
		err     error
		since   int // changes that had come when it began
	}
	lineMsg struct { // the line to the hub
		inbox *Inbox
		up    bool
	}
	relistMsg struct{ inbox *Inbox }

	// lines is an inbox that says when its line to the hub ends and begins again.
	lines interface {
		WatchLine(ctx context.Context, fn func(hub.Change), line func(up bool)) error
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

// relistPause is how long the inbox waits before it lists again after it could not.
const relistPause = 2 * time.Second

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
		told := func(c hub.Change) {
			pause = 500 * time.Millisecond
			send(changeMsg{b, c})
		}
		if l, ok := in.(lines); ok {
			_ = l.WatchLine(ctx, told, func(up bool) { send(lineMsg{b, up}) })
		} else {
			_ = in.Watch(ctx, told)
		}
		if ctx.Err() != nil {
			return
		}
		send(lineMsg{b, false})
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

// list lists what waits: a page of it, where the hub can search, else all.
func (b *Inbox) list() tea.Cmd {
	since, search := b.changes, b.can.search
	return func() tea.Msg {
		msg := listedMsg{inbox: b, since: since}
		if search {
			if msg.err = b.page(&msg); !unsupported(msg.err) {
				return msg
			}
		}
		msg.later, msg.beyond = nil, 0
		msg.tickets, msg.damaged, msg.err = b.calls.list()
		return msg
	}
}

// page lists the first page of what waits, and what does not wait now.
func (b *Inbox) page(msg *listedMsg) error {
	open, err := b.calls.desk.search(&hub.Search{Limit: pageMax})
	if err != nil {
		return err
	}
	later, err := b.calls.desk.search(&hub.Search{View: hub.ViewLater, Limit: pageMax})
	if err != nil {
		return err
	}
	for _, i := range open.Items {
		msg.tickets = append(msg.tickets, i.Ticket)
	}
	msg.later = map[hub.Address]hub.Item{}
	for _, i := range later.Items {
		msg.later[i.Address] = i
		msg.tickets = append(msg.tickets, i.Ticket) // it waits again when its time has come
	}
	msg.beyond = max(open.Total-len(open.Items), 0)
	return nil
}

// told takes a change.
func (b *Inbox) told(c hub.Change) tea.Cmd {
	b.live = true
	b.changes++
	switch t := c.Ticket; {
	case c.Reset:
		return tea.Batch(b.list(), b.search())
	case t == nil:
		b.notice, b.sent = b.o.Words.count(b.o.Words.Damaged, 1), false
		return nil
	case b.follows(t):
		return b.searchSoon()
	case t.Open():
		b.fresh[t.Address] = b.changes
		b.heldElsewhere(t)
		if b.put(t) && !b.isLater(t.Address) {
			return tea.Batch(b.alert(), b.searchSoon())
		}
		return b.searchSoon()
	default:
		b.remove(t.Address, t.Revision)
		again := b.searchSoon()
		if b.shown != nil && b.shown.Address == t.Address && t.Revision > b.shown.Revision {
			_, cmd := b.dialog.Update(ClosedElsewhereMsg{b.dialog.forms[0].ask.ID, t.Outcome})
			return tea.Batch(cmd, again)
		}
		return again
	}
}

// heldElsewhere says in the dialog that somebody has answered what it shows, while
// that can still be undone.
func (b *Inbox) heldElsewhere(t *hub.Ticket) {
	if t.Held == nil || b.shown == nil || b.shown.Address != t.Address || t.Revision <= b.shown.Revision {
		return
	}
	if f := b.dialog.form(); f != nil && !f.busy() {
		f.notice = b.heldBy(t)
	}
}

// heldBy says who has answered an ask, and with what.
func (b *Inbox) heldBy(t *hub.Ticket) string {
	w, says := b.o.Words, b.o.Words.closedBy
	if slices.ContainsFunc(b.given, func(g *given) bool { return g.index(t.Address) >= 0 }) {
		says = w.wasClosed // it was this terminal
	}
	return w.say(w.HeldElsewhere, says(t.Ask, t.Held.Outcome.Settled()), b.seconds(t.Held.Until))
}

// listed takes what a list found. It knows nothing of asks that came since.
func (b *Inbox) listed(msg listedMsg) tea.Cmd {
	if msg.err != nil {
		if !errors.Is(msg.err, sayso.ErrUnreachable) { // else the screen says that it reconnects
			b.notice, b.sent = b.o.Words.trouble(msg.err), false
		}
		return b.relist()
	}
	var again tea.Cmd
	if !b.live {
		again = b.search() // the one before may have failed
	}
	b.live = true
	if b.can.search = b.can.search && msg.later != nil; msg.later != nil {
		b.later = msg.later
	}
	b.beyond = msg.beyond
	if msg.damaged > 0 {
		b.notice, b.sent = b.o.Words.count(b.o.Words.Damaged, msg.damaged), false
	}
	there, came := map[hub.Address]bool{}, false
	for _, t := range msg.tickets {
		there[t.Address] = true
		if !b.follows(t) {
			came = b.put(t) && !b.isLater(t.Address) || came
		}
	}
	for _, t := range append([]*hub.Ticket{}, b.waiting...) {
		shown := b.shown != nil && b.shown.Address == t.Address // its end will be told
		if !there[t.Address] && b.fresh[t.Address] <= msg.since && !shown && msg.beyond == 0 {
			b.remove(t.Address, t.Revision)
		}
	}
	first := !b.there.listed
	if b.there.listed = true; came && !first {
		return tea.Batch(again, b.alert())
	}
	return again
}

// relist lists again in a moment, as the hub could not be asked now.
func (b *Inbox) relist() tea.Cmd {
	b.live = false
	return b.life.after(relistPause, relistMsg{b})
}

// lined takes that the line to the hub has ended, or begun again: what failed meanwhile
// is done again.
func (b *Inbox) lined(up bool) tea.Cmd {
	was := b.live
	if b.live = up; !up || was || !b.there.listed {
		return nil
	}
	return tea.Batch(b.list(), b.search())
}

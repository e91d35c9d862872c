package tui

import (
	"errors"
	"slices"
	"strconv"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// open shows an ask in the dialog. What was sent and undone is given back as it
// was; else an earlier draft is.
func (b *Inbox) open(t *hub.Ticket, sent []sayso.Answer) tea.Cmd {
	return b.openAs(t, sent, false)
}

// openAs shows an ask in the dialog, to answer it or to amend its answer.
func (b *Inbox) openAs(t *hub.Ticket, sent []sayso.Answer, amends bool) tea.Cmd {
	b.cur, b.shown, b.closing, b.amends = t.Address, t, nil, amends
	b.menu, b.past, b.batch, b.help = nil, nil, nil, nil
	var f *form
	o := b.options(t, sent)
	o.quick = func() bool { return b.holds() > 0 }
	o.Send = func(_ *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) {
		closed, err := b.give(t, out, f.single)
		if won := winner(err); won != nil {
			return won, nil
		}
		if err != nil {
			return nil, err
		}
		g := &given{tickets: []*hub.Ticket{closed}}
		b.giveAlso(g, f.together, out)
		b.closing = g // read when the dialog says that it is closed
		return nil, nil
	}
	if amends { // there is no draft, and nothing is held
		for i, g := range b.given {
			if at := g.index(t.Address); at >= 0 { // it is no longer what was given
				b.forget(i, at)
				break
			}
		}
		o.amends, o.quick, o.LoadDraft, o.SaveDraft = true, nil, nil, nil
		o.Send = func(_ *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) {
			_, err := b.calls.desk.amend(t, out)
			return nil, err
		}
	}
	m := New([]*sayso.Ask{t.Ask}, &o)
	m.look = b.look
	f = m.forms[0]
	if sent != nil {
		f.restore(sent)
		f.touched = true // the person wanted it back
		f.drafts.changes = 1
	}
	b.dialog = m
	m.width, m.height = b.paneSize()
	m.resize()
	f.same = len(b.identical(t))
	switch {
	case amends && !t.Consumed.IsZero():
		f.notice = b.o.Words.Inbox.AmendHint
	case t.Held != nil:
		f.notice = b.heldBy(t)
	}
	b.refresh()
	return tea.Batch(m.show(), b.lookUp(t))
}

// options are those of a dialog in the inbox: its drafts and answers are the hub's.
func (b *Inbox) options(t *hub.Ticket, sent []sayso.Answer) Options {
	o := b.o
	o.Expire, o.Later, o.inbox = false, true, true // the hub does, and it holds the ask
	if b.calls.attend != nil {
		o.Attending = func(*sayso.Ask) { b.calls.attend(t) }
	}
	o.Whole = func(*sayso.Ask) (*sayso.Ask, error) { return b.calls.whole(t) }
	var reply atomic.Value // typed on another surface; not ours to drop
	reply.Store("")
	o.LoadDraft = func(*sayso.Ask) ([]sayso.Answer, error) {
		d, err := b.calls.load(t)
		switch {
		case errors.Is(err, hub.ErrNotFound):
			return sent, nil
		case err != nil:
			return sent, err
		}
		reply.Store(d.Reply)
		if sent != nil {
			return sent, nil
		}
		return d.Answers, nil
	}
	o.SaveDraft = func(_ *sayso.Ask, answers []sayso.Answer) error {
		return b.calls.save(t, &hub.Draft{Answers: answers, Reply: reply.Load().(string)})
	}
	return o
}

// refresh tells the dialog how many others wait, and gives it the place it has.
func (b *Inbox) refresh() {
	if b.dialog == nil {
		return
	}
	n := b.beyond
	for _, i := range b.plainRows() {
		if i.Address != b.shown.Address {
			n++
		}
	}
	f := b.dialog.forms[0]
	f.more, f.same = n, len(b.identical(b.shown))
	if w, h := b.paneSize(); b.dialog.width != w || b.dialog.height != h {
		b.dialog.width, b.dialog.height = w, h
		b.dialog.resize()
	}
	b.dialog.draw()
}

// leave goes from the dialog to the next ask, or to the list.
func (b *Inbox) leave(msg ClosedMsg) tea.Cmd {
	was, closed, amends := b.shown, b.closing, b.amends
	b.o.History = b.dialog.o.History // own words are recalled in the next
	b.dialog.life.end()
	b.dialog, b.shown, b.closing, b.amends = nil, nil, nil, false
	text := b.o.Words.Record(msg.Ask, msg.Outcome, b.o.By)
	b.notice, b.sent = b.o.Words.became(msg.Ask, msg.Outcome, b.o.By), closed != nil
	switch {
	case amends && msg.Outcome.Status == sayso.StatusPending:
		b.notice = ""
		return nil
	case amends:
		if b.sent = false; !was.Consumed.IsZero() {
			b.notice = b.o.Words.Inbox.Amended
		}
		b.records = append(b.records, record{was.Address, text})
		return b.search()
	case msg.Outcome.Status == sayso.StatusPending:
		b.left[was.Address] = true
		b.notice = "… " + b.o.Words.titled(msg.Ask, b.o.Words.Inbox.NotYet) // it still waits here
		return nil
	}
	if closed != nil && len(closed.tickets) > 1 {
		b.notice += " ×" + strconv.Itoa(len(closed.tickets))
	}
	return b.goOn(was, closed, msg.Outcome)
}

// goOn notes what became of an ask, or of each of several, and opens the next one.
func (b *Inbox) goOn(was *hub.Ticket, closed *given, o *sayso.Outcome) tea.Cmd {
	all := []*hub.Ticket{was}
	if closed != nil {
		all = closed.tickets
		closed.text = b.notice
		b.keepGiven(closed)
	}
	next := b.after(was, all)
	for _, t := range all {
		b.records = append(b.records, record{t.Address, b.o.Words.Record(t.Ask, b.gave(closed, t, o), b.o.By)})
		b.remove(t.Address, t.Revision)
	}
	cmd := tea.Batch(b.search(), b.countDown())
	if next != nil {
		return tea.Batch(cmd, b.open(next, nil))
	}
	return cmd
}

// gave is what the person said to one of several asks, which may name its options by
// other ids than the first.
func (b *Inbox) gave(closed *given, t *hub.Ticket, first *sayso.Outcome) *sayso.Outcome {
	own := t.Outcome
	if t.Held != nil {
		own = t.Held.Outcome
	}
	if closed == nil || own == nil {
		return first
	}
	c := *own
	c.By = b.o.By
	return &c
}

// after returns the next ask in the list after t, and then the first, that the person
// has not dealt with.
func (b *Inbox) after(t *hub.Ticket, done []*hub.Ticket) *hub.Ticket {
	var first *hub.Ticket
	passed := false
	for _, i := range b.rows() {
		dealt := slices.ContainsFunc(done, func(d *hub.Ticket) bool { return d.Address == i.Address })
		switch {
		case i.Address == t.Address:
			passed = true
		case dealt || !i.Open() || i.Held != nil || b.left[i.Address] || i.Snoozed != nil:
		case passed:
			return i.Ticket
		case first == nil:
			first = i.Ticket
		}
	}
	return first
}

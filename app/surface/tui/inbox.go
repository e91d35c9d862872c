package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Inbox shows everything that waits for a person, oldest first, and opens each
// in the same dialog, one after another. It is a tea.Model. [RunInbox] runs it as
// a program; a host with a program of its own also runs [Inbox.Watch].
type Inbox struct {
	o     Options
	calls calls

	waiting []*hub.Ticket          // open, oldest first
	closed  map[hub.Address]uint64 // revisions at which asks were seen to be closed: lists may lag
	later   map[hub.Address]bool   // left for later
	fresh   map[hub.Address]int    // the change that put an ask on the list
	changes int                    // how many changes came

	cur     hub.Address // the highlight stays on its ask
	dialog  *Model      // nil: the list is on screen
	shown   *hub.Ticket // what the dialog shows
	closing *hub.Ticket // as the dialog has closed it
	undo    *hub.Ticket // what the person sent last, until the agent has it
	records []record
	notice  string
	sent    bool // the notice is about what the person sent
	live    bool
	gone    bool
	there   presence

	width, height int
	look          look
	life          *life
}

var _ tea.Model = (*Inbox)(nil)

// record is what became of an ask while the inbox was open.
type record struct {
	of   hub.Address
	text string
}

// calls are what an inbox asks of a hub, bound to a context.
type calls struct {
	list  func() ([]*hub.Ticket, int, error)
	close func(*hub.Ticket, *sayso.Outcome) (*hub.Ticket, error)
	undo  func(*hub.Ticket) (*hub.Ticket, error)
	load  func(*hub.Ticket) (*hub.Draft, error)
	save  func(*hub.Ticket, *hub.Draft) error
	whole func(*hub.Ticket) (*sayso.Ask, error)

	attend func(*hub.Ticket) // nil: nobody wants to know
}

// NewInbox returns an inbox over the person's view of a hub. ctx bounds the calls
// that it makes. Of the options, those for drafts, for sending and for leaving are
// its own.
func NewInbox(ctx context.Context, in hub.Inbox, o *Options) *Inbox {
	b := &Inbox{
		o: o.withDefaults(), width: 80, height: 24, look: newLook(true), life: newLife(),
		closed: map[hub.Address]uint64{}, later: map[hub.Address]bool{}, fresh: map[hub.Address]int{},
		calls: calls{
			list:  func() ([]*hub.Ticket, int, error) { return listAll(ctx, in) },
			close: func(t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) { return in.Close(ctx, t, o) },
			undo:  func(t *hub.Ticket) (*hub.Ticket, error) { return in.Undo(ctx, t) },
			load:  func(t *hub.Ticket) (*hub.Draft, error) { return in.Draft(ctx, t) },
			save:  func(t *hub.Ticket, d *hub.Draft) error { return in.SaveDraft(ctx, t, d) },
			whole: func(t *hub.Ticket) (*sayso.Ask, error) { a, _, err := hub.Whole(ctx, in, t); return a, err },
		},
	}
	if a, ok := in.(attending); ok {
		b.calls.attend = func(t *hub.Ticket) { _ = a.Attend(ctx, t) } // a hub that does not learn it notifies
	}
	b.there.key = b.o.Now()
	return b
}

// Records returns a line for every ask that was closed while the inbox was open.
func (b *Inbox) Records() []string {
	lines := make([]string, len(b.records))
	for i, r := range b.records {
		lines[i] = r.text
	}
	return lines
}

// Init asks the terminal for its background.
func (b *Inbox) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, b.tick()) }

func (b *Inbox) tick() tea.Cmd { return b.life.after(20*time.Second, inboxTickMsg{b}) }

func (b *Inbox) vanish() { b.gone = true }

// highlighted returns the index of the highlighted ask, or the first.
func (b *Inbox) highlighted() int {
	return max(slices.IndexFunc(b.waiting, func(t *hub.Ticket) bool { return t.Address == b.cur }), 0)
}

// open shows an ask in the dialog. What was sent and undone is given back as it
// was; else an earlier draft is.
func (b *Inbox) open(t *hub.Ticket, sent []sayso.Answer) tea.Cmd {
	b.cur, b.shown, b.closing = t.Address, t, nil
	o := b.o
	o.Expire, o.Later = false, true // the hub does, and it holds the ask
	if b.calls.attend != nil {
		o.Attending = func(*sayso.Ask) { b.calls.attend(t) }
	}
	o.Whole = func(*sayso.Ask) (*sayso.Ask, error) { return b.calls.whole(t) }
	reply := "" // typed on another surface; not ours to drop
	o.LoadDraft = func(*sayso.Ask) ([]sayso.Answer, error) {
		d, err := b.calls.load(t)
		switch {
		case errors.Is(err, hub.ErrNotFound):
			return sent, nil
		case err != nil:
			return sent, err
		}
		reply = d.Reply
		if sent != nil {
			return sent, nil
		}
		return d.Answers, nil
	}
	o.SaveDraft = func(_ *sayso.Ask, answers []sayso.Answer) error {
		return b.calls.save(t, &hub.Draft{Answers: answers, Reply: reply})
	}
	o.Send = func(_ *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) {
		closed, err := b.calls.close(t, out)
		var lost *hub.ClosedError
		if errors.As(err, &lost) {
			return lost.Ticket.Outcome, nil
		}
		if err == nil {
			b.closing = closed // read when the dialog says that it is closed
		}
		return nil, err
	}
	m := New([]*sayso.Ask{t.Ask}, &o)
	m.width, m.height, m.look = b.width, b.height, b.look
	m.resize()
	f := m.forms[0]
	if sent != nil {
		f.restore(sent)
		f.touched = true // the person wanted it back
		f.drafts.changes = 1
	}
	b.dialog = m
	f.news = b.notice
	b.refresh()
	return m.show()
}

// refresh tells the dialog how many others wait, and what became of the ask before.
func (b *Inbox) refresh() {
	if b.dialog == nil {
		return
	}
	n := 0
	for _, t := range b.waiting {
		if t.Address != b.shown.Address {
			n++
		}
	}
	f := b.dialog.forms[0]
	if f.more = n; f.news != "" {
		f.news = b.line(b.dialog.column(nil) - 3)
	}
	b.dialog.draw()
}

// leave goes from the dialog to the next ask, or to the list.
func (b *Inbox) leave(msg ClosedMsg) tea.Cmd {
	was, closed := b.shown, b.closing
	b.o.History = b.dialog.o.History // own words are recalled in the next
	b.dialog.life.end()
	b.dialog, b.shown, b.closing = nil, nil, nil
	text := b.o.Words.Record(msg.Ask, msg.Outcome, b.o.By)
	b.notice, b.sent = text, closed != nil
	if msg.Outcome.Status == sayso.StatusPending {
		b.later[was.Address] = true
		return nil
	}
	b.records = append(b.records, record{was.Address, text})
	if b.undo = closed; closed != nil && !closed.Consumed.IsZero() {
		b.undo = nil // the agent has it
	}
	next := b.after(was)
	b.remove(was.Address, was.Revision)
	if next != nil {
		return b.open(next, nil)
	}
	return nil
}

// after returns the ask that waits longest among those after t, and then among
// those before, that the person has not left for later.
func (b *Inbox) after(t *hub.Ticket) *hub.Ticket {
	var first *hub.Ticket
	for _, w := range b.waiting {
		switch {
		case w.Address == t.Address || b.later[w.Address]:
		case older(t, w) < 0:
			return w
		case first == nil:
			first = w
		}
	}
	return first
}

// remove takes an ask off the list.
func (b *Inbox) remove(addr hub.Address, revision uint64) {
	b.closed[addr] = max(b.closed[addr], revision)
	at := slices.IndexFunc(b.waiting, func(t *hub.Ticket) bool { return t.Address == addr })
	if at < 0 {
		return
	}
	b.waiting = slices.Delete(b.waiting, at, at+1)
	if addr == b.cur && len(b.waiting) > 0 {
		b.cur = b.waiting[min(at, len(b.waiting)-1)].Address
	}
}

// put puts an open ask on the list, or a newer version of it. It reports whether the ask
// was not there before.
func (b *Inbox) put(t *hub.Ticket) bool {
	if rev, seen := b.closed[t.Address]; seen && t.Revision <= rev {
		return false
	}
	at := slices.IndexFunc(b.waiting, func(w *hub.Ticket) bool { return w.Address == t.Address })
	if at >= 0 {
		if b.waiting[at].Revision < t.Revision {
			b.waiting[at] = t
		}
		return false
	}
	b.waiting = append(b.waiting, t)
	slices.SortFunc(b.waiting, older)
	return true
}

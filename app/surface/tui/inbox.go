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
	records []string
	notice  string
	live    bool
	gone    bool

	width, height int
	look          look
	life          *life
}

var _ tea.Model = (*Inbox)(nil)

// calls are what an inbox asks of a hub, bound to a context.
type calls struct {
	list  func() ([]*hub.Ticket, int, error)
	close func(*hub.Ticket, *sayso.Outcome) (*hub.Ticket, error)
	load  func(*hub.Ticket) (*hub.Draft, error)
	save  func(*hub.Ticket, *hub.Draft) error
}

// NewInbox returns an inbox over the person's view of a hub. ctx bounds the calls
// that it makes. Of the options, those for drafts and for sending are its own.
func NewInbox(ctx context.Context, in hub.Inbox, o *Options) *Inbox {
	return &Inbox{
		o: o.withDefaults(), width: 80, height: 24, look: newLook(true), life: newLife(),
		closed: map[hub.Address]uint64{}, later: map[hub.Address]bool{}, fresh: map[hub.Address]int{},
		calls: calls{
			list:  func() ([]*hub.Ticket, int, error) { return listAll(ctx, in) },
			close: func(t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) { return in.Close(ctx, t, o) },
			load:  func(t *hub.Ticket) (*hub.Draft, error) { return in.Draft(ctx, t) },
			save:  func(t *hub.Ticket, d *hub.Draft) error { return in.SaveDraft(ctx, t, d) },
		},
	}
}

// Records returns a line for every ask that was closed while the inbox was open.
func (b *Inbox) Records() []string { return slices.Clone(b.records) }

// Init asks the terminal for its background.
func (b *Inbox) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, b.tick()) }

func (b *Inbox) tick() tea.Cmd { return b.life.after(20*time.Second, inboxTickMsg{b}) }

func (b *Inbox) vanish() { b.gone = true }

// highlighted returns the index of the highlighted ask, or the first.
func (b *Inbox) highlighted() int {
	return max(slices.IndexFunc(b.waiting, func(t *hub.Ticket) bool { return t.Address == b.cur }), 0)
}

// open shows an ask in the dialog.
func (b *Inbox) open(t *hub.Ticket) tea.Cmd {
	news := b.notice
	b.cur, b.shown, b.notice = t.Address, t, ""
	o := b.o
	o.Expire = false // the hub does
	reply := ""      // typed on another surface; not ours to drop
	o.LoadDraft = func(*sayso.Ask) ([]sayso.Answer, error) {
		d, err := b.calls.load(t)
		if errors.Is(err, hub.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		reply = d.Reply
		return d.Answers, nil
	}
	o.SaveDraft = func(_ *sayso.Ask, answers []sayso.Answer) error {
		return b.calls.save(t, &hub.Draft{Answers: answers, Reply: reply})
	}
	o.Send = func(_ *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) {
		_, err := b.calls.close(t, out)
		var lost *hub.ClosedError
		if errors.As(err, &lost) {
			return lost.Ticket.Outcome, nil
		}
		return nil, err
	}
	m := New([]*sayso.Ask{t.Ask}, &o)
	m.width, m.height, m.look = b.width, b.height, b.look
	m.resize()
	m.forms[0].news, m.forms[0].more = news, len(b.waiting)-1
	b.dialog = m
	return m.show()
}

// leave goes from the dialog to the next ask, or to the list.
func (b *Inbox) leave(msg ClosedMsg) tea.Cmd {
	was := b.shown
	b.o.History = b.dialog.o.History // own words are recalled in the next
	b.dialog.life.end()
	b.dialog, b.shown = nil, nil
	record := b.o.Words.Record(msg.Ask, msg.Outcome, b.o.By)
	if msg.Outcome.Status == sayso.StatusPending {
		b.later[was.Address] = true
		b.notice = record
		return nil
	}
	b.records = append(b.records, record)
	b.notice = record
	next := b.after(was)
	b.remove(was.Address, was.Revision)
	if next != nil {
		return b.open(next)
	}
	return nil
}

// after returns the ask that waits longest among those after t, and then among
// those before, that the person has not left for later.
func (b *Inbox) after(t *hub.Ticket) *hub.Ticket {
	at := slices.IndexFunc(b.waiting, func(w *hub.Ticket) bool { return w.Address == t.Address })
	for i := range b.waiting {
		w := b.waiting[(at+1+i)%len(b.waiting)]
		if w.Address != t.Address && !b.later[w.Address] {
			return w
		}
	}
	return nil
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

// put puts an open ask on the list, or a newer version of it.
func (b *Inbox) put(t *hub.Ticket) {
	if rev, seen := b.closed[t.Address]; seen && t.Revision <= rev {
		return
	}
	at := slices.IndexFunc(b.waiting, func(w *hub.Ticket) bool { return w.Address == t.Address })
	if at >= 0 {
		if b.waiting[at].Revision < t.Revision {
			b.waiting[at] = t
		}
		return
	}
	b.waiting = append(b.waiting, t)
	slices.SortFunc(b.waiting, older)
}

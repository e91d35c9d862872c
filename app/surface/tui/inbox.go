package tui

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Inbox shows everything that waits for a person, oldest first, and opens each in
// the same dialog, one after another: in a wide window beside the list, else in its
// place. Over a [hub.Desk] it also searches, holds answers so that they can be
// undone, shows what was answered before, and more; what the desk does not support it
// does not offer. It is a tea.Model. [RunInbox] runs it as a program; a host with a
// program of its own also runs [Inbox.Watch].
type Inbox struct {
	o     Options
	calls calls
	can   abilities

	waiting []*hub.Ticket            // open, oldest first
	beyond  int                      // how many more wait than are listed
	closed  map[hub.Address]uint64   // revisions at which asks were seen to be closed: lists may lag
	left    map[hub.Address]bool     // left open in the dialog
	later   map[hub.Address]hub.Item // snoozed, or delegated
	fresh   map[hub.Address]int      // the change that put an ask on the list
	changes int                      // how many changes came

	query query
	picks picks

	cur    hub.Address // the highlight stays on its ask
	top    int         // the first row in sight
	dialog *Model      // nil: the list has the keys
	shown  *hub.Ticket // what the dialog shows
	amends bool        // the dialog changes an answer that was given before
	peek   peek
	menu   *menu
	past   *past
	batch  *batch
	help   *scrolling

	given    []*given // what the person sent and can undo, the last one last
	closing  *given   // as the dialog has closed it
	records  []record
	notice   string
	sent     bool // the notice is about what was given last
	live     bool
	gone     bool
	counting bool // the seconds of what is held
	there    presence

	people []string
	grace  atomic.Int64 // a duration; commands read it
	zone   *time.Location

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
	active func()            // nil: nobody wants to know

	desk deskCalls
}

// NewInbox returns an inbox over the person's view of a hub. ctx bounds the calls
// that it makes. Of the options, those for drafts, for sending and for leaving are
// its own.
func NewInbox(ctx context.Context, in hub.Inbox, o *Options) *Inbox {
	b := &Inbox{
		o: o.withDefaults(), width: 80, height: 24, look: newLook(true), life: newLife(),
		closed: map[hub.Address]uint64{}, left: map[hub.Address]bool{}, fresh: map[hub.Address]int{},
		later: map[hub.Address]hub.Item{}, zone: time.Local,
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
	if a, ok := in.(active); ok {
		b.calls.active = func() { _ = a.Active(ctx) } // what waits until they are back waits on
	}
	if d, ok := in.(hub.Desk); ok {
		b.sitAt(ctx, d)
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

// Init asks the terminal for its background, and the hub for what the person has
// chosen.
func (b *Inbox) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, b.tick(), b.settle())
}

// tick lets ages grow, and the seconds of what is held fall.
func (b *Inbox) tick() tea.Cmd { return b.life.after(20*time.Second, inboxTickMsg{b}) }

func (b *Inbox) vanish() { b.gone = true }

// remove takes an ask off the list.
func (b *Inbox) remove(addr hub.Address, revision uint64) {
	b.closed[addr] = max(b.closed[addr], revision)
	b.query.remove(addr)
	at := slices.IndexFunc(b.waiting, func(t *hub.Ticket) bool { return t.Address == addr })
	if at < 0 {
		return
	}
	rows := b.rows()
	row := slices.IndexFunc(rows, func(i hub.Item) bool { return i.Address == addr })
	b.waiting = slices.Delete(b.waiting, at, at+1)
	if rows = b.rows(); addr == b.cur && len(rows) > 0 {
		b.cur = rows[min(max(row, 0), len(rows)-1)].Address
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

// unsupported reports whether a hub does not offer something at all.
func unsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

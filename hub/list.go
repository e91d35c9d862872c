package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// AnyStatus in a [Filter] selects open and closed tickets alike.
const AnyStatus sayso.Status = "any"

// Filter selects tickets of a tenant. Nil, and empty fields, mean the defaults.
type Filter struct {
	Person       string       // those that this person may answer, in the person's own inbox and in the shared one; default: all
	Asker        string       // those of this asker; default: all
	Conversation string       // default: all
	Status       sayso.Status // default: pending, the open ones
	Unconsumed   bool         // those that are open, and those whose asker has not had the outcome; the status does not count then
	Limit        int          // tickets in a page; default 100, at most 1000
	Bytes        int          // a page ends once its tickets have as many; default: [PageBytes]
	Cursor       string       // Tickets.Next of the page before

	// Desk says that it is what Person sees at an inbox, also the only person there is:
	// [Hub.Watch] and [Hub.Follow] tell a ticket again when that person snoozes it or the
	// snooze ends. Default: that is told only where Person has a name.
	Desk bool

	nobody bool // those without an asker
}

// Tickets is a page of a list.
type Tickets struct {
	Tickets []*Ticket
	Next    string // empty at the end; a page may be short and still have a next one

	// Damaged says which records could not be read. They do not keep the others
	// from being listed.
	Damaged []error

	// Looked is how many records were looked at for the page, also those that the
	// filter left out, and Scanned how many bytes those have.
	Looked, Scanned int
}

// List returns a page of the tenant's tickets, in an order of the store's own. It
// may lag behind what was just stored. A ticket whose deadline has passed is
// closed first.
func (h *Hub) List(ctx context.Context, tenant string, f *Filter) (*Tickets, error) {
	if tenant == "" {
		return nil, errors.New("hub: listing: no tenant")
	}
	if f == nil {
		f = &Filter{}
	}
	limit, bytes := min(cmp.Or(f.Limit, 100), 1000), cmp.Or(f.Bytes, PageBytes)
	place, err := f.start(tenant)
	if err != nil {
		return nil, err
	}
	out, size := &Tickets{}, 0
	// A page that the store filled and the filter emptied is no page; but nobody
	// should wait for a search through everything, either.
	for range 10 {
		q := place.query
		q.Limit, q.Bytes = limit-len(out.Tickets), bytes
		page, err := h.pageOf(ctx, place, q)
		if err != nil {
			return nil, fmt.Errorf("hub: listing: %w", err)
		}
		for _, r := range page.Records {
			h.show(ctx, r, f, out)
			size += len(r.Data)
		}
		out.Looked, out.Scanned = out.Looked+page.Looked, out.Scanned+page.Scanned
		if !place.next(page.Next) {
			out.Next = ""
			return out, nil
		}
		out.Next = place.cursor()
		if len(out.Tickets) >= limit || size >= bytes {
			break
		}
	}
	return out, nil
}

// show adds the ticket of a record to the page if the filter selects it.
func (h *Hub) show(ctx context.Context, r Record, f *Filter, out *Tickets) {
	t, err := ticketOf(r, nil)
	if err != nil {
		out.Damaged = append(out.Damaged, err)
		return
	}
	t = h.shown(ctx, t)
	if f.match(t) {
		out.Tickets = append(out.Tickets, t)
	}
}

// shown returns a ticket that was listed, closed if its deadline has passed. If
// that cannot be stored now, it is shown as it is stored: open. One that is open may
// be overdue before anybody else here hears of it.
func (h *Hub) shown(ctx context.Context, t *Ticket) *Ticket {
	if late, err := h.punctual(ctx, t); err == nil {
		t = late
	}
	if t.Open() {
		h.deadlines.add(t.Address, t.due(), t.Revision)
	}
	return t
}

func (f *Filter) match(t *Ticket) bool {
	switch {
	case f.Conversation != "" && f.Conversation != t.Address.Conversation:
		return false
	case f.Person != "" && !t.MayAnswer(f.Person):
		return false
	case (f.Asker != "" || f.nobody) && f.Asker != t.Ask.Origin.Asker:
		return false
	case f.Unconsumed:
		return t.Consumed.IsZero()
	}
	want := cmp.Or(f.Status, sayso.StatusPending)
	return want == AnyStatus || want == t.Status()
}

// walk is how far a list has come. A person's list goes through two inboxes, and then
// through what lies in another's and was delegated to the person.
type walk struct {
	query  Query
	shared bool   // in the shared inbox now
	given  bool   // behind it
	person string // of whom the list is; empty: of all
}

func (f *Filter) start(tenant string) (*walk, error) {
	w := &walk{query: Query{Tenant: tenant, Conversation: f.Conversation}, person: f.Person}
	if f.Asker != "" || f.nobody {
		token := AskerToken(f.Asker)
		w.query.Asker = &token
	}
	switch {
	case f.Unconsumed:
		w.query.Settled = new(bool)
	case f.Status == "" || f.Status == sayso.StatusPending:
		w.query.Closed = new(bool)
	case f.Status == AnyStatus:
	default:
		closed := true
		w.query.Closed = &closed
	}
	cursor := f.Cursor
	if w.person != "" {
		w.query.Person = &f.Person
		if cursor != "" {
			switch cursor[0] {
			case 'o':
			case 's':
				w.share()
			case 'g':
				w.share()
				w.given = true
			default:
				return nil, fmt.Errorf("hub: listing: %q is not a cursor of this list", f.Cursor)
			}
			cursor = cursor[1:]
		}
	}
	w.query.Cursor = cursor
	return w, nil
}

func (w *walk) share() {
	w.shared = true
	w.query.Person = new(string)
}

// next moves on, and reports whether there is anywhere to go.
func (w *walk) next(cursor string) bool {
	w.query.Cursor = cursor
	switch {
	case cursor != "":
	case w.person != "" && !w.shared:
		w.share()
	case w.person != "" && !w.given:
		w.given = true
	default:
		return false
	}
	return true
}

func (w *walk) cursor() string {
	switch {
	case w.person == "":
		return w.query.Cursor
	case w.given:
		return "g" + w.query.Cursor
	case w.shared:
		return "s" + w.query.Cursor
	}
	return "o" + w.query.Cursor
}

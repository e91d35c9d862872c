package hub

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
)

// Search selects what an inbox shows. Every field that is set has to match. Nil, and
// empty fields, mean the defaults.
type Search struct {
	Text string // words, each at the beginning of a word of the questions, bodies, options, answers, notes, names; default: all
	View View   // default: [ViewOpen]

	Agent        string        // one in the chain of agents, or the host
	Asker        string        // whose credential asked
	Workspace    string        //
	Branch       string        //
	Conversation string        //
	Person       string        // whom it is to, or was delegated to, or who answered it
	Kind         sayso.AskKind // default: questions and approvals
	Approval     string        // the kind of approval: shell, edit …
	Status       sayso.Status  // of a closed one
	Digest       string        // of identical asks
	Blocking     bool          // something waits behind it
	After        time.Time     // asked, or if it is closed, closed at or after this time
	Before       time.Time     // before this time

	Order  Order  // default: the oldest first of what is open, the newest first of what is closed
	Facets bool   // count the values that filters can have
	Limit  int    // default 50, at most 1000; a page of large asks ends sooner, see [PageBytes]
	Cursor string // Found.Next of the page before
}

// View is which asks a [Search] is about.
type View string

// The views.
const (
	ViewOpen   View = "open"   // what waits for the person now
	ViewLater  View = "later"  // what the person has snoozed, or delegated
	ViewClosed View = "closed" // the history
	ViewAll    View = "all"
)

// Views returns every view.
func Views() []View { return []View{ViewOpen, ViewLater, ViewClosed, ViewAll} }

// Order is in which order a [Search] returns asks.
type Order string

// The orders.
const (
	OrderOldest   Order = "oldest"
	OrderNewest   Order = "newest"
	OrderBlocking Order = "blocking" // what holds up most is first
)

// Orders returns every order.
func Orders() []Order { return []Order{OrderOldest, OrderNewest, OrderBlocking} }

// Found is a page of what a [Search] found.
type Found struct {
	Items   []Item
	Next    string             // empty at the end
	Total   int                // how many match in all
	Waiting int                // how many wait for the person now, whatever the search is
	Facets  map[string][]Facet // by the name of a filter: agent, asker, workspace, branch, conversation, person, kind
}

// Item is an ask as an inbox lists it.
type Item struct {
	*Ticket
	Snoozed *Snooze // the person does not want to see it now
	Same    int     // other open asks that are identical and that the person may answer
}

// Facet is a value of a filter, and how many asks of the view have it.
type Facet struct {
	Value string
	Count int
}

// ErrSearch says that a [Search] is none: a view, an order or a cursor that is not
// known.
var ErrSearch = errors.New("hub: not a search")

func (in *inbox) Search(ctx context.Context, s *Search) (*Found, error) {
	return in.hub.Search(ctx, in.tenant, in.by.ID, s)
}

// Search returns a page of what a person may see of the tenant's asks, open and closed.
// An empty person is the only one there is, and sees every ask.
//
// It looks at an index in memory, which the first search makes of what is stored and
// which is dropped when nobody has searched for a while. What this hub stores is found
// at once, what others store as soon as it hears of it. The tickets are those that are
// stored now. Of more than 300,000 asks, those that were closed first are not found.
//
// If the store cannot be read, the error says so, at the latest after about
// [Options].Patience. The next search tries again.
func (h *Hub) Search(ctx context.Context, tenant, person string, s *Search) (*Found, error) {
	q, err := h.query(ctx, tenant, person, s)
	if err != nil {
		return nil, err
	}
	x, err := h.index(ctx, tenant, q.view == ViewClosed || q.view == ViewAll)
	if err != nil {
		return nil, fmt.Errorf("hub: searching: %w", err)
	}
	limit, size := min(cmp.Or(max(s.limit(), 0), 50), 1000), 0
	found := &Found{}
	for first := true; ; first = false {
		p := x.page(q, limit-len(found.Items)+1)
		if first {
			found.Total, found.Waiting, found.Facets = p.total, p.waiting, p.facets
		}
		more := len(p.hits) > limit-len(found.Items)
		if more {
			p.hits = p.hits[:limit-len(found.Items)]
		}
		for some := range slices.Chunk(p.hits, searchChunk) {
			q.after = some[len(some)-1]
			tickets, err := h.readHits(ctx, x, some)
			if err != nil {
				return nil, fmt.Errorf("hub: searching: %w", err)
			}
			for i, t := range tickets {
				if t != nil && x.still(q, some[i], t) {
					found.Items, size = append(found.Items, q.item(t)), size+t.Size()
				} else if first { // it was counted, and is not what it was
					found.Total--
				}
			}
			if size >= PageBytes {
				more = more || q.after != p.hits[len(p.hits)-1]
				break
			}
		}
		if more && (len(found.Items) == limit || size >= PageBytes) {
			found.Next = q.cursor()
		}
		if !more || found.Next != "" {
			break
		}
	}
	x.same(q, found.Items)
	return found, nil
}

// item returns a ticket as the person's inbox lists it.
func (q *searchQuery) item(t *Ticket) Item {
	it := Item{Ticket: t}
	if s, ok := q.snoozed[t.Address]; ok && t.Open() {
		it.Snoozed = &s
	}
	return it
}

func (s *Search) limit() int {
	if s == nil {
		return 0
	}
	return s.Limit
}

// query checks a search and fills in the defaults.
func (h *Hub) query(ctx context.Context, tenant, person string, s *Search) (*searchQuery, error) {
	if tenant == "" {
		return nil, errors.New("hub: searching: no tenant")
	}
	if s == nil {
		s = &Search{}
	}
	q := &searchQuery{Search: s, view: cmp.Or(s.View, ViewOpen), order: s.Order, person: person, now: h.now().UnixNano()}
	switch q.view {
	case ViewOpen, ViewLater:
		q.order = cmp.Or(q.order, OrderOldest)
	case ViewClosed, ViewAll:
		q.order = cmp.Or(q.order, OrderNewest)
	default:
		return nil, fmt.Errorf("%w: %q is not a view; use open, later, closed or all", ErrSearch, s.View)
	}
	if !slices.Contains(Orders(), q.order) {
		return nil, fmt.Errorf("%w: %q is not an order; use oldest, newest or blocking", ErrSearch, s.Order)
	}
	if s.Kind != "" && s.Kind != sayso.AskQuestions && s.Kind != sayso.AskApproval {
		return nil, fmt.Errorf("%w: %q is not a kind; use questions or approval", ErrSearch, s.Kind)
	}
	if s.Approval != "" && !slices.Contains(sayso.ApprovalKinds(), sayso.ApprovalKind(s.Approval)) {
		return nil, fmt.Errorf("%w: %q is not a kind of approval; use one of %v", ErrSearch, s.Approval, sayso.ApprovalKinds())
	}
	if s.Status != "" && !slices.Contains(sayso.Statuses(), s.Status) {
		return nil, fmt.Errorf("%w: %q is not a status; use one of %v", ErrSearch, s.Status, sayso.Statuses())
	}
	var err error
	if s.Cursor != "" {
		if q.after, err = parseCursor(q.order, s.Cursor); err != nil {
			return nil, err
		}
	}
	q.snoozed, err = h.Snoozed(ctx, tenant, person)
	return q, err
}

const (
	searchReaders = 8  // of one search read at the same time
	searchChunk   = 64 // tickets are read, and then it is seen whether the page is full
)

// readHits reads the tickets of hits; nil stands for one that is not stored any more.
func (h *Hub) readHits(ctx context.Context, x *searchIndex, hits []*searchHit) ([]*Ticket, error) {
	tickets, errs := make([]*Ticket, len(hits)), make([]error, len(hits))
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(searchReaders, len(hits)) {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(hits); i = int(next.Add(1)) - 1 {
				t, err := h.read(ctx, hits[i].addr, nil)
				var corrupt *CorruptError
				switch {
				case errors.Is(err, ErrNotFound), errors.As(err, &corrupt):
					x.forget(&hits[i].addr)
				case err != nil:
					errs[i] = err
				default:
					tickets[i] = h.shown(ctx, t)
				}
			}
		})
	}
	work.Wait()
	return tickets, errors.Join(errs...)
}

// cursor is where the page ends.
func (q *searchQuery) cursor() string {
	a := q.after
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "1 %s %d %d %s %s", q.order, a.blocked, a.when, a.asker, a.id))
}

func parseCursor(o Order, cursor string) (*searchHit, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(text), " ", 6)
	if err == nil && len(parts) == 6 && parts[0] == "1" && parts[1] == string(o) {
		blocked, err1 := strconv.ParseUint(parts[2], 10, 8)
		when, err2 := strconv.ParseInt(parts[3], 10, 64)
		if err1 == nil && err2 == nil {
			return &searchHit{blocked: uint8(blocked), when: when, asker: parts[4], id: parts[5]}, nil
		}
	}
	return nil, fmt.Errorf("%w: %q is not a cursor of this search; begin again without one", ErrSearch, cursor)
}

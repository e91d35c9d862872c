package tui

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

const (
	pageSize    = 100                    // rows that a search returns at first
	pageMax     = 1000                   // and at most
	searchPause = 200 * time.Millisecond // after a letter, or a change
)

// query is what the list shows: what waits, or what a search finds.
type query struct {
	hub.Search
	field   *field     // the person types what to look for
	from    hub.View   // the view before they did
	found   *hub.Found // nil: nothing yet
	grouped bool       // by conversation
	asked   int        // searches begun
	pausing bool       // one begins soon
}

type (
	foundMsg struct {
		inbox *Inbox
		asked int
		more  bool // it is a further page
		found *hub.Found
		err   error
	}
	searchMsg struct{ inbox *Inbox }
)

// view is which asks are listed.
func (q *query) view() hub.View {
	if q.View == "" {
		return hub.ViewOpen
	}
	return q.View
}

// filtered reports whether a filter is set.
func (q *query) filtered() bool {
	s := q.Search
	return s.Agent != "" || s.Asker != "" || s.Workspace != "" || s.Branch != "" || s.Conversation != "" ||
		s.Person != "" || s.Kind != "" || s.Blocking || !s.After.IsZero() || !s.Before.IsZero()
}

// plain reports whether the list is what waits, and nothing else.
func (q *query) plain() bool { return q.view() == hub.ViewOpen && q.Text == "" && !q.filtered() }

// remove takes an ask out of what was found, if closed ones are not listed.
func (q *query) remove(addr hub.Address) {
	if q.found != nil && (q.view() == hub.ViewOpen || q.view() == hub.ViewLater) {
		q.found.Items = slices.DeleteFunc(q.found.Items, func(i hub.Item) bool { return i.Address == addr })
	}
}

// rows are the asks of the list, in its order.
func (b *Inbox) rows() []hub.Item {
	var rows []hub.Item
	switch {
	case b.query.plain():
		rows = b.plainRows()
	case b.query.found != nil:
		rows = b.query.found.Items
	}
	if b.query.grouped {
		rows = grouped(rows)
	}
	return rows
}

// plainRows are what waits and was not left for later.
func (b *Inbox) plainRows() []hub.Item {
	rows := make([]hub.Item, 0, len(b.waiting))
	for _, t := range b.waiting {
		if !b.isLater(t.Address) {
			rows = append(rows, hub.Item{Ticket: t})
		}
	}
	return rows
}

// isLater reports whether the person does not want to see an ask now.
func (b *Inbox) isLater(addr hub.Address) bool {
	i, there := b.later[addr]
	if s := i.Snoozed; there && s != nil && !s.Back && !s.Until.IsZero() {
		return b.o.Now().Before(s.Until)
	}
	return there
}

// grouped returns the rows with those of one conversation together, in the order of
// the first of each.
func grouped(rows []hub.Item) []hub.Item {
	at, groups := map[string]int{}, [][]hub.Item(nil)
	for _, r := range rows {
		key := r.Address.Conversation
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return slices.Concat(groups...)
}

// highlighted returns the index of the highlighted ask, or the first.
func (b *Inbox) highlighted(rows []hub.Item) int {
	return max(slices.IndexFunc(rows, func(i hub.Item) bool { return i.Address == b.cur }), 0)
}

// current is the ask that a key in the list is about.
func (b *Inbox) current() *hub.Item {
	rows := b.rows()
	if len(rows) == 0 {
		return nil
	}
	return &rows[b.highlighted(rows)]
}

// search looks again for what the list shows.
func (b *Inbox) search() tea.Cmd {
	if b.query.plain() || !b.can.search {
		return nil
	}
	s := b.query.Search
	s.Limit = pageSize
	if f := b.query.found; f != nil {
		s.Limit = min(max(s.Limit, len(f.Items)), pageMax)
	}
	return b.ask(s, false)
}

func (b *Inbox) ask(s hub.Search, more bool) tea.Cmd {
	b.query.asked++
	n := b.query.asked
	return func() tea.Msg {
		found, err := b.calls.desk.search(&s)
		return foundMsg{b, n, more, found, err}
	}
}

// searchSoon searches when the person, or the hub, pauses.
func (b *Inbox) searchSoon() tea.Cmd {
	if b.query.pausing || b.query.plain() && b.query.field == nil {
		return nil
	}
	b.query.pausing = true
	return b.life.after(searchPause, searchMsg{b})
}

// more fetches the next page where the highlight is near the end of this one.
func (b *Inbox) more() tea.Cmd {
	f := b.query.found
	if b.query.plain() || f == nil || f.Next == "" || len(f.Items) >= 20*pageMax {
		return nil
	}
	if rows := b.rows(); b.highlighted(rows) < len(rows)-20 {
		return nil
	}
	s := b.query.Search
	s.Limit, s.Cursor = pageSize, f.Next
	f.Next = "" // it is on its way
	return b.ask(s, true)
}

// found takes what a search found.
func (b *Inbox) found(msg foundMsg) tea.Cmd {
	q := &b.query
	switch {
	case msg.asked != q.asked:
		return nil // a newer one is under way
	case unsupported(msg.err):
		b.can.search = false
		b.lookFor(hub.Search{})
		return nil
	case errors.Is(msg.err, sayso.ErrUnreachable):
		return b.relist() // and then search
	case msg.err != nil:
		b.notice, b.sent = b.o.Words.trouble(msg.err), false
		return nil
	case msg.more && q.found != nil:
		q.found.Items, q.found.Next = append(q.found.Items, msg.found.Items...), msg.found.Next
	default:
		q.found = msg.found
	}
	if rows := b.rows(); len(rows) > 0 && b.dialog == nil && b.past == nil {
		b.cur = rows[b.highlighted(rows)].Address
	}
	return nil
}

// lookFor lists something else, from its beginning.
func (b *Inbox) lookFor(s hub.Search) tea.Cmd {
	b.query.Search, b.query.found = s, nil
	b.top, b.cur, b.notice = 0, hub.Address{}, ""
	b.picks = picks{}
	return b.search()
}

// count is how many asks wait for the person now.
func (b *Inbox) count() int { return len(b.plainRows()) + b.beyond }

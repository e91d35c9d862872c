package hub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An ask that was delegated stays where it is. If that is the inbox of one person, each
// person it was delegated to has a record that points there. It is stored before the
// ask says so, and again with every change of the ask: so a list of the person has the
// ask, and whoever watches or follows hears of it.

// give points a person to an ask in another's inbox.
func (h *Hub) give(ctx context.Context, person string, ask Address, ttl time.Duration) error {
	return h.putPerson(ctx, Record{Address: aboutAsk(isGiven, person, ask), TTL: ttl}, &about{Ask: ask, Given: true})
}

// tellGiven tells those of a change who do not listen where the ask is. The change is
// stored: who is not told reads it when they list or come back.
func (h *Hub) tellGiven(ctx context.Context, t *Ticket) {
	for person := range t.givenTo() {
		ttl := time.Duration(0)
		if !t.Open() {
			ttl = h.opts.KeepUnconsumed
		}
		_ = h.give(ctx, person, t.Address, ttl)
	}
}

// givenTo are those whom the ask was delegated to, and who do not look where it is.
func (t *Ticket) givenTo() map[string]struct{} {
	if t.Address.Person == "" || len(t.Passed) == 0 {
		return nil
	}
	all := map[string]struct{}{}
	for _, p := range t.Passed {
		if p.To != t.Address.Person {
			all[p.To] = struct{}{}
		}
	}
	return all
}

// given returns where the asks are that a person was pointed to.
func (h *Hub) given(ctx context.Context, tenant, person string) ([]Address, error) {
	st, err := h.personOf(ctx, tenant, person)
	if err != nil {
		return nil, err
	}
	st.mu.Lock()
	all := slices.Collect(maps.Values(st.given))
	st.mu.Unlock()
	asks := make([]Address, len(all))
	for i := range all {
		asks[i] = all[i].Ask
	}
	slices.SortFunc(asks, compareAddresses)
	return asks, nil
}

// pageOf returns the page of a list at which it is.
func (h *Hub) pageOf(ctx context.Context, w *walk, q Query) (Page, error) {
	if !w.given {
		return h.store.List(ctx, q)
	}
	asks, err := h.given(ctx, q.Tenant, w.person)
	if err != nil {
		return Page{}, err
	}
	from := 0
	if q.Cursor != "" {
		if from, err = strconv.Atoi(q.Cursor); err != nil || from < 0 {
			return Page{}, fmt.Errorf("%q is not a cursor of this list", q.Cursor)
		}
	}
	page, bytes := Page{}, q.Bytes
	if bytes == 0 {
		bytes = PageBytes
	}
	q.Person, q.After = nil, nil
	for i := from; i < len(asks); i++ {
		if len(page.Records) >= q.Limit || page.Scanned >= bytes {
			page.Next = strconv.Itoa(i)
			break
		}
		r, err := h.record(ctx, asks[i])
		if errors.Is(err, ErrNotFound) {
			_ = h.putPerson(ctx, Record{Address: aboutAsk(isGiven, w.person, asks[i]), TTL: time.Minute}, &about{Ask: asks[i]})
			continue
		}
		if err != nil {
			return Page{}, err
		}
		page.Looked, page.Scanned = page.Looked+1, page.Scanned+len(r.Data)
		if q.Match(r) {
			page.Records = append(page.Records, r)
		}
	}
	return page, nil
}

// aside tells a record that the position of the follower is not about.
func (f *Follower) aside(ctx context.Context, r Record, steps []step) []step {
	p := f.page
	if p.after == nil {
		steps = f.listed(ctx, r, steps)
		delete(p.told, r.Address)
		f.noteGiven(r.Address, r.Revision)
		return steps
	}
	return append(steps, step{change: f.hub.recent.change(r, f.hub.waiting.asked), FollowEvent: FollowEvent{ID: f.id()}})
}

// isNews reports whether a ticket is to be told. Of what lies in another's inbox each
// revision is told once; what the person did to an ask is told although the ask has
// not changed.
func (f *Follower) isNews(r Record, t *Ticket) bool {
	switch {
	case f.filter.Person == "" || t.Address.Person == "" || t.Address.Person == f.filter.Person:
		return true
	case r.Kind == KindPerson && strings.HasPrefix(r.Address.ID, isSnooze):
		return true
	case t.Revision <= f.given[t.Address]:
		return false
	}
	f.noteGiven(t.Address, t.Revision)
	return true
}

func (f *Follower) noteGiven(addr Address, revision uint64) {
	if f.given == nil {
		f.given = map[Address]uint64{}
	}
	f.given[addr] = max(f.given[addr], revision)
}

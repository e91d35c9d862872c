package hubtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// listAll reads a list to its end, however it is cut into pages. Lists may lag,
// so it reads again until there are as many records as wanted.
func listAll(t *testing.T, store hub.Store, q hub.Query, want int) []hub.Record {
	t.Helper()
	var all []hub.Record
	eventually(t, fmt.Sprintf("a list of %d", want), func() bool {
		all = list(t, store, q, nil)
		return len(all) == want
	})
	return all
}

// list reads a list once and calls between between two pages.
func list(t *testing.T, store hub.Store, q hub.Query, between func(page int)) (all []hub.Record) {
	t.Helper()
	ctx := within(t)
	for n := 1; ; n++ {
		page := must[hub.Page](t)(store.List(ctx, q))
		limit := q.Limit
		if limit == 0 {
			limit = 100
		}
		if len(page.Records) > limit {
			t.Fatalf("a page of %d records, the limit is %d", len(page.Records), limit)
		}
		all = append(all, page.Records...)
		if page.Next == "" {
			return all
		}
		if n > 10_000 {
			t.Fatal("the list does not end")
		}
		q.Cursor = page.Next
		if between != nil {
			between(n)
		}
	}
}

func (s *suite) testListFilters(t *testing.T) {
	store, ctx := s.new(t), within(t)
	base := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []hub.Record
	for _, tenant := range []string{"acme", "other"} {
		for _, person := range []string{"", "alice", "bob"} {
			for _, conversation := range []string{"", "c1", "c2"} {
				for i := range 4 {
					r := hub.Record{
						Kind:    hub.KindTicket,
						Address: hub.Address{Tenant: tenant, Person: person, Asker: []string{"", "x7"}[i/2], Conversation: conversation, ID: fmt.Sprint(i)},
						Closed:  i%2 == 1,
						Settled: i == 3,
					}
					if i == 0 || i == 2 {
						r.Due = base.Add(time.Duration(i) * time.Hour)
					}
					r.Data = fmt.Append(nil, r.Address)
					r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
					all = append(all, r)
				}
			}
		}
	}
	yes, no, nobody, alice, carol, asker := true, false, "", "alice", "carol", "x7"
	for _, q := range []hub.Query{
		{},
		{Tenant: "acme"},
		{Tenant: "none"},
		{Tenant: "acme", Person: &alice},
		{Tenant: "acme", Person: &nobody},
		{Tenant: "acme", Person: &carol},
		{Tenant: "acme", Conversation: "c1"},
		{Tenant: "acme", Person: &alice, Conversation: "c2"},
		{Tenant: "acme", Person: &nobody, Closed: &no},
		{Tenant: "acme", Closed: &yes},
		{Tenant: "other", Conversation: "c1", Closed: &no},
		{Tenant: "acme", Asker: &asker},
		{Tenant: "acme", Asker: &nobody},
		{Tenant: "acme", Asker: &asker, Closed: &no},
		{Tenant: "acme", Asker: &asker, Conversation: "c1"},
		{Tenant: "acme", Person: &alice, Asker: &asker},
		{Tenant: "acme", Settled: &yes},
		{Tenant: "acme", Closed: &yes, Settled: &no},
		{Due: base.Add(time.Hour), Closed: &no},
		{Due: base.Add(2 * time.Hour)},
		{Tenant: "acme", Due: base.Add(-time.Second)},
	} {
		for _, q.Limit = range []int{0, 3} {
			want := map[hub.Address]hub.Record{}
			for _, r := range all {
				if q.Match(r) {
					want[r.Address] = r
				}
			}
			for _, r := range listAll(t, store, q, len(want)) {
				if !same(r, want[r.Address]) {
					t.Errorf("%+v lists %+v, want %+v", q, r, want[r.Address])
				}
				delete(want, r.Address)
			}
			for addr := range want {
				t.Errorf("%+v does not list %v", q, addr)
			}
		}
	}
}

func (s *suite) testListPages(t *testing.T) {
	store, ctx := s.new(t), within(t)
	const n = 257
	for i := range n {
		must[uint64](t)(store.Put(ctx, rec(fmt.Sprint(i), "x"), 0))
	}
	for _, limit := range []int{0, 1, 10, 100, 256, 257, 258, 1000} {
		seen := map[hub.Address]int{}
		for _, r := range listAll(t, store, hub.Query{Tenant: "acme", Limit: limit}, n) {
			seen[r.Address]++
		}
		if len(seen) != n {
			t.Errorf("pages of %d hold %d of %d records", limit, len(seen), n)
		}
	}
	if _, err := store.List(ctx, hub.Query{Tenant: "acme", Cursor: "no such cursor"}); err == nil {
		t.Error("a cursor that was never given out is taken")
	}
}

// testListBytes wants a page to end when it has looked at enough, also at what it
// leaves out.
func (s *suite) testListBytes(t *testing.T) {
	store, ctx := s.new(t), within(t)
	const n, size = 40, 100_000
	for i := range n {
		r := rec(fmt.Sprint(i), strings.Repeat("x", size))
		r.Closed = i%8 != 0
		must[uint64](t)(store.Put(ctx, r, 0))
	}
	no := false
	for _, c := range []struct {
		q    hub.Query
		want int
	}{
		{hub.Query{Tenant: "acme", Limit: 1000, Bytes: 10 * size}, n},
		{hub.Query{Tenant: "acme", Limit: 1000, Bytes: 10 * size, Closed: &no}, n / 8},
		{hub.Query{Tenant: "acme", Limit: 1000, Bytes: 1}, n},
	} {
		listAll(t, store, c.q, c.want)
		for found, q := 0, c.q; ; {
			page := must[hub.Page](t)(store.List(ctx, q))
			if page.Scanned >= q.Bytes+2*size || page.Scanned < len(page.Records)*size || page.Looked < len(page.Records) {
				t.Errorf("%d bytes were looked at for %d records of a page of %d bytes", page.Scanned, len(page.Records), q.Bytes)
			}
			if found += len(page.Records); page.Next == "" {
				if found != c.want {
					t.Errorf("pages of %d bytes hold %d of %d records", q.Bytes, found, c.want)
				}
				break
			}
			q.Cursor = page.Next
		}
	}
}

// testListUnderWrites changes, adds and closes records between pages.
func (s *suite) testListUnderWrites(t *testing.T) {
	store, ctx := s.new(t), within(t)
	const n = 60
	revisions := map[string]uint64{}
	write := func(id string, closed bool) {
		r := rec(id, "x")
		r.Closed = closed
		revisions[id] = must[uint64](t)(put(ctx, store, r, revisions[id]))
	}
	for i := range n {
		write(fmt.Sprint(i), false)
	}
	no := false
	q := hub.Query{Tenant: "acme", Closed: &no, Limit: 10}
	listAll(t, store, q, n)
	seen := map[string]int{}
	for _, r := range list(t, store, q, func(page int) {
		switch page {
		case 1:
			write("3", false) // changed
			write("40", false)
		case 2:
			write("5", true) // closed
			write("45", true)
		case 3:
			write("new", false)
		}
	}) {
		seen[r.Address.ID]++
	}
	for i := range n {
		switch id := fmt.Sprint(i); id {
		case "3", "40":
			if seen[id] == 0 {
				t.Errorf("record %s was changed and is missed", id)
			}
		case "5", "45": // may be there or not
		default:
			if seen[id] != 1 {
				t.Errorf("record %s was left alone and comes %d times", id, seen[id])
			}
		}
	}
}

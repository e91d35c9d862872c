package natsstore_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// fill puts n tickets of one person, each third closed.
func fill(t testing.TB, s *natsstore.Store, person string, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := w; i < n; i += 32 {
				r := ticket(i, person, fmt.Sprintf("%s %d", person, i))
				r.Closed = i%3 == 0
				if _, err := s.Put(t.Context(), r, 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// all reads a list to its end and counts how often each record came.
func all(t testing.TB, s *natsstore.Store, q hub.Query) (seen map[hub.Address]int, pages int) {
	t.Helper()
	seen = map[hub.Address]int{}
	for {
		p, err := s.List(t.Context(), q)
		must(t, err)
		pages++
		if len(p.Records) > max(q.Limit, 100) {
			t.Fatalf("a page has %d records, the limit is %d", len(p.Records), q.Limit)
		}
		for _, r := range p.Records {
			if !q.Match(r) || len(r.Data) == 0 {
				t.Fatalf("%+v does not match %+v", r, q)
			}
			seen[r.Address]++
		}
		if p.Next == "" {
			return seen, pages
		}
		q.Cursor = p.Next
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			s := alone(t, &natsstore.Options{Shards: shards})
			fill(t, s, "ann", 250)
			fill(t, s, "bob", 10)
			fill(t, s, "", 10)
			ann, shared, open := "ann", "", false
			for _, c := range []struct {
				q    hub.Query
				want int
			}{
				{hub.Query{Tenant: "acme", Person: &ann}, 250},
				{hub.Query{Tenant: "acme", Person: &ann, Limit: 7}, 250},
				{hub.Query{Tenant: "acme", Person: &ann, Closed: &open, Limit: 20}, 166},
				{hub.Query{Tenant: "acme", Person: &shared}, 10},
				{hub.Query{Tenant: "acme"}, 270},
				{hub.Query{Tenant: "acme", Limit: 3}, 270},
				{hub.Query{Limit: 1000}, 270},
				{hub.Query{Tenant: "acme", Conversation: "conv/1"}, 15},
				{hub.Query{Conversation: "conv/0"}, 15},
				{hub.Query{Tenant: "acme", Person: &ann, Conversation: "conv/1"}, 5},
				{hub.Query{Tenant: "other"}, 0},
				{hub.Query{Kind: hub.KindDraft}, 0},
			} {
				seen, _ := all(t, s, c.q)
				if len(seen) != c.want {
					t.Errorf("%+v: %d records, want %d", c.q, len(seen), c.want)
				}
				for a, n := range seen {
					if n != 1 {
						t.Errorf("%+v: %v came %d times", c.q, a, n)
					}
				}
			}
		})
	}
}

// The server gives at most 1,024 last messages at once and refuses beyond.
func TestListBeyondServersLimit(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	fill(t, s, "ann", 1500)
	ann, open := "ann", false
	for _, c := range []struct {
		q    hub.Query
		want int
	}{
		{hub.Query{Tenant: "acme", Person: &ann, Limit: 1000}, 1500},
		{hub.Query{Tenant: "acme", Person: &ann}, 1500},
		{hub.Query{Tenant: "acme", Person: &ann, Closed: &open, Limit: 1000}, 1000},
		{hub.Query{Limit: 999}, 1500},
	} {
		seen, pages := all(t, s, c.q)
		if len(seen) != c.want {
			t.Errorf("%+v: %d records on %d pages, want %d", c.q, len(seen), pages, c.want)
		}
		for a, n := range seen {
			if n != 1 {
				t.Errorf("%+v: %v came %d times", c.q, a, n)
			}
		}
	}
}

func TestListCursor(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	for _, c := range []string{"x", "1", "-1.0", "0.", "0.?", "9999.1", "w", "w0"} {
		if _, err := s.List(t.Context(), hub.Query{Cursor: c}); err == nil {
			t.Errorf("%q is taken as a cursor", c)
		}
	}
}

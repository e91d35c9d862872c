package hubtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// testPosition wants a list behind a position to have what changed since, and
// nothing else.
func (s *suite) testPosition(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	alice, asker := "alice", "x7"
	write := func(id, person string, expect uint64) uint64 {
		r := rec(id, "x")
		r.Address.Person, r.Address.Asker = person, asker
		return must[uint64](t)(put(ctx, store, r, expect))
	}
	revisions := map[string]uint64{}
	for i := range 20 {
		id := fmt.Sprint(i)
		revisions[id] = write(id, []string{"alice", "bob"}[i%2], 0)
	}
	queries := map[string]hub.Query{
		"tenant":       {Tenant: "acme"},
		"person":       {Tenant: "acme", Person: &alice},
		"asker":        {Tenant: "acme", Asker: &asker},
		"conversation": {Tenant: "acme", Conversation: "c1"},
		"nothing":      {Tenant: "none"},
	}
	reached := map[string]*hub.Position{}
	for name, q := range queries {
		q.Limit = 3
		page := must[hub.Page](t)(store.List(ctx, q))
		if page.Position == nil {
			t.Fatalf("%s: the first page has no position", name)
		}
		if page.Next != "" {
			q.Cursor = page.Next
			if page := must[hub.Page](t)(store.List(ctx, q)); page.Position != nil {
				t.Errorf("%s: the second page has a position", name)
			}
		}
		p, err := hub.ParsePosition(page.Position.String())
		if err != nil {
			t.Fatal(err)
		}
		reached[name] = p
	}
	for name, q := range queries {
		q.After = reached[name]
		if got := list(t, store, q, nil); len(got) > 0 {
			t.Errorf("%s: %d records behind the position, although nothing has changed", name, len(got))
		}
	}
	revisions["4"] = write("4", "alice", revisions["4"])
	revisions["7"] = write("7", "bob", revisions["7"])
	write("new", "alice", 0)
	for name, q := range queries {
		want := []string{"4", "7", "new"}
		switch name {
		case "person":
			want = []string{"4", "new"}
		case "nothing":
			want = nil
		}
		for _, limit := range []int{0, 1} {
			for side, store := range map[string]hub.Store{"store": store, "peer": peer} {
				q.After, q.Limit = reached[name], limit
				var ids []string
				eventually(t, name+": a list behind a position", func() bool {
					ids = nil
					for _, r := range list(t, store, q, nil) {
						ids = append(ids, r.Address.ID)
					}
					slices.Sort(ids)
					return len(ids) == len(want) || side == "store"
				})
				if !slices.Equal(ids, want) {
					t.Errorf("%s, %s: %q behind the position, want %q", name, side, ids, want)
				}
			}
		}
	}
	for i := range 5 { // a peer that may not have heard of the last write is told of it
		id := fmt.Sprint("last", i)
		revision := write(id, "alice", 0)
		r := must[hub.Record](t)(store.Get(ctx, hub.KindTicket, hub.Address{Tenant: "acme", Person: "alice", Asker: asker, Conversation: "c1", ID: id}))
		q := hub.Query{Tenant: "acme", After: reached["tenant"], Least: map[int]uint64{r.Part: revision}}
		page := must[hub.Page](t)(peer.List(ctx, q))
		if !slices.ContainsFunc(page.Records, func(r hub.Record) bool { return r.Revision == revision }) || page.Position.Parts[r.Part] < revision {
			t.Fatalf("a list that has to be at %d is at %+v", revision, page.Position)
		}
	}
}

// testNoPosition wants a store to refuse positions that it cannot tell anything
// about.
func (s *suite) testNoPosition(t *testing.T) {
	store, ctx := s.new(t), within(t)
	<-time.After(time.Millisecond) // a store may be named after the time
	other := s.new(t)
	must[uint64](t)(store.Put(ctx, rec("a", "x"), 0))
	at := func(store hub.Store) *hub.Position {
		return must[hub.Page](t)(store.List(ctx, hub.Query{Tenant: "acme"})).Position
	}
	good := *at(store)
	old := good
	old.At = old.At.Add(-hub.Resumable - time.Minute)
	ahead := good
	ahead.Parts = map[int]uint64{}
	for part, revision := range good.Parts {
		ahead.Parts[part] = revision + 1_000_000
	}
	for name, p := range map[string]*hub.Position{
		"of another store": at(other),
		"of no store":      {Store: "nonsense", At: good.At, Parts: good.Parts},
		"too old":          &old,
		"ahead":            &ahead,
	} {
		if _, err := store.List(ctx, hub.Query{Tenant: "acme", After: p}); !errors.Is(err, hub.ErrPosition) {
			t.Errorf("a position %s: error %v, want %v", name, err, hub.ErrPosition)
		}
	}
	if _, err := store.List(ctx, hub.Query{Tenant: "acme", After: &good}); err != nil {
		t.Errorf("its own position: %v", err)
	}
}

// testListAndWatch wants every change in a list that begins when a watch is ready,
// or told to the watch.
func (s *suite) testListAndWatch(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	const rounds, n = 10, 20
	for round := range rounds {
		person := fmt.Sprint("person", round)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range n {
				r := rec(fmt.Sprint(i), "x")
				r.Address.Person = person
				if _, err := store.Put(ctx, r, 0); err != nil {
					t.Error(err)
				}
			}
		})
		q := hub.Query{Tenant: "acme", Person: &person}
		w := watch(t, peer, q)
		seen := map[string]bool{}
		for _, r := range list(t, peer, q, nil) {
			seen[r.Address.ID] = true
		}
		wg.Wait()
		eventually(t, "every change is in the list or told", func() bool {
			records, gaps := w.seen()
			for _, r := range records {
				seen[r.Address.ID] = true
			}
			return len(seen) == n || gaps > 0 && len(list(t, peer, q, nil)) == n
		})
		w.stop()
	}
}

// testDeaf wants a watch to find out by itself that it missed something, and no
// other watch to be told.
func (s *suite) testDeaf(t *testing.T) {
	store, ctx := s.new(t), within(t)
	alice, bob, asker := "alice", "bob", "x7"
	mine := watch(t, store, hub.Query{Tenant: "acme", Person: &alice})
	asks := watch(t, store, hub.Query{Tenant: "acme", Asker: &asker})
	others := watch(t, store, hub.Query{Tenant: "acme", Person: &bob})
	s.Deaf(store, true)
	r := rec("lost", "x")
	r.Address.Asker = asker
	must[uint64](t)(store.Put(ctx, r, 0))
	eventually(t, "those who missed something are told", func() bool {
		_, gaps := mine.seen()
		_, more := asks.seen()
		return gaps > 0 && more > 0
	})
	s.Deaf(store, false)
	if records, gaps := others.seen(); gaps > 0 || len(records) > 0 {
		t.Errorf("a watch that missed nothing was told so %d times, and of %d changes", gaps, len(records))
	}
	r.Address.ID = "heard"
	must[uint64](t)(store.Put(ctx, r, 0))
	eventually(t, "the next change is told", func() bool {
		records, _ := mine.seen()
		return len(records) > 0 && records[len(records)-1].Address.ID == "heard"
	})
}

package hubtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// watch collects what a watch reports. It returns when the watch is ready.
func watch(t *testing.T, store hub.Store, q hub.Query) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watched{bell: make(chan struct{}, 1)}
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		w.err = store.Watch(ctx, q, sync.OnceFunc(func() { close(ready) }), w.add)
	}()
	w.stop = func() error {
		cancel()
		select {
		case <-done:
			return w.err
		case <-time.After(soon):
			t.Error("Watch does not end with its context")
			return nil
		}
	}
	t.Cleanup(func() { w.stop() })
	select {
	case <-ready:
	case <-done:
		t.Fatalf("Watch ends before it is ready: %v", w.err)
	case <-time.After(soon):
		t.Fatal("Watch is not ready in time")
	}
	return w
}

type watched struct {
	mu      sync.Mutex
	records []hub.Record
	gaps    int
	inside  bool
	overlap bool
	bell    chan struct{}
	stop    func() error
	err     error
}

func (w *watched) add(r hub.Record) {
	w.mu.Lock()
	w.overlap = w.overlap || w.inside
	w.inside = true
	if r.Kind == "" {
		w.gaps++
	} else {
		w.records = append(w.records, r)
	}
	w.mu.Unlock()
	select {
	case w.bell <- struct{}{}:
	default:
	}
	w.mu.Lock()
	w.inside = false
	w.mu.Unlock()
}

func (w *watched) seen() ([]hub.Record, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.records, w.gaps
}

// testWatch wants every change reported, in order, and not before it can be read.
func (s *suite) testWatch(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	must[uint64](t)(store.Put(ctx, rec("before", "x"), 0))
	w := watch(t, peer, hub.Query{})

	checked := make(chan struct{})
	go func() { // reads what each bell announces
		defer close(checked)
		for next := 0; next < 200; {
			select {
			case <-w.bell:
			case <-ctx.Done():
				return
			}
			records, _ := w.seen()
			for ; next < len(records); next++ {
				r := records[next]
				got, err := peer.Get(ctx, r.Kind, r.Address)
				if err != nil || got.Revision < r.Revision {
					t.Errorf("the bell rang for revision %d, and Get sees %d, %v", r.Revision, got.Revision, err)
				}
			}
		}
	}()
	want := map[string][]uint64{}
	for i := range 200 {
		id := fmt.Sprint(i % 20)
		var last uint64
		if n := len(want[id]); n > 0 {
			last = want[id][n-1]
		}
		r := rec(id, fmt.Sprint("change ", i))
		r.Closed = i >= 180
		want[id] = append(want[id], must[uint64](t)(put(ctx, store, r, last)))
	}
	eventually(t, "200 changes are reported", func() bool {
		records, gaps := w.seen()
		return len(records) >= 200 || gaps > 0
	})
	records, gaps := w.seen()
	if gaps > 0 {
		t.Logf("%d times the watch said that it may have missed something", gaps)
		return
	}
	<-checked
	got := map[string][]uint64{}
	for _, r := range records {
		if r.Address.ID == "before" {
			t.Error("a change from before the watch is reported")
		}
		got[r.Address.ID] = append(got[r.Address.ID], r.Revision)
		if stored := must[hub.Record](t)(store.Get(ctx, r.Kind, r.Address)); len(r.Data) > 0 && stored.Revision == r.Revision && !same(stored, r) {
			t.Errorf("the watch reports %+v, stored is %+v", r, stored)
		}
	}
	for id, revisions := range want {
		if fmt.Sprint(got[id]) != fmt.Sprint(revisions) {
			t.Errorf("record %s had revisions %v, the watch reports %v", id, revisions, got[id])
		}
	}
	if w.overlap {
		t.Error("two calls at a time")
	}
}

func (s *suite) testWatchFilters(t *testing.T) {
	store, ctx := s.new(t), within(t)
	yes, nobody, alice, asker := true, "", "alice", "x7"
	queries := []hub.Query{
		{},
		{Kind: hub.KindDraft},
		{Kind: hub.KindSession},
		{Kind: hub.KindSession, Tenant: "acme", Person: &alice},
		{Tenant: "acme"},
		{Tenant: "acme", Person: &alice},
		{Tenant: "acme", Person: &nobody},
		{Tenant: "acme", Conversation: "c2"},
		{Tenant: "acme", Asker: &asker},
		{Tenant: "acme", Asker: &nobody, Conversation: "c1"},
		{Tenant: "acme", Closed: &yes},
	}
	var watches []*watched
	for _, q := range queries {
		watches = append(watches, watch(t, store, q))
	}
	var all []hub.Record
	for _, tenant := range []string{"acme", "other"} {
		for _, person := range []string{"", "alice"} {
			for _, conversation := range []string{"c1", "c2"} {
				for i := range 5 {
					r := hub.Record{Kind: hub.KindTicket, Address: hub.Address{Tenant: tenant, Person: person, Asker: []string{"", asker}[i%2], Conversation: conversation, ID: fmt.Sprint(i)}, Closed: i == 1, Data: []byte("x")}
					if i > 2 {
						r.Kind = kinds[i-2]
					}
					r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
					all = append(all, r)
				}
			}
		}
	}
	for i, q := range queries {
		want := 0
		for _, r := range all {
			if q.Match(r) {
				want++
			}
		}
		eventually(t, fmt.Sprintf("%d changes for %+v", want, q), func() bool {
			records, gaps := watches[i].seen()
			return len(records) >= want || gaps > 0
		})
		records, _ := watches[i].seen()
		for _, r := range records {
			if !q.Match(r) {
				t.Errorf("%+v reports %+v", q, r)
			}
		}
	}
}

// testWatchOrder has several watches told of changes in one order.
func (s *suite) testWatchOrder(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	var mu sync.Mutex
	last, told := map[int]hub.Record{}, 0
	add := func(r hub.Record) {
		mu.Lock()
		defer mu.Unlock()
		if before := last[r.Part]; r.Revision < before.Revision {
			t.Errorf("revision %d of %s is told after %d of %s", r.Revision, r.Address.Person, before.Revision, before.Address.Person)
		}
		if told++; r.Kind != "" {
			last[r.Part] = r
		}
	}
	persons := []string{"", "alice", "bob", "carol"}
	for _, person := range persons {
		ready := make(chan struct{})
		mine, cancel := context.WithCancel(ctx)
		t.Cleanup(cancel)
		go peer.Watch(mine, hub.Query{Tenant: "acme", Person: &person}, sync.OnceFunc(func() { close(ready) }), add)
		<-ready
	}
	const n = 400
	for i := range n {
		r := rec(fmt.Sprint(i), "x")
		r.Address.Person = persons[i%len(persons)]
		must[uint64](t)(store.Put(ctx, r, 0))
	}
	eventually(t, "all changes are told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return told >= n
	})
}

func (s *suite) testWatchEnds(t *testing.T) {
	store, ctx := s.new(t), within(t)
	w := watch(t, store, hub.Query{})
	if err := w.stop(); err == nil {
		t.Error("Watch returns no error when its context ends")
	}
	must[uint64](t)(store.Put(ctx, rec("a", "x"), 0))
	if records, _ := w.seen(); len(records) > 0 {
		t.Error("Watch reports a change after it returned")
	}
}

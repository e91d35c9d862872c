package natsstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// messages counts what a stream holds.
func messages(t testing.TB, nc *nats.Conn, stream string) uint64 {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	s, err := js.Stream(t.Context(), stream)
	must(t, err)
	return s.CachedInfo().State.Msgs
}

// deadlines counts the entries of tickets, and not the bookmark of the archiver beside them.
func deadlines(t testing.TB, nc *nats.Conn) int {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	s, err := js.Stream(t.Context(), "DUE2-00")
	must(t, err)
	info, err := s.Info(t.Context(), jetstream.WithSubjectFilter("due.00.*.*.*.*.*"))
	must(t, err)
	return len(info.State.Subjects)
}

// What is due is found by its entry, and the entry goes with the ticket: when this process closes it, at once; when
// another one does, with the next list.
func TestDue(t *testing.T) {
	t.Parallel()
	srv, nc := serve(t)
	s, other := open(t, nc, &natsstore.Options{Mark: srv}), open(t, nc, nil)
	now := time.Now()
	revs := map[int]uint64{}
	for i := range 10 {
		r := ticket(i, "ann", "open")
		if i < 6 {
			r.Due = now.Add(time.Duration(i-2) * time.Hour)
		}
		revs[i] = put(t, s, r, 0)
	}
	open := false
	due := func(by time.Time, want int) {
		t.Helper()
		p, err := s.List(t.Context(), hub.Query{Due: by, Closed: &open})
		must(t, err)
		if len(p.Records) != want {
			t.Errorf("%d are due, want %d", len(p.Records), want)
		}
	}
	due(now.Add(-3*time.Hour), 0)
	due(now, 3)
	due(now.Add(24*time.Hour), 6)
	closeIt := func(s *natsstore.Store, i int) {
		r := ticket(i, "ann", "closed")
		r.Closed = true
		put(t, s, r, revs[i])
	}
	closeIt(s, 0)
	closeIt(other, 1)
	due(now, 1)
	eventually(t, "the entries of what is closed are gone", func() bool { return deadlines(t, nc) == 4 })
	due(now.Add(24*time.Hour), 4)
}

// An entry is only made earlier: a rival that loses does not have a hold forgotten.
func TestDueEarlier(t *testing.T) {
	t.Parallel()
	srv, nc := serve(t)
	s, other := open(t, nc, &natsstore.Options{Mark: srv}), open(t, nc, nil)
	now := time.Now()
	r := ticket(1, "ann", "open")
	r.Due = now.Add(100 * 24 * time.Hour)
	rev := put(t, s, r, 0)
	held := r
	held.Due = now.Add(-time.Second)
	put(t, s, held, rev)
	if _, err := other.Put(t.Context(), r, rev); !errors.Is(err, hub.ErrConflict) { // it enters its deadline, and loses
		t.Fatalf("a rival is told %v", err)
	}
	open := false
	due := func(want int) {
		t.Helper()
		p, err := other.List(t.Context(), hub.Query{Due: now, Closed: &open})
		must(t, err)
		if len(p.Records) != want {
			t.Errorf("%d are due, want %d", len(p.Records), want)
		}
	}
	due(1)
	got, err := s.Get(t.Context(), hub.KindTicket, r.Address)
	must(t, err)
	rev = put(t, other, r, got.Revision) // it is taken back
	due(0)
	closed := ticket(1, "ann", "closed")
	closed.Closed = true
	put(t, other, closed, rev)
	eventually(t, "the entry is gone", func() bool { return deadlines(t, nc) == 0 })
}

func TestDuePages(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 2})
	now := time.Now()
	for i := range 60 {
		r := ticket(i, fmt.Sprint("person", i%7), "open")
		r.Due = now.Add(-time.Hour)
		put(t, s, r, 0)
	}
	for _, limit := range []int{0, 1, 7, 60} {
		if seen, _ := all(t, s, hub.Query{Due: now, Limit: limit}); len(seen) != 60 {
			t.Errorf("pages of %d: %d are due, want 60", limit, len(seen))
		}
	}
}

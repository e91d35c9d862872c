package hubtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

func (s *suite) testCompareAndSet(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	refused := func(what, data string, expect uint64) {
		t.Helper()
		_, err := put(ctx, peer, rec("a", data), expect)
		if !errors.Is(err, hub.ErrConflict) {
			t.Errorf("%s: %v, want %v", what, err, hub.ErrConflict)
		}
	}
	refused("changing what is not there", "x", 7)
	first := must[uint64](t)(store.Put(ctx, rec("a", "1"), 0))
	refused("creating it again", "x", 0)
	refused("changing another revision", "x", first+1)
	second := must[uint64](t)(store.Put(ctx, rec("a", "2"), first))
	refused("changing an old revision", "x", first)
	refused("creating it again", "x", 0)
	got := must[hub.Record](t)(store.Get(ctx, hub.KindTicket, rec("a", "").Address))
	if string(got.Data) != "2" || got.Revision != second {
		t.Errorf("got %q at %d, want 2 at %d", got.Data, got.Revision, second)
	}
	// A change elsewhere does not touch it.
	must[uint64](t)(store.Put(ctx, rec("b", "1"), 0))
	must[uint64](t)(store.Put(ctx, rec("a", "3"), second))
}

// put is Put by a caller that tries again while the store is undecided.
func put(ctx context.Context, store hub.Store, r hub.Record, expect uint64) (uint64, error) {
	for {
		revision, err := store.Put(ctx, r, expect)
		if !errors.Is(err, hub.ErrUndecided) {
			return revision, err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// testCounter has many writers count in one record: no count may be lost.
func (s *suite) testCounter(t *testing.T) {
	store, ctx := s.new(t), within(t)
	sides := []hub.Store{store, s.peer(t, store)}
	must[uint64](t)(store.Put(ctx, rec("n", "0"), 0))
	const writers, counts = 8, 20
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for range counts {
				if err := count(ctx, sides[i%2]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := must[hub.Record](t)(store.Get(ctx, hub.KindTicket, rec("n", "").Address))
	if string(got.Data) != strconv.Itoa(writers*counts) {
		t.Errorf("%d counts made %s", writers*counts, got.Data)
	}
}

func count(ctx context.Context, store hub.Store) error {
	for {
		r, err := store.Get(ctx, hub.KindTicket, rec("n", "").Address)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(r.Data))
		if err != nil {
			return err
		}
		runtime.Gosched() // lets the others in
		r.Data = strconv.AppendInt(nil, int64(n+1), 10)
		if _, err = store.Put(ctx, r, r.Revision); err == nil || !errors.Is(err, hub.ErrConflict) {
			return err
		}
	}
}

// testOneCreator has rivals create one record. One wins, and whoever is refused
// can read the winner at once.
func (s *suite) testOneCreator(t *testing.T) {
	store, ctx := s.new(t), within(t)
	sides := []hub.Store{store, s.peer(t, store)}
	for round := range 50 {
		id := fmt.Sprint("r", round)
		var mu sync.Mutex
		var winner string
		seen := map[string]int{}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				side, me := sides[i%2], fmt.Sprint("rival ", i)
				_, err := put(ctx, side, rec(id, me), 0)
				var r hub.Record
				if errors.Is(err, hub.ErrConflict) {
					r, err = side.Get(ctx, hub.KindTicket, rec(id, "").Address)
				} else if err == nil {
					mu.Lock()
					if winner != "" {
						t.Errorf("%s and %s both created %s", winner, me, id)
					}
					winner = me
					mu.Unlock()
					r, err = side.Get(ctx, hub.KindTicket, rec(id, "").Address)
				}
				if err != nil {
					t.Errorf("%s: %v", me, err)
					return
				}
				mu.Lock()
				seen[string(r.Data)]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if len(seen) != 1 || seen[winner] != 8 {
			t.Fatalf("round %d: %q won, and these were seen: %v", round, winner, seen)
		}
	}
}

// testTTL has records forgotten.
func (s *suite) testTTL(t *testing.T) {
	store, ctx := s.new(t), within(t)
	stays := rec("stays", "x")
	must[uint64](t)(store.Put(ctx, stays, 0))
	goes := rec("goes", "1")
	goes.TTL = time.Second
	began := time.Now()
	last := must[uint64](t)(store.Put(ctx, goes, 0))
	gone := func(r hub.Record) bool {
		_, err := store.Get(ctx, r.Kind, r.Address)
		return errors.Is(err, hub.ErrNotFound)
	}
	if gone(goes) && time.Since(began) < goes.TTL {
		t.Error("the record is forgotten before its time")
	}
	eventually(t, "the record is forgotten", func() bool { return gone(goes) })
	if got := listAll(t, store, hub.Query{Tenant: "acme"}, 1); len(got) != 1 || got[0].Address != stays.Address {
		t.Errorf("the list has %d records, want the one that stays", len(got))
	}
	if _, err := put(ctx, store, goes, last); !errors.Is(err, hub.ErrConflict) {
		t.Errorf("changing a forgotten record: %v, want %v", err, hub.ErrConflict)
	}
	// A record that is closed with a time to live goes, one that is opened
	// again without stays: also after another one went that had as much time, and
	// later.
	for opened := false; !opened; {
		began := time.Now()
		again := must[uint64](t)(put(ctx, store, goes, 0))
		if again <= last {
			t.Errorf("after it was forgotten the revision went from %d to %d", last, again)
		}
		stays := goes
		stays.TTL = 0
		_, err := put(ctx, store, stays, again)
		opened = err == nil
		if err != nil && time.Since(began) < goes.TTL { // otherwise it was too late to open it
			t.Fatal(err)
		}
	}
	later := rec("later", "1")
	later.TTL = goes.TTL
	must[uint64](t)(store.Put(ctx, later, 0))
	session := ofKind(hub.KindSession, later)
	last = must[uint64](t)(store.Put(ctx, session, 0))
	eventually(t, "a later record is forgotten", func() bool { return gone(later) })
	eventually(t, "a session is forgotten", func() bool { return gone(session) })
	if _, err := put(ctx, store, session, last); !errors.Is(err, hub.ErrConflict) {
		t.Errorf("changing a forgotten session: %v, want %v", err, hub.ErrConflict)
	}
	must[hub.Record](t)(store.Get(ctx, goes.Kind, goes.Address))
}

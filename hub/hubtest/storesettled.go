package hubtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// settled puts tickets of several people, askers and conversations: open ones,
// closed ones, and ones that are settled.
func settled(t *testing.T, store hub.Store) (all []hub.Record) {
	ctx := within(t)
	for _, person := range []string{"", "alice", "bob"} {
		for _, asker := range []string{"", "a1", "a2"} {
			for i := range 4 {
				r := hub.Record{
					Kind:    hub.KindTicket,
					Address: hub.Address{Tenant: "acme", Person: person, Asker: asker, Conversation: fmt.Sprint("c", i/2), ID: fmt.Sprint(person, asker, i)},
				}
				r.Data = fmt.Append(nil, r.Address)
				r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
				if i > 0 {
					r.Closed, r.TTL = true, time.Hour
					r.Revision = must[uint64](t)(store.Put(ctx, r, r.Revision))
				}
				if i > 1 {
					r.Settled = true
					r.Revision = must[uint64](t)(store.Put(ctx, r, r.Revision))
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// testSettled reads closed tickets long after they were settled.
func (s *suite) testSettled(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	all := settled(t, store)
	s.settle(t, store)
	wantStored(t, store, all)
	wantStored(t, peer, all)

	// One that is settled can still be changed, once, and is then found as it is.
	for i, r := range all {
		if !r.Settled || i%3 != 0 {
			continue
		}
		again := r
		again.Settled, again.Data = false, []byte("again")
		_, err := put(ctx, peer, again, 0)
		wantErr(t, err, hub.ErrConflict)
		_, err = put(ctx, store, again, r.Revision+1)
		wantErr(t, err, hub.ErrConflict)
		again.Revision = must[uint64](t)(put(ctx, peer, again, r.Revision))
		if again.Revision <= r.Revision {
			t.Errorf("revision %d after %d", again.Revision, r.Revision)
		}
		_, err = put(ctx, store, again, r.Revision)
		wantErr(t, err, hub.ErrConflict)
		all[i] = again
	}
	wantStored(t, store, all)
	s.settle(t, store)
	wantStored(t, peer, all)
}

// wantStored finds all records by their addresses and by every filter.
func wantStored(t *testing.T, store hub.Store, all []hub.Record) {
	t.Helper()
	ctx := within(t)
	for _, r := range all {
		got := must[hub.Record](t)(store.Get(ctx, r.Kind, r.Address))
		if !same(got, r) || got.Settled != r.Settled {
			t.Errorf("got %+v, want %+v", got, r)
		}
	}
	yes, no := true, false
	for _, person := range []*string{nil, new(string), at("alice")} {
		for _, asker := range []*string{nil, at("a2")} {
			for _, conversation := range []string{"", "c1"} {
				q := hub.Query{Tenant: "acme", Person: person, Asker: asker, Conversation: conversation, Limit: 7}
				wantListed(t, store, q, all)
				for _, is := range []*bool{&yes, &no} {
					closed, settled := q, q
					closed.Closed, settled.Settled = is, is
					wantListed(t, store, closed, all)
					wantListed(t, store, settled, all)
				}
			}
		}
	}
}

func at(s string) *string { return &s }

func wantListed(t *testing.T, store hub.Store, q hub.Query, all []hub.Record) {
	t.Helper()
	want := map[hub.Address]hub.Record{}
	for _, r := range all {
		if q.Match(r) {
			want[r.Address] = r
		}
	}
	for _, r := range listAll(t, store, q, len(want)) {
		if w, ok := want[r.Address]; !ok || !same(r, w) || r.Settled != w.Settled {
			t.Errorf("the list %+v has %+v, want it once and like this: %+v", q, r, w)
		}
		delete(want, r.Address)
	}
}

// testSettledTTL has settled tickets forgotten when their time is over.
func (s *suite) testSettledTTL(t *testing.T) {
	store, ctx := s.new(t), within(t)
	r := rec("goes", "open")
	r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
	r.Closed, r.Settled, r.TTL = true, true, 5*time.Second
	began := time.Now()
	r.Revision = must[uint64](t)(store.Put(ctx, r, r.Revision))
	s.settle(t, store)
	for {
		_, err := store.Get(ctx, r.Kind, r.Address)
		late := time.Since(began) >= r.TTL
		if err == nil {
			<-time.After(50 * time.Millisecond)
			continue
		}
		wantErr(t, err, hub.ErrNotFound)
		if !late {
			t.Errorf("it is forgotten after %v, before its time", time.Since(began))
		}
		break
	}
	listAll(t, store, hub.Query{Tenant: "acme"}, 0)
	_, err := put(ctx, store, r, r.Revision)
	wantErr(t, err, hub.ErrConflict)
	if again := must[uint64](t)(put(ctx, store, r, 0)); again <= r.Revision {
		t.Errorf("revision %d after %d", again, r.Revision)
	}
}

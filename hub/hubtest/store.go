package hubtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Run holds a store to the contract of [hub.Store].
func Run(t *testing.T, fresh New, opts *Options) {
	s := newSuite(fresh, opts)
	s.run(t, "put and get", s.testPutGet)
	s.run(t, "addresses", s.testAddresses)
	s.run(t, "kinds", s.testKinds)
	s.run(t, "compare and set", s.testCompareAndSet)
	s.run(t, "counter", s.testCounter)
	s.run(t, "one creator", s.testOneCreator)
	s.run(t, "list filters", s.testListFilters)
	s.run(t, "list pages", s.testListPages)
	s.run(t, "list large records", s.testListBytes)
	s.run(t, "list under writes", s.testListUnderWrites)
	s.run(t, "positions", s.testPosition)
	s.run(t, "no positions", s.testNoPosition)
	s.run(t, "list and watch", s.testListAndWatch)
	if s.Deaf != nil {
		s.run(t, "deaf", s.testDeaf)
	}
	s.run(t, "watch", s.testWatch)
	s.run(t, "watch filters", s.testWatchFilters)
	s.run(t, "watch order", s.testWatchOrder)
	s.run(t, "watch ends", s.testWatchEnds)
	s.run(t, "ttl", s.testTTL)
	s.run(t, "settled", s.testSettled)
	s.run(t, "settled ttl", s.testSettledTTL)
	s.run(t, "size", s.testSize)
	s.run(t, "full", s.testFull)
	s.run(t, "ended context", s.testEndedContext)
}

func rec(id string, data string) hub.Record {
	return hub.Record{
		Kind:    hub.KindTicket,
		Address: hub.Address{Tenant: "acme", Person: "alice", Conversation: "c1", ID: id},
		Data:    []byte(data),
	}
}

// kinds are all there are.
var kinds = []hub.Kind{hub.KindTicket, hub.KindContent, hub.KindRule, hub.KindDraft, hub.KindSession, hub.KindUsage, hub.KindLink, hub.KindGateway, hub.KindNotify, hub.KindTold, hub.KindPerson, hub.KindKey, hub.KindSecret}

func ofKind(kind hub.Kind, r hub.Record) hub.Record {
	r.Kind = kind
	return r
}

func (s *suite) testPutGet(t *testing.T) {
	store, ctx := s.new(t), within(t)
	peer := s.peer(t, store)
	_, err := store.Get(ctx, hub.KindTicket, rec("a", "").Address)
	wantErr(t, err, hub.ErrNotFound)

	r := rec("a", "\x00\xff{}\n")
	r.Due = time.Date(2031, 2, 3, 4, 5, 6, 789, time.UTC)
	r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
	if r.Revision == 0 {
		t.Fatal("revision 0 means that nothing is stored")
	}
	for name, side := range map[string]hub.Store{"store": store, "peer": peer} {
		got := must[hub.Record](t)(side.Get(ctx, r.Kind, r.Address))
		if !same(got, r) {
			t.Errorf("%s: got %+v, want %+v", name, got, r)
		}
	}
	r.Closed, r.Due, r.Data = true, time.Time{}, []byte("closed")
	revision := must[uint64](t)(peer.Put(ctx, r, r.Revision))
	if revision <= r.Revision {
		t.Errorf("revision %d after %d", revision, r.Revision)
	}
	r.Revision = revision
	if got := must[hub.Record](t)(store.Get(ctx, r.Kind, r.Address)); !same(got, r) {
		t.Errorf("got %+v, want %+v", got, r)
	}
}

// same compares all that a store has to give back.
func same(a, b hub.Record) bool {
	return a.Kind == b.Kind && a.Address == b.Address && a.Closed == b.Closed && a.Settled == b.Settled &&
		a.Due.Equal(b.Due) && a.Revision == b.Revision && bytes.Equal(a.Data, b.Data)
}

// testAddresses puts a record at addresses that a store might confuse.
func (s *suite) testAddresses(t *testing.T) {
	store, ctx := s.new(t), within(t)
	long := strings.Repeat("ü", 128)
	parts := []string{"a", "A", "a.b", "*", ">", "a b", "a/b", "_", "-", "", "ä", "\n", "%61", long}
	var records []hub.Record
	for i, p := range parts {
		for _, addr := range []hub.Address{
			{Tenant: p, Person: "p", Conversation: "c", ID: "i"},
			{Tenant: "t", Person: p, Conversation: "c", ID: "i"},
			{Tenant: "t", Person: "p", Conversation: p, ID: "i"},
			{Tenant: "t", Person: "p", Conversation: "c", ID: p},
		} {
			if addr.Tenant == "" || addr.ID == "" {
				continue
			}
			r := hub.Record{Kind: hub.KindTicket, Address: addr, Data: fmt.Appendf(nil, "%d %q", i, addr)}
			r.Revision = must[uint64](t)(store.Put(ctx, r, 0))
			records = append(records, r)
		}
	}
	for _, r := range records {
		if got := must[hub.Record](t)(store.Get(ctx, r.Kind, r.Address)); !same(got, r) {
			t.Errorf("%q holds %s", r.Address, got.Data)
		}
	}
}

func (s *suite) testKinds(t *testing.T) {
	store, ctx := s.new(t), within(t)
	for _, kind := range kinds {
		must[uint64](t)(store.Put(ctx, ofKind(kind, rec("a", string(kind))), 0))
	}
	for _, kind := range kinds {
		want := ofKind(kind, rec("a", string(kind)))
		if got := must[hub.Record](t)(store.Get(ctx, kind, want.Address)); got.Kind != kind || string(got.Data) != string(kind) {
			t.Errorf("the %s is a %s, %q", kind, got.Kind, got.Data)
		}
		got := listAll(t, store, hub.Query{Kind: kind, Tenant: "acme"}, 1)
		if len(got) != 1 || got[0].Kind != kind || string(got[0].Data) != string(kind) {
			t.Errorf("the list of kind %q has %d records", kind, len(got))
		}
	}
}

func (s *suite) testSize(t *testing.T) {
	store, ctx := s.new(t), within(t)
	most := rec("most", strings.Repeat("x", hub.MaxData))
	must[uint64](t)(store.Put(ctx, most, 0))
	if got := must[hub.Record](t)(store.Get(ctx, most.Kind, most.Address)); len(got.Data) != hub.MaxData {
		t.Errorf("%d bytes came back", len(got.Data))
	}
	empty := rec("empty", "")
	must[uint64](t)(store.Put(ctx, empty, 0))
	must[hub.Record](t)(store.Get(ctx, empty.Kind, empty.Address))
}

func (s *suite) testFull(t *testing.T) {
	if s.Limited == nil {
		t.Skip("no limited store")
	}
	store, ctx := s.Limited(t, 3), within(t)
	var revision uint64
	for i := range 3 {
		revision = must[uint64](t)(store.Put(ctx, rec(fmt.Sprint(i), "open"), 0))
	}
	_, err := store.Put(ctx, rec("3", "open"), 0)
	wantErr(t, err, hub.ErrFull)
	_, err = store.Get(ctx, hub.KindTicket, rec("3", "").Address)
	wantErr(t, err, hub.ErrNotFound)
	closed := rec("2", "closed")
	closed.Closed = true
	if _, err := store.Put(ctx, closed, revision); err != nil {
		t.Errorf("a full store refuses an answer: %v", err)
	}
}

func (s *suite) testEndedContext(t *testing.T) {
	store := s.new(t)
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if _, err := store.Put(ctx, rec("a", ""), 0); err == nil {
		t.Error("Put succeeds although its context has ended")
	}
	if _, err := store.Get(ctx, hub.KindTicket, rec("a", "").Address); err == nil {
		t.Error("Get succeeds although its context has ended")
	}
	if err := store.Watch(ctx, hub.Query{}, func() {}, func(hub.Record) {}); err == nil {
		t.Error("Watch succeeds although its context has ended")
	}
}

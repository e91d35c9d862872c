package natsstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

func TestPutGet(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	r := ticket(1, "ann@example.org", "one")
	_, err := s.Get(t.Context(), r.Kind, r.Address)
	wantError(t, err, hub.ErrNotFound)

	rev := put(t, s, r, 0)
	_, err = s.Put(t.Context(), r, 0)
	wantError(t, err, hub.ErrConflict)

	r.Data, r.Closed, r.TTL = []byte("two"), true, time.Hour
	rev2 := put(t, s, r, rev)
	_, err = s.Put(t.Context(), r, rev)
	wantError(t, err, hub.ErrConflict)

	got, err := s.Get(t.Context(), r.Kind, r.Address)
	must(t, err)
	if string(got.Data) != "two" || !got.Closed || got.TTL != time.Hour || got.Revision != rev2 || got.Address != r.Address || rev2 <= rev {
		t.Fatalf("got %+v", got)
	}
}

// watching starts a Watch and returns what it is told.
func watching(t *testing.T, s *natsstore.Store, q hub.Query) <-chan hub.Record {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan struct{})
	got := make(chan hub.Record, 100)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Watch(ctx, q, func() { close(ready) }, func(r hub.Record) { got <- r })
		if err == nil {
			t.Error("Watch returned no error")
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	<-ready
	return got
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 4})
	ann := "ann"
	mine := watching(t, s, hub.Query{Tenant: "acme", Person: &ann})
	tenant := watching(t, s, hub.Query{Tenant: "acme", Conversation: "conv/0"})
	every := watching(t, s, hub.Query{})
	drafts := watching(t, s, hub.Query{Kind: hub.KindDraft})

	put(t, s, ticket(1, "bob", "not for ann"), 0)
	rev := put(t, s, ticket(7, "ann", "for ann"), 0)
	if r := <-mine; r.Revision != rev || string(r.Data) != "for ann" || r.Address.Person != "ann" {
		t.Errorf("ann is told of %+v", r)
	}
	if r := <-tenant; r.Address.ID != "ask_1" {
		t.Errorf("the conversation is told of %+v", r)
	}
	for range 2 {
		<-every
	}
	d := ticket(1, "ann", "a draft")
	d.Kind = hub.KindDraft
	put(t, s, d, 0)
	if r := <-drafts; r.Kind != hub.KindDraft || string(r.Data) != "a draft" {
		t.Errorf("the draft is %+v", r)
	}
	if len(mine)+len(tenant)+len(every) > 0 {
		t.Error("somebody is told more than they asked for")
	}
}

// A refused write rings nothing.
func TestWatchNoRefusedWrites(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	got := watching(t, s, hub.Query{})
	r := ticket(1, "ann", "one")
	put(t, s, r, 0)
	<-got
	_, err := s.Put(t.Context(), r, 0)
	wantError(t, err, hub.ErrConflict)
	put(t, s, ticket(2, "ann", "two"), 0)
	if r := <-got; r.Address.ID != "ask_2" {
		t.Errorf("told of %+v", r)
	}
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s, err := natsstore.Open(t.Context(), nc, nil)
	must(t, err)
	ended := make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		ended <- s.Watch(t.Context(), hub.Query{}, func() { close(ready) }, func(hub.Record) {})
	}()
	<-ready
	must(t, s.Close())
	if err := <-ended; err == nil {
		t.Error("Watch ended without an error")
	}
	if err := s.Watch(t.Context(), hub.Query{}, nil, func(hub.Record) {}); err == nil {
		t.Error("Watch on a closed store returned no error")
	}

	s, err = natsstore.Open(t.Context(), nc, nil)
	must(t, err)
	defer s.Close()
	ready = make(chan struct{})
	go func() {
		ended <- s.Watch(t.Context(), hub.Query{}, func() { close(ready) }, func(hub.Record) {})
	}()
	<-ready
	nc.Close()
	if err := <-ended; err == nil {
		t.Error("Watch ended without an error")
	}
}

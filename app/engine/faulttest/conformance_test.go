package faulttest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// TestOnThree holds three processes to the contracts of a store and of the hub.
func TestOnThree(t *testing.T) {
	faults(t)
	e := newEngine(t)
	fresh := func(t *testing.T) hub.Store { return e.store(t, natsstore.Options{}) }
	t.Run("store", func(t *testing.T) { hubtest.Run(t, fresh, e.options()) })
	t.Run("rules", func(t *testing.T) { hubtest.RunHub(t, fresh, e.options()) })
	t.Run("replicas", e.testReplicas)
	t.Run("fences", e.testFences)
	t.Run("unsure", e.testUnsure)
}

// testReplicas opens a store again without a word about replicas, which must not make it less safe.
func (e *engine) testReplicas(t *testing.T) {
	s := e.store(t, natsstore.Options{})
	o := e.made[s]
	o.Replicas = 0
	openStore(t, e.conns[0], &o)
	if n := streamInfo(t, e.conns[0], o.Prefix+"-ASK2-00").Config.Replicas; n != 3 {
		t.Errorf("the stream has %d replicas now", n)
	}
}

// testUnsure: what passes from node to node may be lost without any sign, and the store says so.
func (e *engine) testUnsure(t *testing.T) {
	s := e.store(t, natsstore.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ready, heard := make(chan struct{}), make(chan hub.Record, 1)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		s.Watch(ctx, hub.Query{Tenant: tenant}, func() { close(ready) }, func(r hub.Record) {
			if r.Kind != "" {
				heard <- r
			}
		})
	})
	<-ready
	_, err := s.Put(ctx, hub.Record{Kind: hub.KindTicket, Address: hub.Address{Tenant: tenant, Conversation: "c", ID: "one"}, Data: []byte("{}")}, 0)
	must(t, err)
	if r := <-heard; !r.Unsure {
		t.Errorf("told for certain: %+v", r)
	}
}

// testFences counts the writes that reads cost: at least one, and one for many that come together.
func (e *engine) testFences(t *testing.T) {
	s := e.store(t, natsstore.Options{})
	stream := e.made[s].Prefix + "-ASK2-00"
	before := lastSequence(t, e.conns[0], stream)
	const together, rounds = 64, 20
	for range rounds {
		var all sync.WaitGroup
		for range together {
			all.Go(func() {
				if _, err := s.Get(t.Context(), hub.KindTicket, hub.Address{Tenant: tenant, ID: "nobody's"}); !errors.Is(err, hub.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if n := lastSequence(t, e.conns[0], stream) - before; n < rounds || n > together*rounds/4 {
		t.Errorf("%d reads cost %d writes", together*rounds, n)
	} else {
		t.Logf("%d reads cost %d writes", together*rounds, n)
	}
}

func (e *engine) options() *hubtest.Options {
	return &hubtest.Options{
		Peer:      e.peer,
		Limited:   func(t *testing.T, n int) hub.Store { return e.store(t, natsstore.Options{MaxAsks: int64(n)}) },
		Races:     either(20, 1000),
		Sequences: either(5, 50),
	}
}

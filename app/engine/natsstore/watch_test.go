package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// quick finds out at once what was missed.
func quick(o natsstore.Options) *natsstore.Options {
	o.Doubt = 240 * time.Millisecond
	return &o
}

// losing loses the next notifications of an id, and counts them.
func losing(s *natsstore.Store, id string) *atomic.Int32 {
	n := new(atomic.Int32)
	s.Lose(func(m *nats.Msg) bool {
		if strings.HasSuffix(m.Subject, "."+id) {
			n.Add(1)
			return true
		}
		return false
	})
	return n
}

func nothingBut(t *testing.T, got <-chan hub.Record, id string) {
	t.Helper()
	if r := <-got; r.Address.ID != id {
		t.Fatalf("told of %+v, want %q", r, id)
	}
}

// What is lost at the end is found out, by those whom it concerns and by nobody else.
func TestWatchLost(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			s := alone(t, quick(natsstore.Options{Shards: shards}))
			ann, bob, carl := "ann", "bob", "carl"
			mine := watching(t, s, hub.Query{Tenant: "acme", Person: &ann})
			asker := watching(t, s, hub.Query{Tenant: "acme", Asker: &carl})
			conversation := watching(t, s, hub.Query{Tenant: "acme", Conversation: "conv/0"})
			every := watching(t, s, hub.Query{})
			others := watching(t, s, hub.Query{Tenant: "acme", Person: &bob})
			losing(s, "ask_1")
			lost := ticket(1, "ann", "one")
			lost.Address.Asker = "carl"
			put(t, s, lost, 0)
			for _, got := range []<-chan hub.Record{mine, asker, conversation, every} {
				nothingBut(t, got, "")
			}
			put(t, s, ticket(2, "bob", "two"), 0)
			nothingBut(t, others, "ask_2")
			nothingBut(t, conversation, "ask_2")
			nothingBut(t, every, "ask_2")
			again := lost
			again.Address.ID = "ask_3"
			put(t, s, again, 0)
			nothingBut(t, mine, "ask_3")
			nothingBut(t, asker, "ask_3")
		})
	}
}

// After a disturbance a watch is told at once that it may have missed something, and before anything that comes later.
func TestWatchDisturbed(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(t *testing.T, nc *nats.Conn){
		"election": func(t *testing.T, nc *nats.Conn) {
			must(t, nc.Publish("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.ASK2-00", []byte("{}")))
		},
		"connection": func(t *testing.T, nc *nats.Conn) { must(t, nc.ForceReconnect()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, nc := serve(t)
			s := open(t, nc, &natsstore.Options{Mark: srv, Doubt: time.Hour})
			ann := "ann"
			mine := watching(t, s, hub.Query{Tenant: "acme", Person: &ann})
			sessions := watching(t, s, hub.Query{Kind: hub.KindSession})
			put(t, s, ticket(1, "ann", "x"), 0)
			if r := <-mine; r.Address.ID != "ask_1" || r.Unsure {
				t.Fatalf("told of %+v", r)
			}
			disturb(t, nc)
			put(t, s, ticket(2, "ann", "x"), 0)
			nothingBut(t, mine, "")
			nothingBut(t, mine, "ask_2")
			if name == "election" && len(sessions) > 0 {
				t.Error("a watch of another stream is told")
			}
		})
	}
}

// A watch that is too slow is told that it missed something.
func TestWatchFlood(t *testing.T) {
	t.Parallel()
	s := alone(t, quick(natsstore.Options{NoAudit: true}))
	ctx, cancel := context.WithCancel(t.Context())
	ready, held, missed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		s.Watch(ctx, hub.Query{}, func() { close(ready) }, func(r hub.Record) {
			<-held
			if r.Kind == "" {
				once.Do(func() { close(missed) })
			}
		})
	})
	defer wg.Wait()
	defer cancel()
	<-ready
	fill(t, s, "ann", 6000)
	close(held)
	select {
	case <-missed:
	case <-time.After(2 * time.Minute):
		t.Error("nobody is told")
	}
}

// That a record was forgotten is no reason for doubt.
func TestWatchForgotten(t *testing.T) {
	t.Parallel()
	s := alone(t, quick(natsstore.Options{}))
	got := watching(t, s, hub.Query{})
	r := ticket(1, "ann", "short")
	r.Closed, r.TTL = true, time.Second
	put(t, s, r, 0)
	nothingBut(t, got, "ask_1")
	eventually(t, "the ticket is forgotten", func() bool {
		_, err := s.Get(t.Context(), r.Kind, r.Address)
		return errors.Is(err, hub.ErrNotFound)
	})
	rounds := s.Checks()
	eventually(t, "some checks", func() bool { return s.Checks() > rounds+3 })
	put(t, s, ticket(2, "ann", "two"), 0)
	nothingBut(t, got, "ask_2")
}

// Thousands of watches cost little, and a change costs those that it does not concern nothing.
func TestWatchMany(t *testing.T) {
	const n = 2000
	s := alone(t, &natsstore.Options{Shards: 4, NoAudit: true})
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc // the stacks are those of the callers
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told atomic.Int32
	var ready, ended sync.WaitGroup
	before := used()
	for i := range n {
		person := fmt.Sprint("person-", i)
		ready.Add(1)
		ended.Go(func() {
			s.Watch(ctx, hub.Query{Tenant: "acme", Person: &person}, ready.Done, func(hub.Record) { told.Add(1) })
		})
	}
	ready.Wait()
	var each uint64
	eventually(t, "a watch costs less than 4 KB, at both ends of the connection", func() bool {
		if now := used(); now > before {
			each = (now - before) / n
		}
		return each < 4<<10
	})
	t.Logf("%d bytes for each watch", each)
	put(t, s, ticket(1, "person-7", "x"), 0)
	eventually(t, "one is told", func() bool { return told.Load() == 1 })
	cancel()
	ended.Wait()
}

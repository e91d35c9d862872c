package natsstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// The suites have limits of time, so they have the machine to themselves.

func TestConformance(t *testing.T) {
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			e := newEngine(t)
			hubtest.Run(t, func(t *testing.T) hub.Store { return e.store(t, natsstore.Options{Shards: shards, Settled: 1}) }, &hubtest.Options{
				Peer: e.peer, Settle: putAway, Deaf: deafen,
				Limited: func(t *testing.T, n int) hub.Store {
					return e.store(t, natsstore.Options{Shards: shards, MaxAsks: int64(n)})
				},
			})
		})
	}
}

// putAway makes a store do at once what it does when a ticket is settled for a while.
func putAway(t *testing.T, s hub.Store) {
	must(t, s.(*natsstore.Store).Copy(t.Context()))
	must(t, s.(*natsstore.Store).Clear(t.Context()))
}

func TestRules(t *testing.T) {
	e := newEngine(t)
	fresh := func(t *testing.T, max int) hub.Store {
		return e.store(t, natsstore.Options{Shards: 2, NoAudit: true, MaxAsks: int64(max)})
	}
	hubtest.RunHub(t, func(t *testing.T) hub.Store { return fresh(t, 0) }, &hubtest.Options{
		Peer: e.peer, Limited: func(t *testing.T, n int) hub.Store { return fresh(t, n) },
	})
}

// engine is one server with many stores, each with a prefix of its own.
type engine struct {
	nc    *nats.Conn
	made  map[hub.Store]natsstore.Options
	count int
}

func newEngine(t *testing.T) *engine {
	_, nc := serve(t)
	return &engine{nc: nc, made: map[hub.Store]natsstore.Options{}}
}

func (e *engine) store(t *testing.T, o natsstore.Options) hub.Store {
	e.count++
	o.Prefix, o.Doubt = fmt.Sprint("s", e.count), time.Second
	s := open(t, e.nc, &o)
	e.made[s] = o
	return s
}

// deafen loses all notifications of a store.
func deafen(s hub.Store, deaf bool) {
	if deaf {
		s.(*natsstore.Store).Lose(func(*nats.Msg) bool { return true })
	} else {
		s.(*natsstore.Store).Lose(nil)
	}
}

// peer is a second store over the streams of the first, as another process has it.
func (e *engine) peer(t *testing.T, s hub.Store) hub.Store {
	o := e.made[s]
	return open(t, e.nc, &o)
}

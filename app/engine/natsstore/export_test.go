package natsstore

import (
	"context"

	"github.com/nats-io/nats.go"
)

// For the tests of package natsstore_test.
var (
	Token   = token
	Untoken = untoken
	ShardOf = shardOf

	Acknowledged = acknowledged
)

// Ask is how a store sends a request and gets the answer.
type Ask = func(context.Context, *nats.Msg) (*nats.Msg, error)

// Meddle puts something between the store and the server. Nothing else may use the store meanwhile.
func (s *Store) Meddle(f func(Ask) Ask) { s.ask = f(s.ask) }

// Deafen ends the subscription to the events.
func (s *Store) Deafen() { unsubscribe(s.events) }

// Rewind makes the store believe that the last events of a shard did not come.
func (s *Store) Rewind(shard int, events uint64) {
	s.bell.catchUp(shard, s.bell.heard(shard)-events)
}

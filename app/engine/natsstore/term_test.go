package natsstore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// A write that is never answered is tried again as soon as there is another leader, long before its time is over.
func TestElectionEndsRequests(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, &natsstore.Options{Timeout: time.Hour, RetryFor: time.Hour})
	var writes atomic.Int32
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if !isWrite(m) || writes.Add(1) > 1 {
				return ask(ctx, m)
			}
			if err := nc.Publish("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.ASK2-00", []byte("{}")); err != nil {
				return nil, err
			}
			<-ctx.Done() // the old leader is gone
			return nil, ctx.Err()
		}
	})
	put(t, s, ticket(1, "ann", "one"), 0)
	if n := writes.Load(); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}

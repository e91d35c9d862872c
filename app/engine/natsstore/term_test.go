package natsstore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// A write that is never answered is tried again as soon as there is another leader of any stream, long before its time is
// over.
func TestElectionEndsRequests(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, &natsstore.Options{Timeout: time.Hour, RetryFor: time.Hour})
	for i, stream := range []string{"ASK2-00", "DRF2-00", "AUX2-00", "DUE2-00", "HIS2-00", "KEY2-00"} {
		var writes atomic.Int32
		s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
			return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
				if !isWrite(m) || writes.Add(1) > 1 {
					return ask(ctx, m)
				}
				if err := nc.Publish("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."+stream, []byte("{}")); err != nil {
					return nil, err
				}
				select {
				case <-ctx.Done(): // the old leader is gone
					return nil, ctx.Err()
				case <-time.After(time.Minute):
					t.Errorf("a request waits on when %s has another leader", stream)
					return ask(ctx, m)
				}
			}
		})
		put(t, s, ticket(i+1, "ann", stream), 0)
		if n := writes.Load(); n != 2 && !t.Failed() {
			t.Errorf("%s: %d writes, want 2", stream, n)
		}
	}
}

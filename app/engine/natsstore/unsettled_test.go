package natsstore

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// TestUnsettled tells what a cluster that has just begun says from what it will say tomorrow.
func TestUnsettled(t *testing.T) {
	for want, all := range map[bool][]error{
		true: {
			&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
			&jetstream.APIError{Code: 400, ErrorCode: 10005, Description: "no suitable peers for placement"},
			nats.ErrTimeout, nats.ErrNoResponders,
		},
		false: {
			&jetstream.APIError{Code: 400, ErrorCode: 10074, Description: "replicas > 1 not supported in non-clustered mode"},
			nats.ErrAuthorization, errors.New("the store has another number of shards"),
		},
	} {
		for _, err := range all {
			if got := errors.Is(unsettled(fmt.Errorf("stream ASK2-00: %w", err)), hub.ErrUndecided); got != want {
				t.Errorf("%v is undecided: %v, want %v", err, got, want)
			}
		}
	}
}

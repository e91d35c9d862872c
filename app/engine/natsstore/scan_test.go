package natsstore_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// An answer of several messages of which some are lost is not taken for all of it: it is asked for again from there.
func TestAnswerWithHole(t *testing.T) {
	t.Parallel()
	message := func(seq, before int) *nats.Msg {
		return &nats.Msg{Header: nats.Header{"Nats-Sequence": {fmt.Sprint(seq)}, "Nats-Last-Sequence": {fmt.Sprint(before)}, "Nats-Subject": {"x"}}}
	}
	end := &nats.Msg{Header: nats.Header{"Status": {"204"}, "Nats-Num-Pending": {"0"}, "Nats-Last-Sequence": {"9"}, "Nats-UpTo-Sequence": {"12"}}}
	whole := []*nats.Msg{message(3, 0), message(5, 3), message(9, 5), end}
	for lost := range len(whole) {
		name := fmt.Sprint("without ", lost)
		answers := slices.Delete(slices.Clone(whole), lost, lost+1)
		want := []uint64{3, 5, 9}[:lost]
		if lost == len(whole)-1 {
			name, answers = "whole", whole
		}
		t.Run(name, func(t *testing.T) {
			taken, from, err := natsstore.Receive(t.Context(), answers...)
			next := uint64(1)
			if len(want) > 0 {
				next = want[len(want)-1] + 1
			}
			if !slices.Equal(taken, want) || from != next {
				t.Errorf("took %d and goes on at %d, want %d and %d", taken, from, want, next)
			}
			if holed := errors.Is(err, nats.ErrTimeout); holed != (name != "whole") || !holed && err != nil {
				t.Errorf("error %v", err)
			}
		})
	}
}

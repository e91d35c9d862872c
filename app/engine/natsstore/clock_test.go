package natsstore_test

import (
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// The server of a test has the clock of this process, so the one that is off is ours.
func TestReadClock(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 1})
	r, err := s.ReadClock(t.Context(), 3, time.Now)
	if err != nil || r.Ahead != 0 || !r.Newest.IsZero() || !r.Near {
		t.Errorf("got %+v, %v", r, err)
	}
	put(t, s, ticket(1, "ann@example.org", "one"), 0)
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		r, err := s.ReadClock(t.Context(), 0, func() time.Time { return time.Now().Add(off) })
		must(t, err)
		if d := r.Ahead + off; d.Abs() > time.Minute || time.Since(r.Newest).Abs() > time.Minute {
			t.Errorf("a clock that is off by %v: %+v", off, r)
		}
	}
}

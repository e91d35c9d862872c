package natsstore_test

import (
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// TestStats: a store tells how much it holds, and since when the oldest ticket waits.
func TestStats(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{MaxAsks: 10})
	stats := func() natsstore.ShardStats {
		t.Helper()
		all, err := s.Stats(t.Context())
		must(t, err)
		if len(all.Shards) != 1 || all.MaxAsks != 10 || all.Bytes < all.Shards[0].Bytes || all.Shards[0].Leader == "" {
			t.Fatalf("%+v", all)
		}
		return all.Shards[0]
	}
	if got := stats(); got.Records != 0 || !got.Oldest.IsZero() {
		t.Errorf("of nothing: %+v", got)
	}
	before := time.Now().Add(-time.Second)
	one, two := ticket(1, "ann", "one"), ticket(2, "ann", "two")
	rev := put(t, s, one, 0)
	first := stats().Oldest
	if first.Before(before) || first.After(time.Now().Add(time.Second)) {
		t.Errorf("the oldest is of %v", first)
	}
	rev2 := put(t, s, two, 0)
	if got := stats(); got.Records != 2 || got.Bytes == 0 || !got.Oldest.Equal(first) {
		t.Errorf("of two: %+v, the first is of %v", got, first)
	}
	one.Closed, one.TTL = true, time.Hour
	rev = put(t, s, one, rev)
	second := stats().Oldest
	if !second.After(first) {
		t.Errorf("after the first was closed: %v, and that was of %v", second, first)
	}
	two.Closed, two.TTL = true, time.Hour
	put(t, s, two, rev2)
	if got := stats().Oldest; !got.IsZero() {
		t.Errorf("nothing is open: %v", got)
	}
	one.Closed, one.TTL = false, 0 // undone
	put(t, s, one, rev)
	if got := stats().Oldest; !got.After(second) {
		t.Errorf("after one was opened again: %v", got)
	}
}

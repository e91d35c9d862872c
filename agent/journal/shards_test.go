package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

func withShards(t *testing.T, s *natsserver.Server, n int) (*journal.NATS, error) {
	t.Helper()
	nc, err := s.Conn(t.Context(), "journal")
	if err != nil {
		t.Fatal(err)
	}
	return journal.OpenNATS(t.Context(), nc, &journal.NATSOptions{Mark: s, Shards: n})
}

func ids(t *testing.T, j *journal.NATS) int {
	t.Helper()
	all := map[string]bool{}
	if err := j.Heads(t.Context(), func(h journal.Head) bool { all[h.ID] = true; return true }); err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A journal keeps the streams it began with: what an earlier version wrote in one is
// found, whatever a later one would begin with.
func TestShardsStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, then int }{{0, 4}, {1, 4}, {4, 1}, {4, 0}, {3, 8}} {
		t.Run(fmt.Sprintf("%d then %d", c.first, c.then), func(t *testing.T) {
			t.Parallel()
			s := start(t, t.TempDir())
			const n = 40
			for round, shards := range []int{c.first, c.then} {
				j, err := withShards(t, s, shards)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					id := fmt.Sprint("c", i)
					var after uint64
					if round > 0 {
						log, err := j.Read(t.Context(), id)
						if err != nil || len(log.Records) != 1 {
							t.Fatalf("%s: %v, %v", id, log, err)
						}
						after = log.Last
					}
					if _, err := j.Append(t.Context(), id, record(1), after); err != nil {
						t.Fatal(err)
					}
				}
				if got := ids(t, j); got != n {
					t.Errorf("%d conversations, want %d", got, n)
				}
			}
			streams := streamsOf(t, s)
			if got, want := strings.Count(strings.Join(streams, " "), "CNV-"), max(c.first, 1); got != want {
				t.Errorf("the streams are %v, want %d of logs", streams, want)
			}
			j, err := withShards(t, s, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Purge(t.Context(), "c7"); err != nil || ids(t, j) != n-1 {
				t.Errorf("purge: %v, and then there are %d", err, ids(t, j))
			}
			first := true
			if err := j.Heads(t.Context(), func(journal.Head) bool { first = false; return false }); err != nil || first {
				t.Errorf("a list that is broken off: %v", err)
			}
		})
	}
}

func streamsOf(t *testing.T, s *natsserver.Server) (names []string) {
	t.Helper()
	nc, err := s.Conn(t.Context(), "look")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	return names
}

// Whoever does not know how the logs are spread would not find them, so the layout
// of several streams has a number of its own.
func TestShardsHaveTheirLayout(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	if _, err := withShards(t, s, 101); err == nil {
		t.Error("101 shards are taken")
	}
	if _, err := withShards(t, s, 2); err != nil {
		t.Fatal(err)
	}
	nc, err := s.Conn(t.Context(), "look")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	first, err := js.Stream(t.Context(), "CNV-00")
	if err != nil {
		t.Fatal(err)
	}
	cfg := first.CachedInfo().Config
	if cfg.Metadata["sayso_layout"] != "2" {
		t.Errorf("the layout is %q", cfg.Metadata["sayso_layout"])
	}
	for _, meta := range []map[string]string{
		{"sayso_layout": "3"},
		{"sayso_layout": "2", "sayso_shards": "none"},
		{"sayso_layout": "2", "sayso_shards": "0"},
	} {
		cfg.Metadata = meta
		if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		if _, err := withShards(t, s, 2); err == nil || !strings.Contains(err.Error(), "CNV-00") {
			t.Errorf("%v: %v", meta, err)
		}
	}
}

package journal_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/conversation"
)

// contract runs a test against every journal.
func contract(t *testing.T, test func(t *testing.T, j journal.Journal)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, journal.NewMemory())
	})
	t.Run("nats", func(t *testing.T) {
		t.Parallel()
		test(t, overNATS(t, start(t, t.TempDir()), ""))
	})
	t.Run("nats with shards", func(t *testing.T) {
		t.Parallel()
		j, err := withShards(t, start(t, t.TempDir()), 3)
		if err != nil {
			t.Fatal(err)
		}
		test(t, j)
	})
}

func start(t *testing.T, dir string) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir, MaxStore: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func overNATS(t *testing.T, s *natsserver.Server, tenant string) *journal.NATS {
	t.Helper()
	nc, err := s.Conn(t.Context(), "journal")
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.OpenNATS(t.Context(), nc, &journal.NATSOptions{Tenant: tenant, Mark: s})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func record(n int) journal.Record {
	return journal.Record{
		Conversation: "c", State: []byte(fmt.Sprintf(`{"n":%d}`, n)), Status: "idle",
		Entries: []conversation.Entry{{Role: conversation.RoleUser, ID: fmt.Sprint(n), Text: strings.Repeat("x", n)}},
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		ctx := t.Context()
		if _, err := j.Read(ctx, "c"); !errors.Is(err, journal.ErrNotFound) {
			t.Fatalf("reading nothing: %v", err)
		}
		var last uint64
		const n = 1200 // more than a batch
		for i := range n {
			seq, err := j.Append(ctx, "c", record(i), last)
			if err != nil {
				t.Fatal(err)
			}
			last = seq
		}
		l, err := j.Read(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Records) != n || l.Last != last {
			t.Fatalf("%d records up to %d, want %d up to %d", len(l.Records), l.Last, n, last)
		}
		for i, r := range l.Records {
			if r.Entries[0].ID != fmt.Sprint(i) || string(r.State) != fmt.Sprintf(`{"n":%d}`, i) {
				t.Fatalf("record %d is %+v", i, r)
			}
		}
		for _, after := range []uint64{0, last - 1, last + 1} {
			if _, err := j.Append(ctx, "c", record(0), after); !errors.Is(err, journal.ErrConflict) {
				t.Errorf("appending after %d: %v", after, err)
			}
		}
		if _, err := j.Append(ctx, "other one.*", record(1), 0); err != nil {
			t.Error(err)
		}
		seen := map[string]uint64{}
		if err := j.Heads(ctx, func(h journal.Head) bool { seen[h.ID] = h.Last; return true }); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 2 || seen["c"] != last || seen["other one.*"] == 0 {
			t.Errorf("the heads are %v", seen)
		}
	})
}

// A list is whole when there are more conversations than the server tells at once,
// or more bytes.
func TestHeadsOfMany(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		const n = 1100 // more than a batch
		want := map[string]uint64{}
		for i := range n {
			r := record(i % 7)
			if i%50 == 0 {
				r.Entries[0].Text = strings.Repeat("x", 600<<10)
			}
			id := fmt.Sprint("c", i)
			var err error
			if want[id], err = j.Append(t.Context(), id, r, 0); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]uint64{}
		if err := j.Heads(t.Context(), func(h journal.Head) bool { got[h.ID] = h.Last; return true }); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d heads, want %d", len(got), len(want))
		}
		some := 0
		if err := j.Heads(t.Context(), func(journal.Head) bool { some++; return some < 3 }); err != nil || some != 3 {
			t.Errorf("%d heads, %v", some, err)
		}
	})
}

func TestOneOfManyWins(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		var last uint64
		for round := range 20 {
			var wins []uint64
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					seq, err := j.Append(t.Context(), "c", record(round), last)
					switch {
					case err == nil:
						mu.Lock()
						wins = append(wins, seq)
						mu.Unlock()
					case !errors.Is(err, journal.ErrConflict):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if len(wins) != 1 {
				t.Fatalf("round %d: %d won", round, len(wins))
			}
			last = wins[0]
		}
	})
}

func TestHosts(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		ctx := t.Context()
		first, second := journal.Owner{Name: "h", Life: "1"}, journal.Owner{Name: "h", Life: "2"}
		there := func(o journal.Owner, want bool) {
			t.Helper()
			got, err := j.Attends(ctx, o)
			if err != nil || got != want {
				t.Fatalf("%v attends: %v, %v, want %v", o, got, err, want)
			}
		}
		attend := func(o journal.Owner, want error) {
			t.Helper()
			if err := j.Attend(ctx, o, time.Minute); !errors.Is(err, want) {
				t.Fatalf("%v attends: %v, want %v", o, err, want)
			}
		}
		there(first, false)
		attend(first, nil)
		attend(first, nil)
		there(first, true)
		there(second, false)
		attend(second, nil)
		there(first, false)
		there(second, true)
		attend(first, journal.ErrReplaced)
		there(second, true)
		if err := j.Leave(ctx, first); err != nil {
			t.Fatal(err)
		}
		there(second, true)
		if err := j.Leave(ctx, second); err != nil {
			t.Fatal(err)
		}
		there(second, false)
	})
}

// The name of a host that no longer says that it is there becomes free.
func TestHostIsForgotten(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		o := journal.Owner{Name: "h", Life: "1"}
		if err := j.Attend(t.Context(), o, time.Second); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			is, err := j.Attends(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !is {
				return
			}
		}
	})
}

// The server that guards its folder against lost records takes the journal for
// whole after every kind of write.
func TestJournalSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	j := overNATS(t, s, "")
	var last uint64
	for i := range 50 {
		var err error
		if last, err = j.Append(t.Context(), "c", record(i), last); err != nil {
			t.Fatal(err)
		}
		if err := j.Attend(t.Context(), journal.Owner{Name: "h", Life: fmt.Sprint(i % 3)}, time.Second); err != nil && !errors.Is(err, journal.ErrReplaced) {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	j = overNATS(t, start(t, dir), "")
	l, err := j.Read(t.Context(), "c")
	if err != nil || l.Last != last || len(l.Records) != 50 {
		t.Fatalf("%v, %v", l, err)
	}
	if _, err := overNATS(t, start(t, t.TempDir()), "other").Read(t.Context(), "c"); !errors.Is(err, journal.ErrNotFound) {
		t.Error(err)
	}
}

func TestTenantsAreApart(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	a, b := overNATS(t, s, "a"), overNATS(t, s, "b")
	if _, err := a.Append(t.Context(), "c", record(1), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), "c"); !errors.Is(err, journal.ErrNotFound) {
		t.Error(err)
	}
	if err := b.Heads(t.Context(), func(h journal.Head) bool { t.Error(h.ID); return true }); err != nil {
		t.Error(err)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		ctx := t.Context()
		var last uint64
		for i := range 3 {
			for _, id := range []string{"c", "c.d", "d"} {
				seq := last
				if id != "c" {
					l, err := j.Read(ctx, id)
					if err != nil && !errors.Is(err, journal.ErrNotFound) {
						t.Fatal(err)
					}
					seq = 0
					if l != nil {
						seq = l.Last
					}
				}
				seq, err := j.Append(ctx, id, record(i), seq)
				if err != nil {
					t.Fatal(err)
				}
				if id == "c" {
					last = seq
				}
			}
		}
		for range 2 { // the second time there is nothing
			if err := j.Purge(ctx, "c"); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Read(ctx, "c"); !errors.Is(err, journal.ErrNotFound) {
				t.Errorf("reading what was removed: %v", err)
			}
		}
		heads := map[string]bool{}
		if err := j.Heads(ctx, func(h journal.Head) bool { heads[h.ID] = true; return true }); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(heads, map[string]bool{"c.d": true, "d": true}) {
			t.Errorf("the heads are %v", heads)
		}
		if l, err := j.Read(ctx, "c.d"); err != nil || len(l.Records) != 3 {
			t.Errorf("another log: %v, %v", l, err)
		}
		if _, err := j.Append(ctx, "c", record(1), last); !errors.Is(err, journal.ErrConflict) {
			t.Errorf("writing on after it was removed: %v", err)
		}
		if _, err := j.Append(ctx, "c", record(1), 0); err != nil {
			t.Errorf("beginning anew: %v", err)
		}
	})
}

// What was removed is not missed by the server that guards its folder, even if
// everything dies at once; and it does not come back.
func TestPurgeSurvivesACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := overNATS(t, start(t, dir), "")
	last := map[string]uint64{}
	const records = 30
	for i := range records {
		for _, id := range []string{"c", "d"} {
			r := record(i)
			r.Entries[0].Text = strings.Repeat("x", 200<<10) // several files
			seq, err := j.Append(t.Context(), id, r, last[id])
			if err != nil {
				t.Fatal(err)
			}
			last[id] = seq
		}
	}
	ids := []string{"d", "c"}
	for n, id := range ids {
		if err := j.Purge(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		crashed := t.TempDir()
		err := os.CopyFS(crashed, os.DirFS(dir))
		for errors.Is(err, os.ErrNotExist) { // a file was replaced meanwhile
			crashed = t.TempDir()
			err = os.CopyFS(crashed, os.DirFS(dir))
		}
		if err != nil {
			t.Fatal(err)
		}
		after := overNATS(t, start(t, crashed), "")
		for i, id := range ids {
			l, err := after.Read(t.Context(), id)
			if i <= n && !errors.Is(err, journal.ErrNotFound) || i > n && (err != nil || len(l.Records) != records) {
				t.Errorf("after %d purges, %s is %v, %v", n+1, id, l, err)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	contract(t, func(t *testing.T, j journal.Journal) {
		r := record(1)
		r.Entries[0].Text = strings.Repeat("x", journal.MaxRecord)
		if _, err := j.Append(t.Context(), "c", r, 0); !errors.Is(err, journal.ErrTooLarge) {
			t.Error(err)
		}
		if _, err := j.Append(t.Context(), "c", record(1), 0); err != nil {
			t.Errorf("after a record that was too large: %v", err)
		}
	})
}

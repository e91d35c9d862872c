package storecheck

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestKilledInReplay kills a node of three twice. After the first time the server cuts two answers off the end of its
// stream, which it has in its Raft log too: their questions are live again until the log has been replayed.
func TestKilledInReplay(t *testing.T) {
	const id = "$G/ASK"
	for _, test := range []struct {
		name     string
		observed bool // between the cut and the second kill
		replayed bool // as well; then nothing may be missing any more
	}{{"at once", false, false}, {"observed", true, false}, {"after the replay", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			dirs := [3]string{t.TempDir(), t.TempDir(), t.TempDir()}
			writeThree(t, dirs)
			block := filepath.Join(dirs[0], "jetstream", "$G", "streams", "ASK", "msgs", "1.blk")
			short, err := os.ReadFile(block)
			must(t, err)
			h := blockHash("ASK", 1)
			whole := appendRecord(slices.Clone(short), h, 7, "ask.1", replacing("1"), "answer")
			whole = appendRecord(whole, h, 8, "ask.2", replacing("2"), "answer")
			// life is one of the process: it checks, sees the stream in these states, and is killed.
			life := func(states ...[]byte) error {
				t.Helper()
				g, err := Open(dirs[0], "")
				must(t, err)
				defer g.Close()
				if _, err := g.Check(t.Context()); err != nil {
					return err
				}
				must(t, g.Begin())
				for _, b := range states {
					must(t, os.WriteFile(block, b, 0o600))
					must(t, g.Observe(func() (map[string]State, error) { return map[string]State{id: stateOf(t, dirs[0], b)}, nil }))
				}
				return nil
			}
			must(t, life(short, whole))
			switch {
			case test.replayed:
				must(t, life(short, whole))
			case test.observed:
				must(t, life(short))
			default:
				must(t, life())
			}
			must(t, os.WriteFile(block, short, 0o600))
			err = life(whole)
			if damaged := new(DamagedError); errors.As(err, &damaged) != test.replayed || err != nil && !test.replayed {
				t.Errorf("the second start: %v", err)
			}
		})
	}
}

// stateOf is what a server says about the stream of writeThree with this block.
func stateOf(t *testing.T, dir string, b []byte) State {
	t.Helper()
	all, err := folders(filepath.Join(dir, "jetstream"))
	must(t, err)
	c, err := all[0].describe()
	must(t, err)
	s := State{Created: c.Created}
	live := map[string]record{}
	for h := blockHash("ASK", 1); len(b) > 0; {
		r, ok := readRecord(b, h)
		if !ok {
			t.Fatal("the block cannot be read")
		}
		live[string(r.subject)] = r
		s.Last = max(s.Last, r.seq)
		b = b[r.size:]
	}
	for _, r := range live {
		s.Messages++
		s.Bytes += uint64(r.size)
	}
	if s.Messages != 6 {
		t.Fatalf("%d subjects, not 6", s.Messages)
	}
	return s
}

package storecheck

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T, dir string) *marks {
	t.Helper()
	m, err := openMarks(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.close() })
	return m
}

func note(t *testing.T, m *marks, seq uint64) {
	t.Helper()
	if err := m.note("HUB/ASK", seq); err != nil {
		t.Fatal(err)
	}
}

func TestMarkOnlyRises(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir)
	var all sync.WaitGroup
	for i := range uint64(200) {
		all.Go(func() { note(t, m, i) })
	}
	all.Wait()
	// The process dies here: nothing is flushed or closed.
	if s, ok := open(t, dir).get("HUB/ASK"); !ok || s.Mark != 199 {
		t.Errorf("the mark is %d, %v, want 199", s.Mark, ok)
	}
}

func TestMarkSurvivesATornWrite(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir)
	note(t, m, 7)
	note(t, m, 8)
	path := filepath.Join(dir, "HUB", "ASK.mark")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marks := map[uint64]bool{}
	for slot := range 2 {
		torn := append([]byte(nil), b...)
		torn[slot*slotSize+30] ^= 1
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		s, _ := open(t, dir).get("HUB/ASK")
		marks[s.Mark] = true
	}
	if !marks[7] || !marks[8] {
		t.Errorf("with one slot torn the marks are %v, want the last and the one before", marks)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	m = open(t, dir)
	if _, ok := m.get("HUB/ASK"); ok || len(m.ids()) != 1 {
		t.Error("a mark that cannot be read is not known to be there")
	}
}

func TestObserveTellsStreamsApart(t *testing.T) {
	m := open(t, t.TempDir())
	note(t, m, 10)
	old, young := time.Unix(100, 0).UTC(), time.Unix(200, 0).UTC()
	for _, step := range []struct {
		s    State
		want uint64
	}{
		{State{Created: old, Last: 8}, 10},
		{State{Created: old, Last: 12}, 12},
		{State{Created: young, Last: 3}, 3},
	} {
		if err := m.observe("HUB/ASK", step.s); err != nil {
			t.Fatal(err)
		}
		if s, _ := m.get("HUB/ASK"); s.Mark != step.want {
			t.Errorf("after %+v the mark is %d, want %d", step.s, s.Mark, step.want)
		}
	}
}

func BenchmarkNote(b *testing.B) {
	m, err := openMarks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	seq := uint64(0)
	for b.Loop() {
		seq++
		if err := m.note("HUB/ASK", seq); err != nil {
			b.Fatal(err)
		}
	}
	if err := m.close(); err != nil {
		b.Fatal(err)
	}
}

package storecheck

import (
	"os"
	"path/filepath"
	"strings"
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
	if s, ok := open(t, dir).get("HUB/ASK"); !ok || s.mark != 199 {
		t.Errorf("the mark is %d, %v, want 199", s.mark, ok)
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
		marks[s.mark] = true
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
		if s, _ := m.get("HUB/ASK"); s.mark != step.want {
			t.Errorf("after %+v the mark is %d, want %d", step.s, s.mark, step.want)
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

// TestOpened: the server dropped a stream that could be read, or its end.
func TestOpened(t *testing.T) {
	g, err := Open(t.TempDir(), "Restore a backup")
	must(t, err)
	defer g.Close()
	must(t, g.Note("HUB/ASK", 10))
	for _, c := range []struct {
		name string
		now  map[string]State
		want string // part of the error
	}{
		{"all is there", map[string]State{"HUB/ASK": {Last: 10}}, ""},
		{"more is there", map[string]State{"HUB/ASK": {Last: 11}, "HUB/AUD": {}}, ""},
		{"the end is gone", map[string]State{"HUB/ASK": {Last: 7}}, "HUB/ASK lost 3 records"},
		{"the stream is gone", map[string]State{"HUB/AUD": {Last: 10}}, "HUB/ASK is gone"},
	} {
		err := g.Opened(c.now)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A process that is killed while it makes a mark leaves none, or a whole one: a mark
// that cannot be read would call a sound store damaged.
func TestMarkIsMadeWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	half := filepath.Join(dir, "HUB", "ASK.mark.new")
	if err := os.MkdirAll(half, 0o700); err != nil { // in the way of the first write
		t.Fatal(err)
	}
	m := open(t, dir)
	if err := m.note("HUB/ASK", 1); err == nil {
		t.Error("the mark was made although its first write failed")
	}
	if ids := open(t, dir).ids(); len(ids) != 0 {
		t.Errorf("there are marks of %v", ids)
	}
	if err := os.Remove(half); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(half, []byte("half of it"), 0o600); err != nil { // what the kill left
		t.Fatal(err)
	}
	m = open(t, dir)
	note(t, m, 2)
	if s, ok := open(t, dir).get("HUB/ASK"); !ok || s.mark != 2 {
		t.Errorf("the mark is %d, %v, want 2", s.mark, ok)
	}
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("what was half made is left: %v", err)
	}
}

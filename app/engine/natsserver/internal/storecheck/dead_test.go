package storecheck

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRevivals: question 1 was answered by 2; what is left of the subject decides whether the question would be back.
func TestRevivals(t *testing.T) {
	question, answer, marker := line{seq: 1, subject: "a", replaces: "0"}, line{seq: 2, subject: "a", replaces: "1"}, line{seq: 3, subject: "a"}
	grave := func(seq uint64) line { return line{seq: seq, grave: true} }
	for _, c := range []struct {
		name   string
		blocks [][]line
		want   []uint64
	}{
		{"all is there", [][]line{{question}, {answer}}, nil},
		{"the answer was rewritten away", [][]line{{question}, {}}, []uint64{1}},
		{"the answer has a tombstone", [][]line{{question}, {answer, grave(2)}}, []uint64{1}},
		{"the marker is there", [][]line{{question}, {marker}}, nil},
		{"answer and marker have tombstones", [][]line{{question}, {answer, marker}, {grave(2), grave(3)}}, []uint64{1}},
		{"buried already", [][]line{{question}, {grave(1)}}, nil},
	} {
		dead := newDead("")
		dead.add(1)
		if got := dead.revivals(blocksOf(t, c.blocks...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDeadIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "HUB", "ASK.dead")
	d := newDead(path)
	seqs := []uint64{1, 8, deadPerPage, 5*deadPerPage + 7}
	for _, seq := range seqs {
		d.add(seq)
	}
	read := func() (got []uint64) {
		t.Helper()
		again := newDead(path)
		if err := again.read(); err != nil {
			t.Fatal(err)
		}
		for _, seq := range append([]uint64{0, 2, deadPerPage + 1}, seqs...) {
			if again.has(seq) {
				got = append(got, seq)
			}
		}
		return got
	}
	if err := d.save(); err != nil {
		t.Fatal(err)
	}
	if got := read(); !slices.Equal(got, seqs) {
		t.Errorf("read back %v, want %v", got, seqs)
	}
	if err := d.keep(func(yield func(uint64)) { yield(8); yield(9) }); err != nil {
		t.Fatal(err)
	}
	if got := read(); !slices.Equal(got, []uint64{8}) {
		t.Errorf("kept %v, want 8 alone", got)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[100] ^= 1 // a page that cannot be trusted says nothing
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != nil {
		t.Errorf("a damaged page says %v", got)
	}
}

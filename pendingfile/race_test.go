//go:build unix

package pendingfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
)

// A racer puts links to other people's files in the place of ours, and other
// folders in the place of our folder, as fast as it can, while asks are written,
// read, closed and cleared. Nothing is ever written or read through a link.
func TestSymlinkSwaps(t *testing.T) {
	swaps := 10_000
	if os.Getenv("SAYSO_LONG") != "" {
		swaps = 100_000
	}
	p := newPlace(t)
	trap := newTrap(t, p)

	var done atomic.Bool
	finished := make(chan error, 1)
	work := newWorker(p)
	go func() {
		for !done.Load() || work.rounds < 20 {
			if err := work.round(); err != nil {
				finished <- err
				return
			}
		}
		finished <- nil
	}()
	for i := range swaps {
		trap.swap(i)
	}
	done.Store(true)
	if err := <-finished; err != nil {
		t.Error(err)
	}
	trap.check(t)
	t.Logf("%d swaps, %d rounds, %d operations let through, %d refused", swaps, work.rounds, work.ok, work.refused)
	if work.ok == 0 || work.refused == 0 {
		t.Error("the race did not happen")
	}
}

// worker does everything that can be done with asks. Under attack an operation
// may fail, but it must not be fooled.
type worker struct {
	*place
	asks                []*sayso.Ask
	rounds, ok, refused int
}

func newWorker(p *place) *worker { return &worker{place: p, asks: asks(2)} }

func (w *worker) round() error {
	ctx := context.Background()
	a := w.asks[w.rounds%len(w.asks)]
	w.rounds++
	count := func(err error) bool {
		if err == nil {
			w.ok++
		} else {
			w.refused++
		}
		return err == nil
	}
	p, err := w.Write(ctx, a)
	if count(err) {
		_, err = w.Close(ctx, p, answered)
		count(err)
	}
	for range 20 {
		p, err := w.Read("")
		if count(err) && p.Ask.ID != w.asks[0].ID && p.Ask.ID != w.asks[1].ID {
			return errors.New("read an ask that is none of ours")
		}
	}
	count(w.Clear(ctx, ""))
	if w.rounds%10 == 0 {
		count(w.ClearAll(ctx))
	}
	return nil
}

// trap is files and folders that must stay as they are, and asks in them that
// must not be read.
type trap struct {
	victims        []string // to link to: outside the workspace, and inside it
	hard           string   // to give a second name; see plain on why it may be read
	folders, links []string // where no file may appear, and what links to them say
	target, folder string
	aside          string
	canary         []byte
}

func newTrap(t *testing.T, p *place) *trap {
	t.Helper()
	canary := seedAsk()
	canary.ID = "ask_canary"
	p.write(t, canary)
	tr := &trap{
		canary: p.content(t), target: p.file(DefaultFile),
		folder: filepath.Join(p.path, DefaultFolder), aside: filepath.Join(p.path, "aside"),
	}
	if err := os.Remove(tr.target); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(p.path, "decoy")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		victim := filepath.Join(dir, DefaultFile)
		if err := os.WriteFile(victim, tr.canary, 0o600); err != nil {
			t.Fatal(err)
		}
		tr.victims, tr.folders = append(tr.victims, victim), append(tr.folders, dir)
	}
	tr.hard = filepath.Join(p.path, "hard")
	if err := os.WriteFile(tr.hard, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	tr.links = []string{tr.folders[0], "decoy"} // Root follows the second, as it stays inside
	return tr
}

// swap makes the i-th move. It fails where the other side was faster, which is
// what a race is.
func (tr *trap) swap(i int) {
	victim, folder := tr.victims[i/8%2], tr.links[i/8%2]
	switch i % 8 {
	case 0, 4:
		relink(victim, tr.target)
	case 1, 5:
		os.Remove(tr.target)
	case 2:
		os.Remove(tr.target)
		os.Link(tr.hard, tr.target)
	case 3:
		os.Symlink(victim, tr.aside+".link")
		os.Rename(tr.aside+".link", tr.target) // in one step, as the honest do
	case 6:
		if os.Rename(tr.folder, tr.aside) == nil {
			os.Symlink(folder, tr.folder)
		}
	case 7:
		if info, err := os.Lstat(tr.folder); err == nil && !info.IsDir() {
			os.Remove(tr.folder)
		}
		if os.Rename(tr.aside, tr.folder) != nil {
			os.RemoveAll(tr.aside) // the worker has made a new one
		}
	}
}

func (tr *trap) check(t *testing.T) {
	t.Helper()
	if data, err := os.ReadFile(tr.hard); err != nil || string(data) != "not JSON" {
		t.Errorf("%s was changed: %v\n%s", tr.hard, err, data)
	}
	for i, victim := range tr.victims {
		data, err := os.ReadFile(victim)
		if err != nil || string(data) != string(tr.canary) {
			t.Errorf("%s was changed: %v\n%s", victim, err, data)
		}
		if info, err := os.Stat(victim); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s is now %v", victim, info)
		}
		if entries, err := os.ReadDir(tr.folders[i]); err != nil || len(entries) != 1 {
			t.Errorf("%s holds %v, %v", tr.folders[i], entries, err)
		}
	}
}

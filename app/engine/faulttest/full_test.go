package faulttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_R15 fills the disk under the store, by files of others. Nothing is acknowledged that is not there
// afterwards, the server says what to do, and when that was done the store goes on, in the same process; a process that
// ends while the disk is full goes on with its next start.
func TestFigure_R15(t *testing.T) {
	faults(t)
	t.Run("ext4", func(t *testing.T) { fullDisk(t, "ext4", stopFull) })
	t.Run("xfs", func(t *testing.T) { fullDisk(t, "xfs", (*enginetest.Node).Kill) })
}

// stopFull stops a node on a full disk, which may keep it from writing down what it leaves; then it says so, and the next
// start reads the store as after a crash.
func stopFull(n *enginetest.Node) {
	if err := n.TryStop(); err != nil && !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		panic(err)
	}
}

func fullDisk(t *testing.T, fs string, end func(*enginetest.Node)) {
	disk := enginetest.NewDisk(t, fs, 320<<20)
	node := enginetest.StartNode(t, enginetest.Spec{Dir: filepath.Join(disk.Dir, "store")})
	acked := map[string]bool{}
	ask := func(h *hub.Hub) error {
		a := newAsk(fmt.Sprint("ask_", len(acked)))
		a.Questions[0].Body = strings.Repeat("why ", 2000)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := h.Submit(ctx, tenant, a)
		if err == nil {
			acked[a.ID] = true
		}
		return err
	}
	h := impatient(t, node)
	patiently := func() {
		t.Helper()
		within(t, 3*time.Minute, "ask", func(context.Context) error { return ask(h) }) // a busy disk may keep it waiting
	}
	for range 100 {
		patiently()
	}
	filler := filepath.Join(disk.Dir, "somebody else's")
	full := func() {
		fill(t, filler, 1<<20)
		var failed error
		for began, n, row := time.Now(), 0, 0; row < 3 || !isFull(t, disk.Dir); n++ { // a single failure may be one of a busy disk
			if failed = ask(h); failed != nil {
				row++
			} else {
				row = 0
			}
			if n > 400 || time.Since(began) > 100*time.Second { // there is room for some hundreds
				t.Fatalf("the disk is never full: %d tried in %v, the last: %v", n, time.Since(began), failed)
			}
		}
		t.Logf("%d asks, then: %v", len(acked), failed)
		if err := ask(h); err == nil {
			t.Error("an ask is acknowledged after another failed for want of room")
		}
	}
	full()
	within(t, time.Minute, "say what to do", func(context.Context) error {
		if !strings.Contains(node.Log(), natsserver.ErrStopped.Error()) {
			return errors.New(node.Log())
		}
		return nil
	})
	must(t, os.Remove(filler))
	began := time.Now()
	patiently()
	figure(t, "R15", time.Since(began).Round(10*time.Millisecond).Seconds(), "s-until-it-goes-on-by-itself")
	full()
	end(node)
	must(t, os.Remove(filler))
	r := node.Restart()
	h = impatient(t, node)
	patiently()
	lost := 0
	for id := range acked {
		if _, err := h.Get(t.Context(), hub.AddressOf(tenant, newAsk(id))); errors.Is(err, hub.ErrNotFound) {
			lost++
		} else if err != nil {
			t.Error(err)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged asks are gone", lost, len(acked))
	}
	t.Logf("started again in %v, with notes %q", r.Took, r.Store.Notes)
	figure(t, "R15", lost, fmt.Sprintf("lost/%d-asks", len(acked)))
}

// impatient opens a hub that gives up soon.
func impatient(t *testing.T, node *enginetest.Node) *hub.Hub {
	s := openStore(t, node.Connect(), &natsstore.Options{Timeout: time.Second, RetryFor: time.Second})
	return openHub(t, s, func(o *hub.Options) { o.Patience = time.Second })
}

// isFull reports whether there is no room for a few asks.
func isFull(t *testing.T, dir string) bool {
	name := filepath.Join(dir, "probe")
	err := os.WriteFile(name, make([]byte, 64<<10), 0o600)
	must(t, os.RemoveAll(name))
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return err != nil
}

// fill makes a file that leaves only so much room on its disk.
func fill(t *testing.T, path string, leave int64) {
	t.Helper()
	var st syscall.Statfs_t
	must(t, syscall.Statfs(filepath.Dir(path), &st))
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, syscall.Fallocate(int(f.Fd()), 0, 0, int64(st.Bavail)*st.Bsize-leave))
}

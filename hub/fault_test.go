package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/saysohq/sayso/hub"
)

func TestStorageError(t *testing.T) {
	t.Parallel()
	cause := errors.New("no space left on device")
	for _, tc := range []struct {
		err  *hub.StorageError
		want string
	}{
		{&hub.StorageError{Fault: hub.FaultDiskFull}, "the hub's disk is full: free some space"},
		{&hub.StorageError{Fault: hub.FaultDiskFull, Dir: "/d"}, "the hub's disk is full (/d): free some space"},
		{&hub.StorageError{Fault: hub.FaultDiskFull, Err: cause}, "the hub's disk is full (no space left on device): free some space"},
		{&hub.StorageError{Fault: hub.FaultDiskFull, Dir: "/d", Err: cause}, "the hub's disk is full (/d: no space left on device): free some space"},
		{&hub.StorageError{Fault: hub.FaultDamaged, Dir: "/d", Err: errors.New("record 7 is gone. Restore it")}, "record 7 is gone. Restore it"},
		{&hub.StorageError{Fault: hub.FaultNotWritable, Dir: "/d", Err: fmt.Errorf("making it: %w", &fs.PathError{Op: "mkdir", Path: "/d/e", Err: cause})},
			"the hub cannot write to its folder (/d/e: no space left on device): make the folder"},
		{&hub.StorageError{Fault: "unheard of"}, "the hub's store has stopped"},
	} {
		if got := tc.err.Error(); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	for _, f := range hub.Faults() {
		if got := hub.FaultOf(fmt.Errorf("storing: %w", &hub.StorageError{Fault: f})); got != f || f.What() == "" || f.Fix() == "" || strings.HasSuffix(f.Advice(), "by itself") == (f == hub.FaultDamaged) {
			t.Errorf("%s: found %q, %q, %q", f, got, f.What(), f.Fix())
		}
	}
	if got := hub.FaultOf(cause); got != "" {
		t.Errorf("%q is found in an error that tells of no fault", got)
	}
}

// broken is a store that takes no writes.
type broken struct {
	*hub.Memory
	puts int
}

func (b *broken) Put(context.Context, hub.Record, uint64) (uint64, error) {
	b.puts++
	return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, &hub.StorageError{Fault: hub.FaultDiskFull})
}

// TestFaultIsTold: a fault of the store is not tried again and again, as what may
// pass by itself is.
func TestFaultIsTold(t *testing.T) {
	t.Parallel()
	s := &broken{Memory: hub.NewMemory(nil)}
	h, err := hub.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	if _, err = h.Submit(t.Context(), "t", ofAsker("bot", "a", "Deploy?")); hub.FaultOf(err) != hub.FaultDiskFull || s.puts != 1 {
		t.Errorf("after %d writes: %v", s.puts, err)
	}
}

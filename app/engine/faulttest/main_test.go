package faulttest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// TestMain is R20 as well: after all other tests no goroutine and no file is left.
func TestMain(m *testing.M) {
	enginetest.Main(&enginetest.Role{Programs: map[string]enginetest.Program{"asker": asker}})
	before := openFiles()
	code := m.Run()
	if code == 0 {
		if err := leaks(before); err != nil {
			fmt.Fprintln(os.Stderr, "R20:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// leaks reports what the tests left behind.
func leaks(before []string) error {
	// A stream that copies another waits up to 30 s for the answer to a request it sent while the server shut down.
	if err := goleak.Find(goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3")); err != nil {
		return err
	}
	known := map[string]int{}
	for _, f := range before {
		known[f]++
	}
	var more []string
	for deadline := time.Now().Add(time.Minute); ; {
		more = nil
		seen := map[string]int{}
		for _, f := range openFiles() {
			if seen[f]++; seen[f] > known[f] {
				more = append(more, f)
			}
		}
		if len(more) == 0 || time.Now().After(deadline) {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	if len(more) > 0 {
		return fmt.Errorf("%d files were left open: %q", len(more), more)
	}
	return nil
}

// openFiles lists what this process has open; nothing where the system cannot tell.
func openFiles() (open []string) {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, fd := range fds {
		if target, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			open = append(open, kindOf(target))
		}
	}
	return open
}

// kindOf leaves the number of a socket or pipe out, so that another one in its place is no difference.
func kindOf(target string) string {
	for i := range len(target) {
		if target[i] == ':' {
			return target[:i]
		}
	}
	return target
}

// faults skips a test that takes long, unless it is asked for.
func faults(t testing.TB) {
	t.Helper()
	if os.Getenv("SAYSO_FAULTS") == "" && os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes minutes, and root: set SAYSO_FAULTS=1, or run .ci/run three faults partitions mutants")
	}
}

// long reports whether the form of a test that is put on record is wanted.
func long() bool { return os.Getenv("SAYSO_LONG") != "" }

// either returns the size of a test.
func either(short, onRecord int) int {
	if long() {
		return onRecord
	}
	return short
}

func figure(t testing.TB, id string, value any, unit string) {
	t.Helper()
	t.Logf("FIGURE %s %v %s", id, value, unit)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

//go:build unix

package console

import (
	"os"
	"syscall"
	"testing"
)

// TestSignals sends this process what a terminal or a service manager would. It
// runs alone: signals are for the whole process.
func TestSignals(t *testing.T) {
	signals, stop := Signals()
	defer stop()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		if got := <-signals; got != s {
			t.Errorf("got %v, want %v", got, s)
		}
	}
}

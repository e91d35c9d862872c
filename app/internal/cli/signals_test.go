package cli

import (
	"os"
	"syscall"
	"testing"
)

// TestSortSignals: a hangup ends every command but a server, which reloads.
func TestSortSignals(t *testing.T) {
	t.Parallel()
	all := make(chan os.Signal)
	s := sortSignals(all)
	defer s.stop()
	all <- syscall.SIGHUP
	if got := <-s.ends; got != syscall.SIGHUP {
		t.Errorf("%v", got)
	}
	s.server.Store(true)
	all <- syscall.SIGHUP
	all <- syscall.SIGHUP // while the first one is dealt with: it is the same reload
	all <- syscall.SIGTERM
	all <- os.Interrupt
	all <- os.Interrupt // as many as anybody waits for have come
	if one, two := <-s.ends, <-s.ends; one != syscall.SIGTERM || two != os.Interrupt {
		t.Errorf("%v, %v", one, two)
	}
	if got := <-s.reloads; got != syscall.SIGHUP || len(s.reloads) != 0 {
		t.Errorf("%v and %d more", got, len(s.reloads))
	}
}

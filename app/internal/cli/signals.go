package cli

import (
	"os"
	"sync/atomic"
	"syscall"
)

// signals are what the process is told, by what it means.
type signals struct {
	ends    chan os.Signal // the first one ends the command; a server takes further ones
	reloads chan os.Signal // read the settings again; see server

	server   atomic.Bool // a hangup means a reload, unless the terminal is gone
	terminal atomic.Bool // there was one
	done     chan struct{}
	over     chan struct{}
}

// sortSignals tells hangups from the rest until stop is called.
func sortSignals(all <-chan os.Signal) *signals {
	s := &signals{ends: make(chan os.Signal, 2), reloads: make(chan os.Signal, 1), done: make(chan struct{}), over: make(chan struct{})}
	go func() {
		defer close(s.over)
		for {
			select {
			case one := <-all:
				to := s.ends
				if one == syscall.SIGHUP && s.server.Load() && (hasTerminal() || !s.terminal.Load()) {
					to = s.reloads
				}
				select {
				case to <- one:
				default: // as many as anybody waits for have come
				}
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// serve has hangups mean a reload. It returns further signals that end the command,
// and those that reload.
func (s *signals) serve() (again, reload <-chan os.Signal) {
	if s == nil { // in a test
		return nil, nil
	}
	s.terminal.Store(hasTerminal())
	s.server.Store(true)
	return s.ends, s.reloads
}

func (s *signals) stop() { close(s.done); <-s.over }

// hasTerminal reports whether the process has a terminal that it would be told of
// the end of.
func hasTerminal() bool {
	f, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	f.Close()
	return true
}

package natsserver

import (
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/saysohq/sayso/hub"
)

// condition is whether the store takes writes, as far as is known.
type condition struct {
	mu      sync.Mutex
	fault   *hub.StorageError // nil: it does
	changed chan struct{}     // closed when that changes
}

// Fault returns why the store takes no writes now, as a *hub.StorageError, or nil while it does. The channel is closed when
// that changes. A write that the disk refuses is known at once, what nobody has written into within ObserveEvery.
func (s *Server) Fault() (changed <-chan struct{}, err error) {
	c := &s.condition
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault != nil {
		err = c.fault
	}
	return c.changed, err
}

// set notes the fault, nil for none, and reports whether it is another than before.
func (c *condition) set(f *hub.StorageError) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := (f == nil) == (c.fault == nil) && (f == nil || f.Fault == c.fault.Fault)
	c.fault = f
	if !same {
		close(c.changed)
		c.changed = make(chan struct{})
	}
	return !same
}

// unable notes why there can be no writes.
func (s *Server) unable(err error) {
	var f *hub.StorageError
	if !errors.As(Explain(s.opts.Dir, err), &f) {
		f = &hub.StorageError{Fault: hub.FaultStopped, Dir: s.opts.Dir, Err: err}
	}
	if s.condition.set(f) {
		s.opts.Logger.Error("the store takes no writes", "folder", s.opts.Dir, "reason", string(f.Fault), "error", err)
	}
}

// able notes that there can be writes.
func (s *Server) able() {
	if s.log.frozen.Load() {
		return // meanwhile
	}
	if s.condition.set(nil) {
		s.opts.Logger.Warn("the store takes writes again", "folder", s.opts.Dir)
	}
}

// hindered returns what would keep the next write from the disk, though the server does not know it yet. It is cheap: it
// writes nothing.
func (s *Server) hindered() error {
	if _, err := Room(s.opts.Dir); err != nil {
		return err
	}
	f, err := os.Open(s.opts.Dir) // the store opens files all the time
	if err != nil {
		return Explain(s.opts.Dir, err)
	}
	return f.Close()
}

// stoppedBy is told by the log that the server has stopped writing. It must not wait: the server holds its locks.
func (s *Server) stoppedBy(text string) {
	err := errors.New(text)
	for _, r := range refusals {
		if strings.Contains(text, r.errno.Error()) {
			err = r.errno
			break
		}
	}
	s.unable(err)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

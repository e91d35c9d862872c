package natsserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// room is how much must be writable again before the store is opened anew.
const room = 4 << 20

// tryReopen opens the store anew if it can be; the next observation tries again if it cannot.
func (s *Server) tryReopen() {
	if err := s.reopen(); err != nil {
		s.opts.Logger.Error("the store cannot be opened again yet", "folder", s.opts.Dir, "error", err)
		s.unable(err)
		return
	}
	s.able()
	s.mend()
}

// reopen ends the server after a failed write (a full disk, mostly) and starts another on the same store, as soon as the
// disk takes writes again: the server itself refuses every write until then. Connections of Conn come back by themselves.
func (s *Server) reopen() error {
	if err := s.hindered(); err != nil {
		return err
	}
	if err := s.probe(); err != nil {
		return err
	}
	s.shutdown()
	s.log.frozen.Store(false)
	if err := s.recheck(context.Background()); err != nil {
		s.fail(err) // damaged: a person must look at it, and nothing is served until then
		return err
	}
	if err := s.startInner(context.Background()); err != nil {
		return err
	}
	if err := s.compare(); err != nil {
		s.shutdown() // a stream could not be opened, though it could be read
		return err
	}
	return nil
}

// probe reports whether the disk takes writes.
func (s *Server) probe() error {
	path := filepath.Join(s.opts.Dir, "probe")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, room))
	err = errors.Join(err, f.Sync(), f.Close(), os.Remove(path))
	if err != nil {
		return fmt.Errorf("the disk takes no writes: %w", err)
	}
	return nil
}

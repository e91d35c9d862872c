package natsserver

import (
	"errors"
	"time"
)

// ErrStopped is what Err returns after a write failed, most often because the disk is full, until the disk takes writes
// again: the server takes no more writes meanwhile. What was acknowledged is not lost.
var ErrStopped = errors.New("the store has stopped because it could not write, and nothing acknowledged is lost: " +
	"make room on the disk, or see to it, and it goes on by itself")

// Err returns the first thing that went wrong with the store or its guard while running, nil while all is well and again
// when it is.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Server) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	// That the store has stopped is told also after something else failed for want of room.
	first := s.err == nil || errors.Is(err, ErrStopped) && !errors.Is(s.err, ErrStopped)
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first {
		s.opts.Logger.Error("the store or its guard failed", "folder", s.opts.Dir, "error", err)
	}
}

// watch keeps the marks and the observations fresh until the server is closed.
func (s *Server) watch() {
	flush := time.NewTicker(s.opts.FlushEvery)
	defer flush.Stop()
	observe := time.NewTicker(s.opts.ObserveEvery)
	defer observe.Stop()
	for {
		select {
		case <-s.stop:
			s.fail(s.observe())
			return
		case <-flush.C:
			s.fail(s.flush())
		case <-observe.C:
			s.look()
		case <-s.wake:
			s.look()
		}
	}
}

// look finds out whether the store takes writes, and opens it anew if it has stopped and can be.
func (s *Server) look() {
	err := s.observe()
	if errors.Is(err, ErrStopped) {
		s.fail(err)
		s.tryReopen()
		return
	}
	s.fail(err)
	if hinder := errors.Join(s.hindered(), s.flush()); hinder != nil {
		s.unable(hinder)
		return
	}
	if err != nil && fault(err) != "" {
		s.unable(err)
		return
	}
	s.able()
	if err == nil {
		s.mend()
	}
}

// mend forgets what went wrong: it is no longer so.
func (s *Server) mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = nil
}

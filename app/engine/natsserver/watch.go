package natsserver

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/saysohq/sayso/app/engine/natsserver/internal/storecheck"
)

// Note says that the write with this sequence was acknowledged, so that a later start notices when it is gone. Call it
// after each acknowledgement and before anybody else is told; it costs about a microsecond. A mark that cannot be written
// is an error: the promise could not be checked later.
func (s *Server) Note(stream string, seq uint64) error {
	if err := s.guard.Note(id(stream), seq); err != nil {
		return fmt.Errorf("high-water mark of %s: %w", stream, err)
	}
	return nil
}

// Checkpoint observes the streams now. Call it after records were removed on purpose (a purge), so that a crash within the
// next second does not make them look lost.
func (s *Server) Checkpoint() error {
	if err := s.observe(); err != nil {
		return err
	}
	return s.guard.Flush()
}

// ErrStopped is what Err returns after a write failed, most often because the disk is full, until the disk takes writes
// again: the server takes no more writes meanwhile. What was acknowledged is not lost.
var ErrStopped = errors.New("the store has stopped because it could not write, and nothing acknowledged is lost: " +
	"make room on the disk, or see to it, and it goes on by itself")

// Err returns the first thing that went wrong with the store or its guard while running, nil while all is well.
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
	first := s.err == nil
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
			s.fail(s.guard.Flush())
		case <-observe.C:
			err := s.observe()
			s.fail(err)
			if errors.Is(err, ErrStopped) {
				s.tryReopen()
			}
		}
	}
}

func id(stream string) string { return hubAccount + "/" + stream }

// streams returns the state of every stream, by the guard's name for it.
func (s *Server) streams() (map[string]storecheck.State, error) {
	info, err := s.inner.Load().JszAccount(&server.JSzOptions{Account: hubAccount, Streams: true, Config: true})
	if err != nil {
		return nil, err
	}
	all := map[string]storecheck.State{}
	for _, d := range info.Streams {
		if d.Config.PersistMode != server.DefaultPersistMode {
			return nil, fmt.Errorf("stream %s is set to acknowledge before its records are on the disk", d.Name)
		}
		all[id(d.Name)] = storecheck.State{
			Created: d.Created, Last: d.State.LastSeq, Messages: d.State.Msgs, Bytes: d.State.Bytes, First: d.State.FirstSeq, FirstTime: d.State.FirstTime,
		}
	}
	return all, nil
}

func (s *Server) observe() error {
	if !s.inner.Load().JetStreamEnabled() || s.log.frozen.Load() {
		return ErrStopped
	}
	if err := s.guard.Observe(s.streams); err != nil {
		return fmt.Errorf("observe the streams: %w", err)
	}
	return nil
}

// compare holds what the server opened against the marks: it may have dropped a stream that could be read. The streams of
// a cluster appear only with its leader, and their ends are its business.
func (s *Server) compare() error {
	if s.opts.Cluster != nil || s.opts.noCheck {
		return nil
	}
	now, err := s.streams()
	if err != nil {
		return fmt.Errorf("list the streams: %w", err)
	}
	var lost []Damage
	for _, id := range s.guard.Known() {
		was, _ := s.guard.State(id)
		have, ok := now[id]
		switch {
		case !ok:
			lost = append(lost, Damage{Stream: id, What: storecheck.LostStream, Want: was.Mark, Records: was.Mark})
		case have.Last < was.Mark:
			lost = append(lost, Damage{Stream: id, What: storecheck.LostEnd, Have: have.Last, Want: was.Mark, Records: was.Mark - have.Last})
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return &DamagedError{Dir: s.opts.Dir, Damage: lost, Advice: s.opts.Advice}
}

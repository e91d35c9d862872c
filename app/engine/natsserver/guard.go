package natsserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/saysohq/sayso/app/engine/natsserver/internal/storecheck"
)

// This file is the only one that calls storecheck, which reads the server's private files and may have to change with
// every new version of it.

// What the check of a store says: StoreReport of one that is served, DamagedError of one that is not, with each Damage,
// Accepted of one that is served again because a person accepted the loss, and Loss is each
// record that is given up for it.
type (
	StoreReport  = storecheck.Report
	Damage       = storecheck.Damage
	DamagedError = storecheck.DamagedError
	Accepted     = storecheck.Accepted
	Loss         = storecheck.Loss
)

type guard = storecheck.Guard

// A stream with this in its metadata is about to be removed: nobody misses it, or what was in it, when it is gone. Call
// Checkpoint before it is removed.
const (
	MetaMoved   = "sayso_moved"
	MovedRemove = "remove"
)

// Accept makes a store that Start refuses one that it serves, without what is lost. It is for a person who has read the
// *DamagedError and has no better copy: every record that can be read is kept, damaged files go to the folder quarantine
// beside the store, and no sequence is given out twice. It returns nil when there is nothing to accept.
//
// A node of a cluster has a better copy, its peers: while both others are running and current, move its whole folder away
// instead and start it empty.
func Accept(ctx context.Context, dir string) (*Accepted, error) {
	o, err := (&Options{Dir: dir}).withDefaults()
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	guard, err := storecheck.Open(o.Dir, o.Advice)
	if err != nil {
		return nil, fmt.Errorf("open the guard: %w", err)
	}
	a, err := guard.Accept(ctx)
	return a, errors.Join(err, guard.Close())
}

// Look reads the store in the folder to its end, as Start would, and changes nothing. It returns a *DamagedError, with the
// advice, when records are lost, and a *LockedError when a process serves the store, which has then looked itself. A folder without a
// store is sound.
func Look(ctx context.Context, dir, advice string) (StoreReport, error) {
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return StoreReport{}, err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return StoreReport{}, err
	}
	defer lock.Close()
	guard, err := storecheck.Open(dir, advice)
	if err != nil {
		return StoreReport{}, fmt.Errorf("open the guard: %w", err)
	}
	found, err := guard.Look(ctx)
	return *found, errors.Join(err, guard.Close())
}

// Losses says what Accept would give up, record by record as far as the files tell. It changes nothing, and returns none for a
// sound store. The errors are those of Look, but for a *DamagedError.
func Losses(ctx context.Context, dir string) ([]Loss, error) {
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	guard, err := storecheck.Open(dir, "")
	if err != nil {
		return nil, fmt.Errorf("open the guard: %w", err)
	}
	all, err := guard.Losses(ctx)
	return all, errors.Join(err, guard.Close())
}

// Note says that the write with this sequence was acknowledged, so that a later start notices when it is gone. Call it
// after each acknowledgement and before anybody else is told; it costs about a microsecond. A mark that cannot be written
// is an error: the promise could not be checked later.
func (s *Server) Note(stream string, seq uint64) error {
	if err := s.guard.Note(id(stream), seq); err != nil {
		return fmt.Errorf("high-water mark of %s: %w", stream, Explain(s.opts.Dir, err))
	}
	return nil
}

// Checkpoint observes the streams now. Call it after records were removed on purpose (a purge), so that a crash within the
// next second does not make them look lost.
func (s *Server) Checkpoint() error {
	if err := s.observe(); err != nil {
		return err
	}
	return s.flush()
}

// openGuard checks the store before the server opens it.
func (s *Server) openGuard(ctx context.Context) error {
	var err error
	if s.guard, err = storecheck.Open(s.opts.Dir, s.opts.Advice); err != nil {
		return fmt.Errorf("open the guard: %w", err)
	}
	if !s.opts.noCheck {
		found, err := s.guard.Check(ctx)
		if err != nil {
			return err
		}
		s.report.Store = *found
	}
	if err := s.guard.Begin(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// recheck checks the store before another server opens it in the same process.
func (s *Server) recheck(ctx context.Context) error {
	_, err := s.guard.Check(ctx)
	return err
}

// compare holds what the server opened against the marks. The streams of a cluster appear only with its leader, and their
// ends are its business.
func (s *Server) compare() error {
	if s.opts.Cluster != nil || s.opts.noCheck {
		return nil
	}
	now, err := s.streams()
	if err != nil {
		return fmt.Errorf("list the streams: %w", err)
	}
	return s.guard.Opened(now)
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

func (s *Server) flush() error { return s.guard.Flush() }

// seal writes down what a server that has stopped left in the folder.
func (s *Server) seal() error {
	if err := s.guard.End(); err != nil {
		return fmt.Errorf("write down what is left: %w", err)
	}
	return nil
}

func (s *Server) closeGuard() error {
	if s.guard == nil {
		return nil
	}
	return s.guard.Close()
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
			Leaving: d.Config.Metadata[MetaMoved] == MovedRemove,
		}
	}
	return all, nil
}

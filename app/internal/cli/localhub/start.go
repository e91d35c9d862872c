package localhub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// errNotNeeded says that a lock is not needed any more: another hub serves.
var errNotNeeded = errors.New("another hub serves already")

// errNoLocalHub says that the system has no local hubs.
var errNoLocalHub = errors.New("there is no local hub on this system; name one with --hub")

// Starter finds the hub, or starts one.
type Starter struct {
	Places  Places
	Command []string      // what runs [Serve] in the background; empty: nothing is started
	Timeout time.Duration // how long a start may take; default: 30 s
}

// Dial connects to the hub and starts it first where there is none. It may be
// called from several goroutines and processes at once.
//
// If the system says why no hub can be started, the error is a [*hub.StorageError].
func (s *Starter) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := s.dial(ctx)
	return conn, natsserver.Explain(s.Places.State, err)
}

func (s *Starter) dial(ctx context.Context) (net.Conn, error) {
	conn, err := s.Attach(ctx)
	if err == nil || !absent(err) || len(s.Command) == 0 {
		return conn, err
	}
	if err := private(s.Places.State); err != nil {
		return nil, err
	}
	// The hub would find out as well, but here it costs no process.
	if err := s.Places.CheckFormat(); err != nil {
		return nil, err
	}
	if _, err := natsserver.Room(s.Places.State); err != nil {
		return nil, err
	}
	timeout := s.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errors.New("it did not start in time; its log is "+s.Places.Log()))
	defer cancel()
	for range maxStarts {
		conn, err = s.dialOrStart(ctx)
		if err == nil || !absent(err) && !errors.Is(err, errKilled) {
			break
		}
	}
	return conn, err
}

const maxStarts = 5 // a hub that was killed as it began is started again so often

// errKilled says that a hub ended without a word.
var errKilled = errors.New("it ended at once")

// dialOrStart has one of many commands start the hub; the others find it.
func (s *Starter) dialOrStart(ctx context.Context) (net.Conn, error) {
	l, err := lock(ctx, s.Places.startLock(), nil)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	conn, err := s.Attach(ctx)
	if err == nil || !absent(err) {
		return conn, err
	}
	if err := s.start(ctx); err != nil {
		return nil, fmt.Errorf("starting the local hub: %w", err)
	}
	return s.Attach(ctx)
}

// Attach connects to the hub if there is one. A hub that is killed while many
// connect takes a moment to go, and its queue is full then: that passes.
func (s *Starter) Attach(ctx context.Context) (net.Conn, error) {
	if err := fits(s.Places.Socket()); err != nil {
		return nil, err
	}
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "unix", s.Places.Socket())
		if err == nil || !crowded(err) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// start runs the command and returns once it listens. The command says so with a
// line on its file 3: nothing but a line end, or what went wrong.
func (s *Starter) start(ctx context.Context) error {
	log, err := openLog(s.Places.Log())
	if err != nil {
		return err
	}
	defer log.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	exe, err := os.Executable()
	if err != nil {
		w.Close()
		return err
	}
	cmd := &exec.Cmd{
		Path:       exe,
		Args:       s.Command,
		Dir:        s.Places.State, // no other folder is kept from being unmounted
		Stderr:     log,            // of a panic
		ExtraFiles: []*os.File{w},
	}
	detach(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return err
	}
	cmd.Process.Release() // it outlives this command
	stop := context.AfterFunc(ctx, func() { r.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	said, err := io.ReadAll(io.LimitReader(r, 4<<10))
	switch text := strings.TrimSpace(string(said)); {
	case text != "":
		return errors.New(text)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case len(said) == 0:
		return fmt.Errorf("%w; its log is %s", errKilled, s.Places.Log())
	}
	return nil
}

// openLog opens the log for appending. A long one becomes the old one.
func openLog(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Size() > 1<<20 {
		if err := os.Rename(name, name+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

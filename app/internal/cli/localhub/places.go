package localhub

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/wake"
)

// Places are the folders of one person's sayso. They follow the XDG base
// directories on every system, so that a person finds them at the same place
// everywhere.
type Places struct {
	State   string // what must survive: asks, keys, the log; $XDG_STATE_HOME/sayso
	Runtime string // the socket; $XDG_RUNTIME_DIR/sayso, or a folder in State
}

// NoFolderError says that nothing says where the hub's folder is.
type NoFolderError struct{ Err error }

func (e *NoFolderError) Error() string { return e.Err.Error() + ", so the hub has no folder" }
func (e *NoFolderError) Unwrap() error { return e.Err }

// NoFolder says what to do then.
const NoFolder = "set HOME or XDG_STATE_HOME to a folder of yours, or use another hub with --hub"

// PlacesOf returns the places that the environment names. It makes none of them.
func PlacesOf(getenv func(string) string) (Places, error) {
	var p Places
	var err error
	if p.State, err = console.StateFolder(getenv); err != nil {
		return p, &NoFolderError{err}
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		p.Runtime = filepath.Join(dir, "sayso")
	} else {
		p.Runtime = filepath.Join(p.State, "run")
	}
	return p, nil
}

// Socket is where the hub listens.
func (p Places) Socket() string { return filepath.Join(p.Runtime, "hub.sock") }

// Log is what the hub writes about itself.
func (p Places) Log() string { return filepath.Join(p.State, "hub.log") }

// SecurityLog is what it writes about refusals, sign-ins and keys.
func (p Places) SecurityLog() string { return filepath.Join(p.State, "security.log") }

// Keys is the file of the hub's keys.
func (p Places) Keys() string { return filepath.Join(p.State, "keys.json") }

// Sessions are the notes of which sessions of agents asked.
func (p Places) Sessions() *wake.Notes {
	return &wake.Notes{Dir: filepath.Join(p.State, "sessions")}
}

func (p Places) startLock() string { return filepath.Join(p.State, "start.lock") }
func (p Places) hubLock() string   { return filepath.Join(p.State, "hub.lock") }
func (p Places) engine() string    { return filepath.Join(p.State, "engine") }
func (p Places) open() string      { return filepath.Join(p.State, "open") }
func (p Places) mcpKey() string    { return filepath.Join(p.State, "mcp.key") }
func (p Places) format() string    { return filepath.Join(p.State, "format") }
func (p Places) handleKey() string { return filepath.Join(p.State, "handle.key") }

// private makes a folder that nobody else may enter, or returns an error if it is
// somebody else's. One of our own that others could enter is closed to them.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making %s: %w", dir, err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case !ours(info):
		return fmt.Errorf("%s belongs to somebody else", dir)
	case info.Mode().Perm()&0o077 != 0:
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("closing %s to others: %w", dir, err)
		}
	}
	return nil
}

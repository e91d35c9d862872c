package localhub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// Folder is what [LookAt] finds out about a folder.
type Folder struct {
	There bool        // it exists
	Mode  fs.FileMode // its permissions, if it is there
	Free  int64       // bytes that are free on its disk; -1: cannot be told
}

// LookAt says whether the hub can use the folder, or could make it where it is not
// there yet. It makes and changes nothing. The error is a [*hub.StorageError] if
// nothing can be written.
func LookAt(dir string) (Folder, error) {
	f := Folder{Free: -1}
	info, err := os.Lstat(dir)
	at := dir
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for ; errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); _, err = os.Stat(at) {
			at = filepath.Dir(at)
		}
	case err != nil:
	case !info.IsDir():
		return f, fmt.Errorf("%s is not a folder", dir)
	case !ours(info):
		return f, fmt.Errorf("%s belongs to somebody else", dir)
	default:
		f.There, f.Mode = true, info.Mode().Perm()
	}
	if err != nil {
		return f, natsserver.Explain(dir, err)
	}
	f.Free, err = natsserver.Room(at)
	return f, err
}

// Engine is the folder of the engine's store.
func (p Places) Engine() string { return p.engine() }

// LookAtStore reads the store of a hub that does not run, and changes nothing. It
// returns how many records there are. One that is damaged is a
// [*natsserver.DamagedError].
func (p Places) LookAtStore(ctx context.Context) (records uint64, err error) {
	found, err := natsserver.Look(ctx, p.engine(), p.Advice())
	return found.Records, err
}

// Running reports whether a hub listens on the socket. It starts none.
func (s *Starter) Running(ctx context.Context) (bool, error) {
	conn, err := s.Attach(ctx)
	switch {
	case err == nil:
		conn.Close()
		return true, nil
	case absent(err):
		return false, nil
	}
	return false, err
}

// IsServed reports whether the error says that a process serves the store.
func IsServed(err error) bool {
	var locked *natsserver.LockedError
	return errors.As(err, &locked)
}

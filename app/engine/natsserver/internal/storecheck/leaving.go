package storecheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A stream that is about to be removed on purpose says so first (State.Leaving), and a file beside its mark remembers it.
// Whatever a crash leaves of it then, nothing or half of its files, is no damage.

func (g *Guard) leavingPath(id string) string { return g.marksDir() + "/" + id + ".leaving" }

// leaving reports whether the stream was about to be removed.
func (g *Guard) leaving(id string) bool {
	_, err := os.Stat(g.leavingPath(id))
	return err == nil
}

// leave remembers that a stream is about to be removed, or that it is not: another of its name was made.
func (g *Guard) leave(id string, leaving bool) error {
	switch {
	case leaving == g.leaving(id):
		return nil
	case leaving:
		return writeFile(g.leavingPath(id), nil)
	}
	return remove(g.leavingPath(id))
}

// gone forgets a stream that was removed.
func (g *Guard) gone(id string) error {
	delete(g.described, id)
	return errors.Join(g.marks.forget(id), g.forgetDead(id), remove(g.descriptionPath(id)), g.leave(id, false))
}

// removed reports whether the server has moved the folder of a stream away to remove it. Streams have no dot in their names.
func (f *folder) removed() bool { return !f.raft && strings.HasPrefix(f.name, ".") }

// left looks at the folder of a stream that was about to be removed. The server removes the description first: without it
// the server leaves the rest where it is, and it is removed here.
func (c *check) left(f *folder) error {
	_, err := f.describe()
	if errors.Is(err, fs.ErrNotExist) {
		c.finish = append(c.finish, func() error {
			if err := os.RemoveAll(f.path); err != nil {
				return fmt.Errorf("remove what is left of %s: %w", f.id, err)
			}
			return c.gone(f.id)
		})
		return nil
	}
	c.last[f.id] = 0 // it is there
	return nil
}

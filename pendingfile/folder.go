package pendingfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBytes bounds a file. It is several times what a tool call may hold.
const maxBytes = 16 << 20

// folder is the open folder. Everything is done relative to it, so that nobody
// can put another one in its place meanwhile.
type folder struct {
	root  *os.Root
	self  *os.File
	trace func(step) error
}

// step is one system call that changes the disk, or opens a name on it.
type step struct {
	op       string // mkdir, syncparent, open, chmoddir, create, chmod, write, sync, close, rename, remove, syncdir
	name, to string
	data     []byte
}

func take(trace func(step) error, s step, do func() error) error {
	if trace != nil {
		if err := trace(s); err != nil {
			return fmt.Errorf("%s: %w", s.op, err)
		}
	}
	return do()
}

// open opens the folder, and makes it first if asked to.
func (d *Dir) open(create bool) (*folder, error) {
	entry, err := d.workspace.Lstat(d.folder)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = d.mkdir(); err == nil {
			entry, err = d.workspace.Lstat(d.folder)
		}
	}
	if err != nil {
		return nil, err
	}
	if !entry.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder", ErrUnsafe, d.folder)
	}
	f := &folder{trace: d.trace}
	err = take(d.trace, step{op: "open", name: d.folder}, func() (err error) {
		f.root, err = d.workspace.OpenRoot(d.folder)
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.self, err = f.root.Open("."); err == nil {
		err = d.own(f, create)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (d *Dir) mkdir() error {
	err := take(d.trace, step{op: "mkdir", name: d.folder}, func() error {
		return d.workspace.Mkdir(d.folder, 0o700)
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	parent, err := d.workspace.Open(".")
	if err != nil {
		return err
	}
	defer parent.Close()
	return take(d.trace, step{op: "syncparent"}, func() error { return syncFolder(parent) })
}

// own makes sure that the open folder is the one with the name, that it is no
// link, and that it is the user's. Root follows links that stay inside it, so it
// is looked at after it was opened: what is open can no longer change.
func (d *Dir) own(f *folder, tighten bool) error {
	info, err := f.self.Stat()
	if err != nil {
		return err
	}
	entry, err := d.workspace.Lstat(d.folder)
	if err != nil {
		return err
	}
	if !os.SameFile(info, entry) {
		return fmt.Errorf("%w: %s is a link or was swapped", ErrUnsafe, d.folder)
	}
	if err := owned(info); err != nil {
		return fmt.Errorf("%w: %s %w", ErrUnsafe, d.folder, err)
	}
	switch perm := info.Mode().Perm(); {
	case !hasModes || perm == 0o700:
		return nil
	case tighten:
		return take(d.trace, step{op: "chmoddir"}, func() error { return f.self.Chmod(0o700) })
	case perm&0o022 != 0:
		return fmt.Errorf("%w: others may write in %s; chmod 700 it", ErrUnsafe, d.folder)
	}
	return nil
}

func (f *folder) close() {
	if f.self != nil {
		f.self.Close() // gives the lock back; nothing is buffered in it
	}
	f.root.Close()
}

// lock waits for the processes whose turn it is. It polls, because a blocking
// lock would outlast ctx.
func (f *folder) lock(ctx context.Context) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if locked, err := tryLock(f.self); locked || err != nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// read returns the content of a file that is plainly the user's own.
func (f *folder) read(name string) (data []byte, modified time.Time, err error) {
	for range 100 { // others may replace the file as often as they like
		data, modified, err = f.readOnce(name)
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return data, modified, err
}

var errReplaced = fmt.Errorf("%w: it is replaced all the time", ErrUnsafe)

func (f *folder) readOnce(name string) ([]byte, time.Time, error) {
	none := time.Time{}
	file, err := f.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if entry, lerr := f.root.Lstat(name); lerr == nil && entry.Mode()&fs.ModeSymlink != 0 {
			err = fmt.Errorf("%w: it is a link", ErrUnsafe)
		}
		return nil, none, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, none, err
	}
	entry, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, none, errReplaced
	case err != nil:
		return nil, none, err
	case entry.Mode()&fs.ModeSymlink != 0:
		return nil, none, fmt.Errorf("%w: it is a link", ErrUnsafe)
	case !os.SameFile(info, entry):
		return nil, none, errReplaced
	}
	if err := plain(file, info); err != nil {
		return nil, none, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("%w: it is larger than %d bytes", ErrUnsafe, maxBytes)
	}
	return data, info.ModTime(), err
}

// plain refuses what is not a file of the user's own with one name, and closes it
// to others: an editor may have written it anew with the modes of the umask.
//
// No system call tells of one moment that a file has this name and no other, so a
// racer in the folder can hide a second name. It runs as the user, then, and has
// no need to.
func plain(file *os.File, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is not a regular file", ErrUnsafe)
	}
	if err := cmp.Or(owned(info), oneName(info)); err != nil {
		return fmt.Errorf("%w: it %w", ErrUnsafe, err)
	}
	switch perm := info.Mode().Perm(); {
	case !hasModes || perm&0o077 == 0:
		return nil
	case perm&0o022 != 0:
		return fmt.Errorf("%w: others may write it; chmod 600 it if the answers are yours", ErrUnsafe)
	}
	return file.Chmod(0o600)
}

// replace puts data under the name, as a whole or not at all.
func (f *folder) replace(name string, data []byte) (err error) {
	file, temp, err := f.createTemp()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			f.remove(temp) // it is only litter: the first error is the one to tell
		}
	}()
	steps := []struct {
		step
		do func() error
	}{
		{step{op: "chmod", name: temp}, func() error { return file.Chmod(0o600) }},
		{step{op: "write", name: temp, data: data}, func() error { _, err := io.Copy(file, bytes.NewReader(data)); return err }},
		{step{op: "sync", name: temp}, file.Sync},
		{step{op: "close", name: temp}, file.Close},
		{step{op: "rename", name: temp, to: name}, func() error { return f.root.Rename(temp, name) }},
	}
	for _, s := range steps {
		if err := take(f.trace, s.step, s.do); err != nil {
			return err
		}
	}
	return f.sync()
}

// ignore has git leave the folder alone. What is there stays: somebody may want the
// folder in their repository. An error is not told, because the questions matter
// more, and whatever keeps this file from being written shows with theirs.
func (f *folder) ignore() {
	file, err := f.root.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	file.Chmod(0o600) // the umask may have taken more away
	io.WriteString(file, "*\n")
}

// createTemp makes a file that nobody else has. Names that are taken belong to a
// writer elsewhere, or to one that was interrupted.
func (f *folder) createTemp() (*os.File, string, error) {
	for n := 1; ; n++ {
		name := tempPrefix + strconv.Itoa(n)
		var file *os.File
		err := take(f.trace, step{op: "create", name: name}, func() (err error) {
			file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			return err
		})
		if err == nil || !errors.Is(err, fs.ErrExist) || n == 1000 {
			return file, name, err
		}
	}
}

const tempPrefix = ".pending-questions.tmp"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

func (f *folder) remove(name string) error {
	return take(f.trace, step{op: "remove", name: name}, func() error { return f.root.Remove(name) })
}

func (f *folder) sync() error {
	return take(f.trace, step{op: "syncdir"}, func() error { return syncFolder(f.self) })
}

func (f *folder) names() ([]string, error) {
	self, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	names, err := self.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

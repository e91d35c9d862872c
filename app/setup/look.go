package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Status says how far an agent is set up.
type Status int

const (
	NotSetUp Status = iota
	Outdated        // something of ours is there, but not what this version writes
	SetUp
)

func (s Status) String() string { return [...]string{"not set up", "outdated", "set up"}[s] }

// Change is what setting up an agent would change.
type Change struct {
	Agent  *Agent
	Status Status
	After  string // what to do next

	env   *Env
	files []*fileChange
}

// fileChange is the change of one file. Before and after are nil if the file is not
// there then.
type fileChange struct {
	File
	target        string // what Path leads to
	before, after []byte
	base          []byte // the file without ours, which undoing restores
	mode          fs.FileMode
}

func (f *fileChange) changes() bool {
	return (f.before == nil) != (f.after == nil) || !bytes.Equal(f.before, f.after)
}

// FileError is why a file cannot be used.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("cannot use %s: %v", e.Path, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// Look reads the settings of an agent and says what setting it up would change. It
// changes nothing.
func Look(e *Env, a *Agent) (*Change, error) {
	plan, err := a.Plan(e)
	if err != nil {
		return nil, err
	}
	c := &Change{Agent: a, After: plan.After, env: e}
	rec, err := readRecord(e, a)
	if err != nil {
		return nil, err
	}
	ours, missing := rec != nil, false
	for _, file := range plan.Files {
		f, err := lookAt(file)
		if err != nil {
			return nil, &FileError{file.Path, err}
		}
		if f.base = f.before; f.before != nil {
			if kept := rec.of(f.target); kept.wrote(f.before) {
				if f.base, err = kept.bytes(e); err != nil {
					return nil, err
				}
			} else if f.base, err = f.without(f.before); err != nil {
				return nil, &FileError{file.Path, err}
			}
			ours = ours || !bytes.Equal(f.base, f.before)
		}
		missing = missing || f.changes()
		c.files = append(c.files, f)
	}
	// Files of an older version that this one has no use for.
	for _, kept := range rec.rest(c.files) {
		missing = missing || exists(kept.Target)
	}
	switch {
	case !missing:
		c.Status = SetUp
	case ours:
		c.Status = Outdated
	}
	return c, nil
}

// without returns a file without ours.
func (f *fileChange) without(now []byte) ([]byte, error) {
	if f.Remove != nil {
		return f.Remove(now)
	}
	if !branded(now) {
		return now, nil // somebody else's
	}
	return nil, nil
}

func lookAt(file File) (*fileChange, error) {
	f := &fileChange{File: file, mode: 0o600}
	var err error
	if f.target, err = follow(file.Path); err != nil {
		return nil, err
	}
	info, err := os.Stat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, plain(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	default:
		f.mode = info.Mode().Perm()
		if f.before, err = os.ReadFile(f.target); err != nil {
			return nil, plain(err)
		}
		if f.before == nil {
			f.before = []byte{}
		}
	}
	if f.after, err = file.Add(f.before); err != nil {
		return nil, err
	}
	if f.changes() {
		err = writable(f.target, info)
	}
	return f, err
}

// follow returns what a path leads to, which need not exist.
func follow(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil { // it is not a link
			dir, rest := filepath.Dir(path), filepath.Base(path)
			for {
				if real, err := filepath.EvalSymlinks(dir); err == nil {
					return filepath.Join(real, rest), nil
				}
				if dir == filepath.Dir(dir) {
					return path, nil
				}
				dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
			}
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("its links lead nowhere")
}

// writable returns why a file cannot be replaced. Root can write everywhere, so the
// modes are looked at as well: they say what the owner wants.
func writable(target string, info fs.FileInfo) error {
	if info != nil && info.Mode().Perm()&0o222 == 0 {
		return errors.New("it is read-only")
	}
	dir := filepath.Dir(target)
	for {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
			dir = filepath.Dir(dir)
			continue
		case err != nil:
			return plain(err)
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder", dir)
		case info.Mode().Perm()&0o222 == 0:
			return fmt.Errorf("the folder %s is read-only", dir)
		}
		return nil
	}
}

// plain is an error without the path, which its reader has.
func plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (f *fileChange) is(target string) bool { return f.target == target }

func indexOf(files []*fileChange, target string) int {
	return slices.IndexFunc(files, func(f *fileChange) bool { return f.is(target) })
}

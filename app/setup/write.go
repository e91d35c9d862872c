package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// Write writes the change. If a file cannot be written, those before it get back what
// they had.
func (c *Change) Write() error {
	old, err := readRecord(c.env, c.Agent)
	if err != nil {
		return err
	}
	r := &record{Agent: c.Agent.Name}
	if c.Agent.options != nil && !reflect.ValueOf(c.Agent.options).IsNil() {
		if r.Options, err = encode(c.Agent.options); err != nil {
			return err
		}
	} else if old != nil {
		r.Options = old.Options
	}
	var bases [][]byte
	for _, f := range c.files {
		if f.after == nil {
			continue
		}
		w := &written{Path: f.Path, Target: f.target, Before: sum(f.base), After: sum(f.after), Folders: missing(filepath.Dir(f.target)), Own: f.Remove == nil}
		if kept := old.of(f.target); kept != nil {
			w.Folders = append(slices.Clone(kept.Folders), w.Folders...)
		}
		r.Files = append(r.Files, w)
		bases = append(bases, f.base)
	}
	gone := old.rest(c.files)
	whole := &record{Agent: r.Agent, Options: r.Options, Files: append(slices.Clone(r.Files), gone...)}
	if err := whole.keep(c.env, c.Agent, bases); err != nil {
		return fmt.Errorf("keeping what the files have now: %w", err)
	}
	for i, f := range c.files {
		if !f.changes() {
			continue
		}
		if err := f.write(); err != nil {
			back := c.files[:i]
			for _, f := range slices.Backward(back) {
				err = errors.Join(err, put2(f.target, f.before, f.mode))
			}
			if old == nil {
				err = errors.Join(err, forget(c.env, c.Agent))
			} else {
				err = errors.Join(err, old.keep(c.env, c.Agent, nil))
			}
			return &FileError{f.Path, plain(err)}
		}
	}
	for _, w := range gone {
		if err := restore(c.env, w); err != nil {
			return &FileError{w.Path, plain(err)}
		}
	}
	if err := r.keep(c.env, c.Agent, nil); err != nil {
		return err
	}
	return sweep(c.env)
}

func (f *fileChange) write() error {
	now, err := os.ReadFile(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil {
		return err
	}
	if sum(now) != sum(f.before) && !(len(now) == 0 && len(f.before) == 0) {
		return errors.New("it has changed meanwhile; run the command again")
	}
	_, err = replaceFile(f.target, f.after, f.mode)
	return err
}

// put2 gives a file the bytes that it had; nil: there was none.
func put2(target string, data []byte, mode fs.FileMode) error {
	if data == nil {
		if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	_, err := replaceFile(target, data, mode)
	return err
}

// missing returns the folders that do not exist on the way to one, outermost first.
func missing(dir string) (all []string) {
	for ; !exists(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	slices.Reverse(all)
	return all
}

// replaceFile writes a file as a whole or not at all.
func replaceFile(name string, data []byte, mode fs.FileMode) (made []string, err error) {
	made = missing(filepath.Dir(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".sayso-*")
	if err != nil {
		return made, err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return made, err
	}
	return made, os.Rename(temp.Name(), name)
}

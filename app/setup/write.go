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
	var made []string // folders that this run makes
	for _, f := range c.files {
		if f.after == nil {
			continue
		}
		w := &written{Path: f.Path, Target: f.target, Before: sum(f.base), After: sum(f.after), Own: f.Remove == nil}
		if kept := old.of(f.target); kept != nil {
			if kept.Before == w.Before && kept.After != w.After {
				w.Earlier = append(slices.DeleteFunc(slices.Clone(kept.Earlier), func(s string) bool { return s == w.After }), kept.After)
			}
		}
		r.Files = append(r.Files, w)
		made = append(made, missing(filepath.Dir(f.target))...)
		bases = append(bases, f.base)
	}
	gone := old.rest(c.files)
	if old != nil {
		r.Folders = old.Folders
	}
	r.Folders = inOrder(append(slices.Clone(r.Folders), made...))
	whole := &record{Agent: r.Agent, Options: r.Options, Files: append(slices.Clone(r.Files), gone...), Folders: r.Folders}
	if err := whole.keep(c.env, c.Agent, bases); err != nil {
		return fmt.Errorf("keeping what the files have now: %w", err)
	}
	for i, f := range c.files {
		if !f.changes() {
			continue
		}
		if err := f.write(c.env); err != nil {
			for _, f := range slices.Backward(c.files[:i]) {
				err = errors.Join(err, c.env.put(f.target, f.before, f.mode))
			}
			err = errors.Join(err, c.env.removeFolders(inOrder(made)))
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
	if len(gone) > 0 {
		if err := c.env.removeFolders(r.Folders); err != nil {
			return err
		}
	}
	if err := r.keep(c.env, c.Agent, nil); err != nil {
		return err
	}
	return sweep(c.env)
}

func (f *fileChange) write(e *Env) error {
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
	return e.replace(f.target, f.after, f.mode)
}

// put gives a file the bytes that it had; nil: there was none.
func (e *Env) put(target string, data []byte, mode fs.FileMode) error {
	if data == nil {
		return e.remove(target)
	}
	return e.replace(target, data, mode)
}

// missing returns the folders that do not exist on the way to one, outermost first.
func missing(dir string) (all []string) {
	for ; !exists(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	slices.Reverse(all)
	return all
}

// inOrder sorts folders, outer before inner, and has each once.
func inOrder(folders []string) []string {
	slices.Sort(folders)
	return slices.Compact(folders)
}

// replace writes a file as a whole or not at all, and the folders on the way to it.
// What a run that was killed has left beside it is removed.
func (e *Env) replace(name string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(name)
	for _, d := range missing(dir) {
		if err := e.step("mkdir", d); err != nil {
			return err
		}
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	temp := leftover(name)
	if err := e.remove(temp); err != nil {
		return err
	}
	if err := e.step("write", temp); err != nil {
		return err
	}
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = e.step("rename", temp)
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		os.Remove(temp)
		return err
	}
	return syncFolder(dir)
}

// leftover is the name under which a file is written before it takes its own.
func leftover(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".sayso-new")
}

// remove removes a file, if it is there.
func (e *Env) remove(name string) error {
	if !exists(name) {
		return nil
	}
	if err := e.step("remove", name); err != nil {
		return err
	}
	return os.Remove(name)
}

// removeFolders removes folders, outermost first in the list, if they are empty.
func (e *Env) removeFolders(all []string) error {
	for _, dir := range slices.Backward(all) {
		if !exists(dir) {
			continue
		}
		if err := e.step("rmdir", dir); err != nil {
			return err
		}
		os.Remove(dir)
	}
	return nil
}

// step is called before each change of the disk, for tests.
func (e *Env) step(what, name string) error {
	if e.onStep == nil {
		return nil
	}
	return e.onStep(what, name)
}

// syncFolder has the names in a folder written to the disk. Not every file system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	d.Sync()
	return d.Close()
}

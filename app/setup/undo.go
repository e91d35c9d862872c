package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Undoing is what undoing the setup of an agent would change.
type Undoing struct {
	Agent *Agent

	env   *Env
	files []*fileChange
	made  []string // folders, outermost first

	leftovers []string // of runs that were killed
}

// LookUndo says what undoing the setup of an agent would change. It changes nothing.
func LookUndo(e *Env, a *Agent) (*Undoing, error) {
	u := &Undoing{Agent: a, env: e}
	rec, err := readRecord(e, a)
	if err != nil {
		return nil, err
	}
	plan, err := a.Plan(e)
	if err != nil && rec == nil {
		return nil, err
	}
	if plan == nil {
		plan = &Plan{}
	}
	done := map[string]bool{}
	for _, file := range plan.Files {
		f, err := lookBack(e, file, rec)
		if err != nil {
			return nil, &FileError{file.Path, err}
		}
		if f != nil {
			u.files = append(u.files, f)
			done[f.target] = true
		}
	}
	if rec != nil {
		u.made = rec.Folders
		for _, w := range rec.Files {
			u.leftovers = append(u.leftovers, leftover(w.Target))
			if done[w.Target] {
				continue
			}
			f, err := lookBack(e, File{Path: w.Path}, rec)
			if err != nil {
				return nil, &FileError{w.Path, err}
			}
			if f != nil {
				u.files = append(u.files, f)
			}
		}
	}
	return u, nil
}

// lookBack returns how a file gets rid of ours, nil if it is not there.
func lookBack(e *Env, file File, rec *record) (*fileChange, error) {
	f := &fileChange{File: file}
	var err error
	if f.target, err = follow(file.Path); err != nil {
		return nil, err
	}
	info, err := os.Stat(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, plain(err)
	}
	f.mode = info.Mode().Perm()
	if f.before, err = os.ReadFile(f.target); err != nil {
		return nil, plain(err)
	}
	kept := rec.of(f.target)
	switch {
	case kept.wrote(f.before):
		f.after, err = kept.bytes(e)
	case kept != nil && kept.Before == sum(f.before):
		f.after = f.before
	case file.Remove == nil && (kept == nil && !branded(f.before) || kept != nil && !kept.Own):
		f.after = f.before // somebody else's, or what to take out is not known
	default:
		if f.after, err = f.without(f.before); err == nil && kept != nil && kept.Before == "" && blank(f.after) {
			f.after = nil
		}
	}
	if err == nil && f.changes() {
		err = writable(f.target, info)
	}
	return f, err
}

// branded reports whether a file that has one owner is ours.
func branded(now []byte) bool { return bytes.Contains(now, []byte("sayso")) }

// blank reports whether a file says nothing.
func blank(b []byte) bool {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, bom))
	return len(b) == 0 || string(b) == "{}"
}

// Changes reports whether there is something to undo.
func (u *Undoing) Changes() bool {
	return slices.ContainsFunc(u.files, (*fileChange).changes)
}

// Write undoes it.
func (u *Undoing) Write() error {
	for _, f := range u.files {
		if !f.changes() {
			continue
		}
		if err := u.env.put(f.target, f.after, f.mode); err != nil {
			return &FileError{f.Path, plain(err)}
		}
	}
	for _, name := range u.leftovers {
		if err := u.env.remove(name); err != nil {
			return err
		}
	}
	if err := u.env.removeFolders(u.made); err != nil {
		return err
	}
	return forget(u.env, u.Agent)
}

// restore undoes one file of a record.
func restore(e *Env, w *written) error {
	f, err := lookBack(e, File{Path: w.Path}, &record{Files: []*written{w}})
	if err != nil || f == nil || !f.changes() {
		return err
	}
	return e.put(f.target, f.after, f.mode)
}

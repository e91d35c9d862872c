package setup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// record is what was written for an agent, for undoing it.
type record struct {
	Agent   string          `json:"agent"`
	Options json.RawMessage `json:"options,omitempty"` // with which it was set up
	Files   []*written      `json:"files"`
	Folders []string        `json:"folders,omitempty"` // that were made for them
}

// written is a file that was written.
type written struct {
	Path    string   `json:"path"`
	Target  string   `json:"target"`            // what the path leads to
	Before  string   `json:"before"`            // the sum of the file without ours, "" if it was not there
	After   string   `json:"after"`             // the sum of what was written
	Earlier []string `json:"earlier,omitempty"` // the sums of what earlier runs wrote
	Own     bool     `json:"own,omitempty"`     // nothing is in it but ours
}

func (e *Env) folder() string { return filepath.Join(e.State, "setup") }

func recordFile(e *Env, a *Agent) string {
	return filepath.Join(e.folder(), cmp.Or(a.record, a.Name)+".json")
}

// readRecord returns the record of an agent, or nil.
func readRecord(e *Env, a *Agent) (*record, error) {
	return readRecordFile(recordFile(e, a))
}

func readRecordFile(file string) (*record, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s cannot be read; remove it, and then sayso takes out what it finds of its own", file)
	}
	return r, nil
}

// of returns what was written to a file, or nil.
func (r *record) of(target string) *written {
	if r == nil {
		return nil
	}
	for _, w := range r.Files {
		if w.Target == target {
			return w
		}
	}
	return nil
}

// rest returns what was written to other files.
func (r *record) rest(files []*fileChange) []*written {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Files), func(w *written) bool { return indexOf(files, w.Target) >= 0 })
}

// backup is the file that keeps bytes, named after their sum.
func backup(e *Env, sum string) string { return filepath.Join(e.folder(), "before-"+sum) }

// bytes returns what a file had before, nil if it was not there.
func (w *written) bytes(e *Env) ([]byte, error) {
	if w.Before == "" {
		return nil, nil
	}
	b, err := os.ReadFile(backup(e, w.Before))
	if err != nil {
		return nil, fmt.Errorf("what %s had before cannot be read: %w", w.Path, err)
	}
	if sum(b) != w.Before {
		return nil, fmt.Errorf("the backup of %s is damaged: %s", w.Path, backup(e, w.Before))
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// wrote reports whether the bytes are what a run wrote.
func (w *written) wrote(b []byte) bool {
	return w != nil && (w.After == sum(b) || slices.Contains(w.Earlier, sum(b)))
}

func sum(b []byte) string {
	if b == nil {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// keep writes the record, with the bytes that undoing restores. They are on the disk
// when it returns.
func (r *record) keep(e *Env, a *Agent, bases [][]byte) error {
	for _, b := range bases {
		if b == nil || exists(backup(e, sum(b))) {
			continue
		}
		if err := e.replace(backup(e, sum(b)), b, 0o600); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return e.replace(recordFile(e, a), append(bytes.TrimSpace(b), '\n'), 0o600)
}

// forget removes the record of an agent, and the backups that no record needs.
func forget(e *Env, a *Agent) error {
	if err := e.remove(recordFile(e, a)); err != nil {
		return err
	}
	return sweep(e)
}

// sweep removes backups that no record needs, and the folder if it is empty.
func sweep(e *Env) error {
	needed := map[string]bool{}
	records, err := filepath.Glob(filepath.Join(e.folder(), "*.json"))
	if err != nil {
		return err
	}
	for _, file := range records {
		r, err := readRecordFile(file)
		if err != nil || r == nil {
			return err
		}
		for _, w := range r.Files {
			needed[backup(e, w.Before)] = true
		}
	}
	all, err := filepath.Glob(filepath.Join(e.folder(), "before-*"))
	if err != nil {
		return err
	}
	for _, name := range all {
		if !needed[name] {
			if err := e.remove(name); err != nil {
				return err
			}
		}
	}
	if exists(e.folder()) {
		return e.removeFolders([]string{e.folder()})
	}
	return nil
}

// saved decodes the options with which an agent was set up the last time.
func saved(e *Env, a *Agent, into any) error {
	r, err := readRecord(e, a)
	if err != nil || r == nil || r.Options == nil {
		return err
	}
	return json.Unmarshal(r.Options, into)
}

// Recorded reports whether an agent was set up.
func Recorded(e *Env, a *Agent) bool { return exists(recordFile(e, a)) }

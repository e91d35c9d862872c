package wake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Session is the session of an agent on this machine.
type Session struct {
	Agent   string  `json:"agent"` // as the settings name it
	ID      string  `json:"session"`
	Dir     string  `json:"dir"`     // that it works in
	Process Process `json:"process"` // of the agent
}

// Note says which session asked.
type Note struct {
	Handle string `json:"handle"` // of the ask
	Session
	Through Process `json:"through,omitempty"` // the MCP server that asked for the agent, if one did
}

// Notes are the notes in a folder of the person, which nobody else may enter. Programs
// on other machines cannot leave any.
type Notes struct{ Dir string }

const (
	keepNotes = 30 * 24 * time.Hour
	maxNote   = 16 << 10
	askNote   = "ask-"
	liveNote  = "session-"
)

// Began notes which session a process of an agent has: the last one that is noted
// counts.
func (n *Notes) Began(s *Session) error {
	if n == nil || s.Process == "" || s.ID == "" {
		return nil
	}
	return n.write(n.file(liveNote, string(s.Process)), s)
}

// Of returns the session that a process of an agent has, nil if none is noted.
func (n *Notes) Of(p Process) *Session {
	if n == nil || p == "" {
		return nil
	}
	s := &Session{}
	if read(n.file(liveNote, string(p)), s) != nil || s.Process != p {
		return nil
	}
	return s
}

// Asked notes which session asked.
func (n *Notes) Asked(note *Note) error {
	if n == nil || note.Handle == "" || note.ID == "" {
		return nil
	}
	return n.write(n.file(askNote, note.Handle), note)
}

// Note returns the note of an ask, nil if there is none.
func (n *Notes) Note(handle string) *Note {
	note := &Note{}
	if n == nil || read(n.file(askNote, handle), note) != nil || note.Handle != handle {
		return nil
	}
	return note
}

// Forget removes the note of an ask.
func (n *Notes) Forget(handle string) {
	if n != nil {
		os.Remove(n.file(askNote, handle))
	}
}

// AskedBy returns the notes of the asks of a session.
func (n *Notes) AskedBy(agent, session string) []*Note {
	var all []*Note
	n.each(askNote, func(name string) {
		note := &Note{}
		if read(name, note) == nil && note.Agent == agent && note.ID == session {
			all = append(all, note)
		}
	})
	return all
}

// AskedThrough returns the session for which an MCP server with this process number
// asked last, nil if none is noted.
func (n *Notes) AskedThrough(pid string) *Session {
	var last *Session
	var at time.Time
	n.each(askNote, func(name string) {
		note := &Note{}
		info, err := os.Lstat(name)
		if err == nil && read(name, note) == nil && note.Through.Number() == pid && !info.ModTime().Before(at) {
			last, at = &note.Session, info.ModTime()
		}
	})
	return last
}

// handles calls fn with the handle of each ask that is noted.
func (n *Notes) handles(fn func(handle string)) {
	n.each(askNote, func(name string) {
		note := &Note{}
		if read(name, note) == nil && note.Handle != "" {
			fn(note.Handle)
		}
	})
}

// Lives reports whether a process has the session, or may have it.
func (n *Notes) Lives(agent, session string) bool {
	lives := false
	n.each(liveNote, func(name string) {
		s := &Session{}
		if read(name, s) == nil && s.Agent == agent && s.ID == session && s.Process.Life() != Gone {
			lives = true
		}
	})
	return lives
}

// Clear removes the notes of processes that have ended, and of asks that are old.
func (n *Notes) Clear(now time.Time) {
	n.each(liveNote, func(name string) {
		s := &Session{}
		if read(name, s) != nil || s.Process.Life() == Gone {
			os.Remove(name)
		}
	})
	n.each("", func(name string) {
		if info, err := os.Lstat(name); err == nil && now.Sub(info.ModTime()) > keepNotes {
			os.Remove(name)
		}
	})
}

func (n *Notes) each(prefix string, fn func(name string)) {
	if n == nil {
		return
	}
	list, err := os.ReadDir(n.Dir)
	if err != nil {
		return
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), prefix) {
			fn(filepath.Join(n.Dir, e.Name()))
		}
	}
}

func (n *Notes) file(prefix, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(n.Dir, prefix+hex.EncodeToString(sum[:16])+".json")
}

func (n *Notes) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(name); err == nil && string(was) == string(data) {
		return nil
	}
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(n.Dir, "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func read(name string, v any) error {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > maxNote:
		return &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

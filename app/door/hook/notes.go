package hook

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// notes are what the events of one session leave for each other, in a folder of its
// own. Each event may be a process, and most of them have nothing to do with the hub:
// they must not cost more than a look into that folder.
//
//   - "calls" has a line for each tool call that has begun, with its id, which the
//     request for permission lacks, one when it was asked for, and one when it has run.
//   - "asks-…" is a request for permission. Its process holds a lock on it for as long
//     as it lives, however it ends.
type notes struct{ dir string }

// keepNotes is how long the notes of a session that no longer says anything are kept.
const keepNotes = 48 * time.Hour

// maxCalls is how many bytes of the calls are read, the last ones.
const maxCalls = 64 << 10

// notesOf returns the notes of a session; nil if there is no folder for any.
func (o *Options) notesOf(session string) *notes {
	if o == nil || o.Notes == "" || session == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(session))
	return &notes{filepath.Join(o.Notes, hex.EncodeToString(sum[:12]))}
}

// keyOf names the calls of one agent with the same tool and the same input.
func keyOf(a About) string {
	var b bytes.Buffer
	if json.Compact(&b, a.Call.Arguments) != nil {
		b.Write(a.Call.Arguments)
	}
	h := sha256.New()
	for _, s := range []string{a.Agent, a.Tool} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	h.Write(b.Bytes())
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// begin notes a call.
func (n *notes) begin(key, id string) error { return n.line("+ " + key + " " + id) }

// end notes that the id of a call is used.
func (n *notes) end(id string) error { return n.line("- " + id) }

// ran notes that a call has run.
func (n *notes) ran(id string) error { return n.line("! " + id) }

// hasRun reports whether a call has run, as far as the notes say.
func (n *notes) hasRun(id string) bool {
	data, err := tail(filepath.Join(n.dir, "calls"), maxCalls)
	return err == nil && id != "" && strings.Contains("\n"+data, "\n! "+id+"\n")
}

// ranUnasked reports whether the last call with this key has run before it was asked
// for.
func (n *notes) ranUnasked(key string) bool {
	data, err := tail(filepath.Join(n.dir, "calls"), maxCalls)
	if err != nil {
		return false
	}
	last, ran := "", false
	for line := range strings.Lines(data) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "+" && f[1] == key:
			last, ran = f[2], false
		case len(f) == 2 && f[1] == last && f[0] == "-":
			last, ran = "", false
		case len(f) == 2 && f[1] == last && f[0] == "!":
			ran = true
		}
	}
	return last != "" && ran
}

func (n *notes) line(s string) error {
	if strings.ContainsAny(s, "\r\n") {
		return errors.New("the id of the call has a line end")
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(n.dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(s + "\n") // one write: lines of several processes do not mix
	return errors.Join(err, f.Close())
}

// call returns the id of the call with this key that has begun and not been asked for,
// "" if none or several have. Equal calls that run side by side cannot be told apart.
func (n *notes) call(key string) string {
	data, err := tail(filepath.Join(n.dir, "calls"), maxCalls)
	if err != nil {
		return ""
	}
	var ids []string
	for line := range strings.Lines(data) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "+" && f[1] == key:
			if !slices.Contains(ids, f[2]) { // it may be noted twice
				ids = append(ids, f[2])
			}
		case len(f) == 2 && (f[0] == "-" || f[0] == "!"):
			for i := range ids {
				if ids[i] == f[1] {
					ids = append(ids[:i], ids[i+1:]...)
					break
				}
			}
		}
	}
	if len(ids) != 1 {
		return ""
	}
	return ids[0]
}

// claim returns the id of the call that a request for permission is about, "" if it is
// not known: the one that the request has, or the one that the notes have for its key.
// No other request is about that call.
func (n *notes) claim(key, id string) (string, error) {
	if id == "" {
		id = n.call(key)
	}
	if id == "" {
		return "", nil
	}
	return id, n.end(id)
}

// tail returns the last bytes of a file.
func tail(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-most)
	data := make([]byte, info.Size()-from)
	k, err := f.ReadAt(data, from)
	if k == len(data) {
		err = nil
	}
	return string(data[:k]), err
}

// asked is the note of one request for permission.
type asked struct {
	Key    string `json:"key"`
	Call   string `json:"call,omitempty"` // its id, if that is known
	Handle string `json:"handle"`         // of its ticket
	Told   told   `json:"told,omitempty"`

	file string
	lock *os.File // held by the process that waits
}

// told says what became of a request.
type told string

const (
	toldAllow told = "allow" // the agent was told that it may
	toldOther told = "other" // it was told that it may not, or nothing
)

// ask notes a request that waits, until its close or the end of this process.
func (n *notes) ask(a *asked) error {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(n.dir, "new-")
	if err != nil {
		return err
	}
	a.lock, a.file = f, filepath.Join(n.dir, "asks-"+strings.ToLower(rand.Text()))
	err = errors.Join(lock(f), json.NewEncoder(f).Encode(a), os.Rename(f.Name(), a.file))
	if err != nil {
		os.Remove(f.Name())
		return errors.Join(err, f.Close())
	}
	return nil
}

// close says what became of the request. One that was allowed stays as well: the run
// that follows is the one of this request.
func (a *asked) close(t told) error {
	if a == nil || a.file == "" {
		return nil
	}
	a.Told = t
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	err = os.WriteFile(a.file+"~", data, 0o600)
	if err == nil && exists(a.file) { // otherwise the run has been told of already
		err = os.Rename(a.file+"~", a.file)
	} else {
		os.Remove(a.file + "~")
	}
	if a.lock != nil {
		err = errors.Join(err, a.lock.Close())
	}
	return err
}

// leave gives the note up without a word: the next event finds it lost.
func (a *asked) leave() {
	if a.lock != nil {
		a.lock.Close()
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// remove forgets the request.
func (a *asked) remove() { os.Remove(a.file) }

// asks returns the requests of the session.
func (n *notes) asks() []*asked {
	list, err := os.ReadDir(n.dir)
	if err != nil {
		return nil
	}
	var all []*asked
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), "asks-") || strings.HasSuffix(e.Name(), "~") {
			continue
		}
		a := &asked{file: filepath.Join(n.dir, e.Name())}
		if data, err := os.ReadFile(a.file); err == nil && json.Unmarshal(data, a) == nil {
			all = append(all, a)
		}
	}
	return all
}

// waits reports whether the process of the request lives and waits.
func (a *asked) waits() bool { return a.Told == "" && locked(a.file) }

// lost reports whether the process of the request ended without a word.
func (a *asked) lost() bool { return a.Told == "" && !locked(a.file) }

// clear forgets what the turns before have left, and the sessions that are long over.
func (n *notes) clear(now time.Time) {
	for _, a := range n.asks() {
		if !a.waits() {
			a.remove()
		}
	}
	os.Remove(filepath.Join(n.dir, "calls"))
	list, err := os.ReadDir(filepath.Dir(n.dir))
	if err != nil {
		return
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.IsDir() && now.Sub(info.ModTime()) > keepNotes {
			os.RemoveAll(filepath.Join(filepath.Dir(n.dir), e.Name()))
		}
	}
}

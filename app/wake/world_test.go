package wake_test

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

const tenant = "local"

// world is a hub with a waker, in the time of a test, and a command that writes down
// when it runs.
type world struct {
	t      *testing.T
	store  hub.Store
	hub    *hub.Hub
	waker  *wake.Waker
	notes  *wake.Notes
	config wake.Config
	home   string
	dead   wake.Process

	decides *atomic.Pointer[func()] // is called before a run begins
}

func newWorld(t *testing.T, dead wake.Process) *world {
	t.Helper()
	home := t.TempDir()
	w := &world{t: t, decides: &atomic.Pointer[func()]{}, store: hub.NewMemory(nil), notes: &wake.Notes{Dir: filepath.Join(home, "notes")}, home: home, dead: dead}
	if err := os.MkdirAll(w.project(), 0o755); err != nil {
		t.Fatal(err)
	}
	w.config = wake.Config{
		Home: home, Folders: []string{"~/code"},
		Commands: map[string][]string{"claude": {"/bin/sh", "-c", `echo "$0 in $PWD" >>` + w.ran() + `; echo said; exit 0`, "{session}"}},
	}
	w.start()
	return w
}

func (w *world) project() string { return filepath.Join(w.home, "code", "project") }
func (w *world) ran() string     { return filepath.Join(w.home, "ran") }

func (w *world) start() {
	w.t.Helper()
	var err error
	if w.hub, err = hub.Open(w.t.Context(), w.store, &hub.Options{Key: []byte("0123456789abcdef0123456789abcdef")}); err != nil {
		w.t.Fatal(err)
	}
	w.waker = wake.Start(w.hub, w.store, &wake.Options{Tenant: tenant, Notes: w.notes, Log: slog.New(slog.NewTextHandler(w.t.Output(), nil)), Config: func() (*wake.Config, error) {
		if do := w.decides.Load(); do != nil {
			(*do)()
		}
		c := w.config
		c.Commands = maps.Clone(c.Commands)
		return &c, nil
	}})
}

func (w *world) decide(do func()) { w.decides.Store(&do) }

func (w *world) stop() {
	w.waker.Close()
	w.hub.Stop()
}

// asks stores an ask of the session and notes it.
func (w *world) asks(change func(*wake.Note)) *hub.Ticket {
	w.t.Helper()
	t := w.submits(nil)
	n := &wake.Note{Handle: w.hub.Handle(t.Address), Session: wake.Session{Agent: "claude", ID: "0a1b-2c", Dir: w.project(), Process: w.dead}}
	if change != nil {
		change(n)
	}
	if err := w.notes.Asked(n); err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *world) submits(change func(*sayso.Ask)) *hub.Ticket {
	w.t.Helper()
	a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{Label: "SQLite"}, {Label: "PostgreSQL"}}}}}
	a.Origin.Conversation = "0a1b-2c"
	if change != nil {
		change(a)
	}
	a.Normalize()
	t, err := w.hub.Submit(w.t.Context(), tenant, a)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *world) answers(t *hub.Ticket) *hub.Ticket {
	w.t.Helper()
	return w.closes(t, &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ana"},
		Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{t.Ask.Questions[0].Options[0].ID}}}})
}

func (w *world) closes(t *hub.Ticket, o *sayso.Outcome) *hub.Ticket {
	w.t.Helper()
	closed, err := w.hub.Close(w.t.Context(), t, o, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return closed
}

// lines are the runs, as the command wrote them down.
func (w *world) lines() []string {
	data, _ := os.ReadFile(w.ran())
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// wants waits, and wants this many runs, written down and recorded.
func (w *world) wants(n int) {
	w.t.Helper()
	pass(time.Minute)
	got := w.lines()
	if got[0] == "" {
		got = nil
	}
	runs, err := wake.Runs(w.t.Context(), w.store, tenant)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(got) != n || len(runs) != n {
		w.t.Fatalf("%d runs, and %d recorded, want %d: %q", len(got), len(runs), n, got)
	}
	for _, r := range runs {
		if r.State() != "ended" || r.Output != "said" {
			w.t.Fatalf("the run is %s: %+v", r.State(), r)
		}
	}
}

// pass lets time pass. A command runs in real time: it is waited for.
func pass(d time.Duration) {
	for range 60 {
		time.Sleep(d / 60)
		synctest.Wait()
	}
}

// ended returns a process that has ended.
func ended(t *testing.T) wake.Process {
	t.Helper()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := wake.ProcessOf(cmd.Process.Pid)
	if p.Life() != wake.Running {
		t.Fatalf("%q does not run", p)
	}
	in.Close()
	cmd.Wait()
	if p.Life() != wake.Gone {
		t.Fatalf("%q still runs", p)
	}
	return p
}

// above starts a command whose last process reads its input, and returns which agent
// that process has.
func above(t *testing.T, words ...string) wake.Process {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	pid := cmd.Process.Pid
	for end := time.Now().Add(time.Minute); ; {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if strings.TrimSpace(string(name)) == "cat" {
			return wake.Above(pid)
		}
		if time.Now().After(end) {
			t.Fatal("no cat")
		}
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		if f := strings.Fields(string(children)); len(f) > 0 {
			fmt.Sscan(f[0], &pid)
		}
	}
}

package doortest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/modeltest"
)

// Patience is how long the harness waits for anything that should come soon. It
// is generous: a busy machine takes many seconds to start one of the programs.
const Patience = 3 * time.Minute

// World is where one case takes place.
type World struct {
	Home    string // an empty home
	Project string // a git repository without a commit
	Sayso   string // the sayso under test; also "sayso" on the path

	t      testing.TB
	dir    string
	socket string
	person *person
	setups map[string]setupDone
}

// New makes a world for the test and clears it away at the end. When the test
// fails, the log of the hub is shown.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{t: t, Sayso: Sayso(t)}
	// Not t.TempDir: the path of a socket must be short.
	var err error
	w.dir, err = os.MkdirTemp("/tmp", "say-")
	if err != nil {
		t.Fatal(err)
	}
	w.Home, w.Project = filepath.Join(w.dir, "home"), filepath.Join(w.dir, "project")
	w.socket = filepath.Join(w.Home, ".local/state/sayso/run/hub.sock")
	for _, d := range []string{w.Home, w.Project} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", w.Project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if t.Failed() {
			w.show(".local/state/sayso/hub.log")
		}
		w.tryKillHub()
		os.RemoveAll(w.dir) // some program may still be writing; the box ends soon
	})
	return w
}

// Env is the environment of a program: nothing but what is here, and extra.
func (w *World) Env(extra ...string) []string {
	return append([]string{
		"PATH=" + w.bin() + ":" + filepath.Dir(w.Sayso) + ":" + filepath.Dir(Program(w.t, "node")) + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + w.Home,
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
	}, extra...)
}

// Write writes a file below the home; the folders are made.
func (w *World) Write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.Home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// Received waits until the model has received so many tool results.
func (w *World) Received(model *modeltest.Server, results int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	if _, err := model.Await(ctx, func(r *modeltest.Request) bool { return len(r.Results) >= results }); err != nil {
		w.t.Fatalf("waiting for %d results: %v", results, err)
	}
}

// show logs the end of a file below the home, if it is there.
func (w *World) show(name string) {
	b, err := os.ReadFile(filepath.Join(w.Home, name))
	if err == nil {
		w.t.Logf("%s:\n%s", name, tail(string(b), 60))
	}
}

// tail returns the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(all) > lines {
		all = append([]string{"…"}, all[len(all)-lines:]...)
	}
	for i, l := range all {
		if len(l) > 2000 {
			all[i] = l[:2000] + "…"
		}
	}
	return strings.Join(all, "\n")
}

// until calls cond until it holds, and fails the test after Patience with what
// it was waiting for.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	limit := time.After(Patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited %v for %s", Patience, what)
		}
	}
}

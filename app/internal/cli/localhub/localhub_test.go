package localhub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// anyPort is a TCP address for a hub; place.url has the port it got.
const anyPort = "127.0.0.1:0"

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  map[string]string
		want Places
	}{
		{map[string]string{"HOME": "/h"}, Places{"/h/.local/state/sayso", "/h/.local/state/sayso/run"}},
		{map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/7"}, Places{"/h/.local/state/sayso", "/run/user/7/sayso"}},
		{map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s"}, Places{"/s/sayso", "/s/sayso/run"}},
		{map[string]string{"XDG_STATE_HOME": "/s"}, Places{"/s/sayso", "/s/sayso/run"}},
	} {
		got, err := PlacesOf(func(k string) string { return tc.env[k] })
		if err != nil || got != tc.want {
			t.Errorf("%v: got %+v, %v", tc.env, got, err)
		}
	}
	if _, err := PlacesOf(func(string) string { return "" }); err == nil {
		t.Error("no home, and no error")
	}
}

// TestStartRace has many commands begin at once: one hub serves them all.
func TestStartRace(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{})
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			// Each with a starter of its own, as each would be a process.
			s := &Starter{Places: p.Places, Command: p.Command}
			conn, err := s.Dial(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		})
	}
	work.Wait()
	if n := len(p.pids()); n != 1 {
		t.Errorf("%d hubs were started", n)
	}
}

// TestKilled shows that a hub that was killed leaves nothing in the way of the
// next one, and that what it had promised is kept.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{})
	c := p.client()
	if _, err := c.Submit(t.Context(), ask("a1", "Which database?")); err != nil {
		t.Fatal(err)
	}
	result := make(chan *sayso.Outcome, 1)
	go func() {
		o, err := c.Ask(t.Context(), ask("a1", "Which database?"))
		if err != nil {
			t.Error(err)
		}
		result <- o
	}()
	for range 3 {
		p.kill()
		if _, err := os.Stat(p.Places.Socket()); err != nil {
			t.Fatalf("a killed hub leaves its socket: %v", err)
		}
		if _, err := p.client().List(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	page, err := c.List(t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	if _, err := c.Answer(t.Context(), page.Tickets[0], answer("SQLite")); err != nil {
		t.Fatal(err)
	}
	if o := <-result; o == nil || o.Answers[0].Other != "SQLite" {
		t.Errorf("got %+v", o)
	}
}

// TestIdle shows when a hub ends by itself, and when it does not.
func TestIdle(t *testing.T) {
	t.Parallel()
	const idle = 300 * time.Millisecond
	p := newPlace(t, settings{Idle: idle})
	c := p.client()
	open, err := c.Submit(t.Context(), ask("a1", "Which database?"))
	if err != nil {
		t.Fatal(err)
	}
	pid := p.theOne()
	// stays checks that the hub lives longer than another one that nobody used since.
	stays := func(why string) {
		t.Helper()
		other := newPlace(t, settings{Idle: idle})
		if _, err := other.client().List(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for _, pid := range other.pids() {
			other.awaitEnd(pid)
		}
		if !lives(pid) {
			t.Fatal("the hub ended although " + why)
		}
	}
	stays("an ask waits")
	ctx, leave := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	ready := make(chan struct{}, 1)
	go func() {
		watching <- p.client().Inbox().Watch(ctx, func(hub.Change) {
			select {
			case ready <- struct{}{}:
			default:
			}
		})
	}()
	<-ready
	if _, err := c.Answer(t.Context(), open, answer("SQLite")); err != nil {
		t.Fatal(err)
	}
	stays("a surface is attached")
	leave()
	<-watching
	p.awaitEnd(pid)
	if _, err := os.Stat(p.Places.Socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it left its socket: %v", err)
	}
	got, err := p.client().Get(t.Context(), open.Handle) // and is started on demand
	if err != nil || got.Open() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestPrivate runs without a umask: everything is the person's alone.
func TestPrivate(t *testing.T) {
	p := newPlace(t, settings{Listen: anyPort})
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	if _, err := p.client().Submit(t.Context(), ask("a1", "the-canary-question")); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{p.Places.State, p.Places.Runtime} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 && !within(name, p.Places.engine()) {
				t.Errorf("%s has mode %v", name, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(p.Places.Log())
	if err != nil || len(log) == 0 || bytes.Contains(log, []byte("canary")) {
		t.Errorf("the log is %q, %v", log, err)
	}
}

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// TestStranger has another user of the machine try to get in: with the modes as
// they are, and with all of them opened, when only the check of the peer is left.
func TestStranger(t *testing.T) {
	testenv.Root(t) // to be somebody else
	p := newPlace(t, settings{Listen: anyPort})
	c := p.client()
	if _, err := c.Submit(t.Context(), ask("a1", "Which database?")); err != nil {
		t.Fatal(err)
	}
	arg, err := json.Marshal(settings{Places: p.Places, Listen: p.url()})
	if err != nil {
		t.Fatal(err)
	}
	exe := readable(t)
	stranger := func() []string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), exe, "stranger", string(arg))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Dir = "/"
		out, err := cmd.Output()
		var worked []string
		if err != nil || json.Unmarshal(out, &worked) != nil {
			t.Fatalf("%v: %q", err, out)
		}
		return worked
	}
	os.Chmod(filepath.Dir(p.Places.State), 0o755) // of the test's own folder
	if worked := stranger(); len(worked) > 0 {
		t.Errorf("a stranger could %q", worked)
	}
	for _, name := range []string{p.Places.Runtime, p.Places.Socket()} {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range stranger() {
		if w != "open run" { // that was opened just now
			t.Errorf("with open modes a stranger could %q", w)
		}
	}
	page, err := c.List(t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Errorf("the hub now holds %+v, %v", page, err)
	}
}

// readable returns a copy of this program that everybody may run.
func readable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "stranger")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "stranger")
	if err := os.WriteFile(name, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPort shows that the port is for those who have the token of this boot.
func TestPort(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{Listen: anyPort})
	if _, err := p.client().List(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(p.Places.Runtime, "token"))
	if err != nil {
		t.Fatal(err)
	}
	for key, ok := range map[string]bool{"": false, "sayso_boot_x": false, strings.TrimSpace(string(token)): true} {
		c, err := client.New(p.url(), &client.Options{Key: key, Patience: -1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.List(t.Context(), nil); (err == nil) != ok {
			t.Errorf("with the token %q: %v", key, err)
		}
		c.Close()
	}
	resp, err := http.Get(p.url() + "/healthz")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("health: %v %v", resp, err)
	}
	resp.Body.Close()
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{})
	if err := os.MkdirAll(p.Places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Places.engine(), []byte("not a folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := p.Dial(t.Context())
	if err == nil || !strings.Contains(err.Error(), "engine") {
		t.Errorf("got %v, want what is wrong", err)
	}
	if _, err := (&Starter{Places: p.Places}).Dial(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a command: %v", err)
	}
}

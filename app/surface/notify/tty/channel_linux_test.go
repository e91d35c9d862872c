package tty_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/tty"
	"github.com/saysohq/sayso/app/testenv"
)

// openPTY opens a terminal: what is written to the path arrives at the master.
func openPTY(t *testing.T) (master *os.File, path string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		testenv.Missing(t, "pseudo-terminals: "+err.Error())
	}
	t.Cleanup(func() { master.Close() })
	raw, err := master.SyscallConn()
	must(t, err)
	n := 0
	must(t, raw.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
	}))
	must(t, err)
	return master, "/dev/pts/" + strconv.Itoa(n)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contact(t *testing.T, a *tty.Address) *notify.Contact {
	t.Helper()
	b, err := json.Marshal(a)
	must(t, err)
	return &notify.Contact{Kind: notify.Terminal, ID: "terminal-1", Address: b}
}

func note() *notify.Note {
	return &notify.Note{Key: "k1", Alert: true, Title: "claude-code asks", Body: "1 question waits", Text: "SECRET", Waiting: 1}
}

// output is what has arrived at a terminal.
type output struct {
	mu sync.Mutex
	b  strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestPut(t *testing.T) {
	master, path := openPTY(t)
	keep, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0) // as the shell in it does
	must(t, err)
	defer keep.Close()
	var out output
	go io.Copy(&out, master) // ends with the master
	c := tty.New(nil)
	to := contact(t, &tty.Address{Path: path, Kind: tty.OSC99})
	where, err := c.Put(t.Context(), to, note(), "")
	must(t, err)
	changed := note()
	changed.Alert, changed.Title = false, "changed"
	again, err := c.Put(t.Context(), to, changed, where)
	must(t, err)
	over := note()
	over.Over, over.Alert = true, false
	left, err := c.Put(t.Context(), to, over, where)
	must(t, err)
	if where != "k1" || again != where || left != "" {
		t.Errorf("it is at %q, then at %q, then at %q", where, again, left)
	}
	a := &tty.Address{Kind: tty.OSC99}
	want := a.Alert("k1", "claude-code asks", "1 question waits") + a.Withdraw("k1")
	eventually(t, "all of it arrives", func() bool { return len(out.String()) >= len(want) })
	if out.String() != want {
		t.Errorf("written %q, want %q", &out, want)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	c := tty.New(nil)
	for name, a := range map[string]*tty.Address{
		"a file":            {Path: dir + "/x"},
		"another device":    {Path: "/dev/null"},
		"a way out":         {Path: "/dev/pts/../null"},
		"nothing":           {},
		"another machine's": {Path: "/dev/pts/0", Host: "somewhere.invalid"},
	} {
		if _, err := c.Put(t.Context(), contact(t, a), note(), ""); err == nil || errors.Is(err, notify.ErrGone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Put(t.Context(), contact(t, &tty.Address{Path: "/dev/pts/999999"}), note(), ""); !errors.Is(err, notify.ErrGone) {
		t.Errorf("a terminal that was closed: %v", err)
	}
}

func TestAnotherUser(t *testing.T) {
	testenv.Root(t)
	_, path := openPTY(t)
	must(t, os.Chown(path, 65534, -1))
	if _, err := tty.New(nil).Put(t.Context(), contact(t, &tty.Address{Path: path}), note(), ""); !errors.Is(err, notify.ErrGone) || !strings.Contains(err.Error(), "another user") {
		t.Errorf("a terminal of another user: %v", err)
	}
}

// TestStopped writes to a terminal that nobody reads until it takes no more.
func TestStopped(t *testing.T) {
	_, path := openPTY(t)
	keep, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	defer keep.Close()
	c := tty.New(&tty.Options{Patience: 50 * time.Millisecond})
	to := contact(t, &tty.Address{Path: path, Kind: tty.OSC9})
	n := note()
	n.Body = strings.Repeat("long ", 800)
	began := time.Now()
	for range 1000 {
		if _, err = c.Put(t.Context(), to, n, ""); err != nil {
			break
		}
	}
	if err == nil || errors.Is(err, notify.ErrGone) || !strings.Contains(err.Error(), "ctrl+s") {
		t.Errorf("it ends with %v", err)
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}

package desktop_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/app/testenv"
)

// dunst is a real notification service on a screen of its own.
type dunst struct {
	t       *testing.T
	address string
	env     []string
	dir     string
	stop    func()
}

// startDunst starts a screen and a bus, and dunst on them.
func startDunst(t *testing.T) *dunst {
	t.Helper()
	if os.Getenv("SAYSO_DESKTOP") == "" {
		t.Skip("needs a screen: set SAYSO_DESKTOP=1, or run .ci/run desktop")
	}
	testenv.Tools(t, "dunst", "dunstctl", "dbus-send", "Xvfb", "xdotool")
	d := &dunst{t: t, address: startBus(t), dir: t.TempDir()}
	d.env = []string{"DBUS_SESSION_BUS_ADDRESS=" + d.address, "DISPLAY=:" + startScreen(t), "HOME=" + d.dir, "XDG_CONFIG_HOME=" + d.dir}
	// What dunst shows in a menu is chosen by a script: it prints the line that it finds.
	pick := filepath.Join(d.dir, "pick")
	must(t, os.WriteFile(pick, []byte("#!/bin/sh\ngrep -F -m1 -f "+pick+".label\n"), 0o700))
	must(t, os.WriteFile(filepath.Join(d.dir, "dunstrc"), []byte(`[global]
    dmenu = `+pick+`
    markup = full
    format = "<b>%s</b>\n%b"
    mouse_left_click = do_action
    font = Monospace 8
`), 0o600))
	d.start()
	return d
}

func startScreen(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	must(t, x.Start())
	w.Close()
	t.Cleanup(func() { x.Process.Kill(); x.Wait() })
	number, err := bufio.NewReader(r).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(number)
}

func (d *dunst) start() {
	d.t.Helper()
	d.stop = run(d.t, d.env, "dunst", "-conf", filepath.Join(d.dir, "dunstrc"))
	conn := connect(d.t, d.address)
	eventually(d.t, "dunst is there", func() bool {
		var has bool
		return conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, service).Store(&has) == nil && has
	})
}

func (d *dunst) command(name string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), d.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Errorf("%s %q: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shows waits until so many notifications are on the screen.
func (d *dunst) shows(n int) {
	d.t.Helper()
	got := ""
	eventually(d.t, fmt.Sprint(n, " on the screen"), func() bool {
		got = d.command("dunstctl", "count", "displayed")
		return got == fmt.Sprint(n)
	})
}

// press chooses a button in the menu that dunst opens.
func (d *dunst) press(label string) {
	d.t.Helper()
	must(d.t, os.WriteFile(filepath.Join(d.dir, "pick.label"), []byte(label+"\n"), 0o600))
	d.command("dunstctl", "context")
}

// click clicks on the topmost notification with the mouse.
func (d *dunst) click() {
	d.t.Helper()
	window := ""
	eventually(d.t, "dunst has a window", func() bool {
		cmd := exec.Command("xdotool", "search", "--onlyvisible", "--class", "dunst")
		cmd.Env = append(os.Environ(), d.env...)
		out, _ := cmd.Output()
		window, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
		return window != ""
	})
	d.command("xdotool", "mousemove", "--window", window, "20", "20", "click", "1")
}

// TestDunst uses the channel with a service that people run.
func TestDunst(t *testing.T) {
	d := startDunst(t)
	var opened atomic.Pointer[string]
	c, took := start(t, d.address, &desktop.Options{Open: func(_ *notify.Note, url string) error { opened.Store(&url); return nil }})
	if name, err := c.Server(t.Context()); err != nil || !strings.HasPrefix(name, "dunst ") {
		t.Fatalf("the service is %q, %v", name, err)
	}

	where := put(t, c, note(), "")
	d.shows(1)
	reminder := note()
	reminder.Round, reminder.Title = 1, "claude-code still asks"
	if again := put(t, c, reminder, where); again != where {
		t.Errorf("the reminder is at %q, and was at %q", again, where)
	}
	d.shows(1)

	// Another program says that a button was pressed. Whoever listens by interface
	// takes it.
	loose := connect(t, d.address)
	must(t, loose.AddMatchSignal(dbus.WithMatchInterface(service)))
	heard := make(chan *dbus.Signal, 8)
	loose.Signal(heard)
	id := where[strings.LastIndex(where, " ")+1:]
	d.command("dbus-send", "--session", "--type=signal", object, service+".ActionInvoked", "uint32:"+id, "string:0")
	if s := <-heard; s.Name != service+".ActionInvoked" || s.Sender == strings.Fields(where)[1] {
		t.Errorf("heard %+v", s)
	}

	d.press("SQLite")
	eventually(t, "the press is taken", func() bool { return len(took.pressed()) > 0 })
	if got := took.pressed(); !slices.Equal(got, []string{"desktop-1 t1.2"}) {
		t.Errorf("taken: %q", got)
	}
	d.shows(0) // dunst itself leaves it there

	where = put(t, c, note(), "")
	d.shows(1)
	over := note()
	over.Over = true
	if where = put(t, c, over, where); where != "" {
		t.Errorf("it is still at %q", where)
	}
	d.shows(0)

	put(t, c, note(), "")
	d.shows(1)
	d.click()
	eventually(t, "the question is opened", func() bool { return opened.Load() != nil })
	if *opened.Load() != note().URL {
		t.Errorf("opened %q", *opened.Load())
	}
	d.shows(0)
	if got := took.pressed(); len(got) != 1 {
		t.Errorf("taken: %q", got)
	}
}

func TestDunstRestarts(t *testing.T) {
	d := startDunst(t)
	c, took := start(t, d.address, nil)
	put(t, c, note(), "")
	d.shows(1)
	d.stop()
	d.start()
	d.shows(1)
	d.press("PostgreSQL")
	eventually(t, "the press is taken", func() bool { return slices.Equal(took.pressed(), []string{"desktop-1 t1.1"}) })
	d.shows(0)
}

// TestDunstTwice shows a note from a process that crashed before it could say where, and
// from the next one.
func TestDunstTwice(t *testing.T) {
	d := startDunst(t)
	for range 2 {
		c := desktop.New(&desktop.Options{Address: d.address})
		put(t, c, note(), "")
		must(t, c.Close())
		d.shows(1)
	}
}

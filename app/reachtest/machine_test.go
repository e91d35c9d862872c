package reachtest

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/saysohq/sayso/app/testenv"
)

// runs runs a program as long as the test.
func runs(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

// mailOf sends mail to aiosmtpd, which puts it into a folder.
func mailOf(t *testing.T) (*home, channel) {
	testenv.Tools(t, "aiosmtpd")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	dir := filepath.Join(t.TempDir(), "mail")
	runs(t, exec.Command("aiosmtpd", "-n", "-l", at, "-c", "aiosmtpd.handlers.Mailbox", dir))
	h := newHome(t)
	h.until("the mail server listens", func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	h.run(append([]string{"notify", "add", "mail", "ann@example.com", "--smtp", at, "--from", "sayso@example.com"}, atOnce...)...)
	return h, channel{id: "mail", shown: func(name string) bool {
		all, _ := filepath.Glob(filepath.Join(dir, "new", "*"))
		for _, f := range all {
			if b, _ := os.ReadFile(f); strings.Contains(string(b), name+"?") {
				return true
			}
		}
		return false
	}}
}

// desktopOf shows notifications with dunst, on a screen and a bus of their own.
func desktopOf(t *testing.T) (*home, channel) {
	testenv.Tools(t, "dbus-daemon", "dunst", "Xvfb")
	dir, err := os.MkdirTemp("", "bus") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := "unix:path=" + filepath.Join(dir, "s")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	t.Setenv("DISPLAY", ":"+screen(t))
	runs(t, exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+address))
	h := newHome(t)
	var bus *dbus.Conn
	h.until("the bus listens", func() bool { bus, err = dbus.Connect(address); return err == nil })
	t.Cleanup(func() { bus.Close() })
	runs(t, exec.Command("dunst"))
	dunst := bus.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
	count := func() int {
		v, err := dunst.GetProperty("org.dunstproject.cmd0.displayedLength")
		if n, ok := v.Value().(uint32); ok && err == nil {
			return int(n)
		}
		return -1
	}
	h.until("dunst is there", func() bool { return count() == 0 })
	h.run(append([]string{"notify", "add", "desktop"}, atOnce...)...)
	gone := func() bool { return count() == 0 }
	h.until("the first notification, which only says hello, is gone", func() bool {
		dunst.Call("org.dunstproject.cmd0.NotificationCloseAll", 0)
		return gone()
	})
	return h, channel{id: "desktop", shown: func(string) bool { return count() == 1 }, gone: gone}
}

// screen starts one that nobody sees, and returns its number.
func screen(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	runs(t, x)
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(number)
}

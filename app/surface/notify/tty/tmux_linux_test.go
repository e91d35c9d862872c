package tty_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/surface/notify/tty"
	"github.com/saysohq/sayso/app/testenv"
)

// multiplexer is tmux in a terminal whose output can be read.
type multiplexer struct {
	t      *testing.T
	socket string
	out    output // what reaches the terminal around it
	bells  int    // that were waited for
}

func startTmux(t *testing.T) *multiplexer {
	t.Helper()
	testenv.Tools(t, "tmux")
	dir, err := os.MkdirTemp("", "tmux") // a socket needs a short path
	must(t, err)
	m := &multiplexer{t: t, socket: filepath.Join(dir, "s")}
	m.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sleep 600")
	t.Cleanup(func() { exec.Command("tmux", "-S", m.socket, "kill-server").Run(); os.RemoveAll(dir) })
	master, path := openPTY(t)
	slave, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	go io.Copy(&m.out, master) // ends with the master
	client := exec.Command("tmux", "-S", m.socket, "attach")
	client.Stdin, client.Stdout, client.Stderr = slave, slave, slave
	client.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin"}
	client.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, client.Start())
	slave.Close()
	t.Cleanup(func() { client.Process.Kill(); client.Wait() })
	eventually(t, "a client is attached", func() bool { return strings.TrimSpace(m.tmux("list-clients")) != "" })
	return m
}

func (m *multiplexer) tmux(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", m.socket}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// put tells the terminal of a window, and waits for the bell behind it.
func (m *multiplexer) put(window, text string, a tty.Address) {
	m.t.Helper()
	a.Path = strings.TrimSpace(m.tmux("display-message", "-p", "-t", window, "#{pane_tty}"))
	n := note()
	n.Title = text
	c := tty.New(nil)
	_, err := c.Put(m.t.Context(), contact(m.t, &a), n, "")
	must(m.t, err)
	if !a.Tmux { // it has no bell of its own
		a.Kind = tty.Bell
		_, err := c.Put(m.t.Context(), contact(m.t, &a), n, "")
		must(m.t, err)
	}
	m.bells++
	eventually(m.t, "the bell "+text, func() bool { return strings.Count(m.out.String(), "\a") >= m.bells })
}

// TestTmux shows what of a notification comes out of tmux: the bell always, and a
// sequence only if it is wrapped, tmux is told to let it pass, and its window is in
// front.
func TestTmux(t *testing.T) {
	m := startTmux(t)
	m.tmux("new-window", "-d", "sleep 600")
	windows := map[string]string{"front": ":0", "hidden": ":1"}
	for _, passthrough := range []string{"off", "on"} {
		m.tmux("set", "-g", "allow-passthrough", passthrough)
		for _, where := range []string{"front", "hidden"} {
			for _, wrapped := range []bool{false, true} {
				for _, kind := range []tty.Kind{tty.OSC9, tty.OSC777} {
					text := fmt.Sprintf("%s-%s-%v-%s", passthrough, where, wrapped, kind)
					m.put(windows[where], text, tty.Address{Kind: kind, Tmux: wrapped})
					want := passthrough == "on" && where == "front" && wrapped
					if got := strings.Contains(m.out.String(), text); got != want {
						t.Errorf("%s passes: %v, want %v", text, got, want)
					}
				}
			}
		}
	}
	if strings.Contains(m.out.String(), "SECRET") {
		t.Error("the whole text was written")
	}
}

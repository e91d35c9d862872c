package tui

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/testenv"
)

// desk is a pseudo-terminal with a child process behind it.
type desk struct {
	t      *testing.T
	master *os.File
	in     io.WriteCloser
	screen *vt.SafeEmulator
	cmd    *exec.Cmd
	result askResult
	ended  chan error

	mu   sync.Mutex
	more *sync.Cond // signalled when something was drawn
}

func openPTY(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		testenv.Missing(t, "pseudo-terminals: "+err.Error())
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 80})
	}
	if err == nil {
		slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

func newDesk(t *testing.T, how, typedBefore string) *desk {
	t.Helper()
	master, slave := openPTY(t)
	d := &desk{t: t, master: master, screen: vt.NewSafeEmulator(80, 30), ended: make(chan error, 1)}
	d.more = sync.NewCond(&d.mu)
	if typedBefore != "" {
		if _, err := master.WriteString(typedBefore); err != nil {
			t.Fatal(err)
		}
	}
	d.cmd = exec.Command(os.Args[0])
	d.cmd.Env = append(os.Environ(), asking+"="+how, "TERM=xterm-256color", "NO_COLOR=1")
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	d.cmd.ExtraFiles = []*os.File{slave}
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	d.cmd.Stderr = os.Stderr
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	var work sync.WaitGroup
	work.Go(func() { _, _ = io.Copy(master, d.screen) }) // the terminal's answers
	work.Go(d.draw)
	go func() {
		decodeErr := json.NewDecoder(stdout).Decode(&d.result)
		d.ended <- errors.Join(decodeErr, d.cmd.Wait())
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		master.Close()
		switchOff(d.screen)
		work.Wait()
	})
	return d
}

func (d *desk) draw() {
	buf := make([]byte, 4096)
	for {
		n, err := d.master.Read(buf)
		_, _ = d.screen.Write(buf[:n])
		d.mu.Lock()
		d.more.Broadcast()
		d.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (d *desk) sees() string { return ansi.Strip(d.screen.Render()) }

// waitFor returns when the screen shows a text.
func (d *desk) waitFor(text string) {
	d.t.Helper()
	const limit = 2 * time.Minute
	late := time.AfterFunc(limit, d.more.Broadcast)
	defer late.Stop()
	end := time.Now().Add(limit)
	d.mu.Lock()
	defer d.mu.Unlock()
	for !strings.Contains(d.sees(), text) {
		if time.Now().After(end) {
			d.t.Fatalf("%q never came:\n%s", text, d.sees())
		}
		d.more.Wait()
	}
}

func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.master.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) end() {
	d.t.Helper()
	if err := <-d.ended; err != nil {
		d.t.Fatal(err)
	}
}

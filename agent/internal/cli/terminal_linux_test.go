package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/testenv"
)

// terminal is a pseudo-terminal with a screen.
type terminal struct {
	t             *testing.T
	master, slave *os.File
	done          chan struct{}

	mu     sync.Mutex
	screen *vt.Emulator
	all    strings.Builder
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		testenv.Missing(t, "pseudo-terminals: "+err.Error())
	}
	n := 0
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
		if err == nil {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 90})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{t: t, master: master, slave: slave, done: make(chan struct{}), screen: vt.NewEmulator(90, 40)}
	go p.read()
	replied := make(chan struct{})
	go func() { defer close(replied); p.reply() }()
	t.Cleanup(func() {
		p.slave.Close()
		p.master.Close()
		<-p.done
		p.screen.InputPipe().(io.Closer).Close()
		<-replied
	})
	return p
}

func (p *terminal) read() {
	defer close(p.done)
	b := make([]byte, 4096)
	for {
		n, err := p.master.Read(b)
		p.mu.Lock()
		p.all.Write(b[:n])
		p.screen.Write(b[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// reply gives the program what a terminal answers to its questions.
func (p *terminal) reply() {
	b := make([]byte, 256)
	for {
		n, err := p.screen.Read(b)
		if err != nil {
			return
		}
		p.master.Write(b[:n])
	}
}

// text is what the screen shows.
func (p *terminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, l := range strings.Split(p.screen.String(), "\n") {
		lines = append(lines, strings.TrimRight(l, " \r"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// waitFor waits until the words are on the screen.
func (p *terminal) waitFor(words string) {
	p.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.text(), words); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain for %q on\n%s", words, p.text())
		}
	}
}

func (p *terminal) typed(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// choose chooses an option of the dialog and sends it. The dialog drops keys that
// come just after it appeared, so the first one is repeated until its effect is on
// the screen; Enter is typed once, so that none is left for what comes after.
func (p *terminal) choose(key, chosen string) {
	p.t.Helper()
	p.repeat(key, "● "+chosen)
	p.typed("\r")
}

// later leaves the dialog, and removes what was typed too much from the line that
// follows it.
func (p *terminal) later() {
	p.t.Helper()
	p.repeat("\x1b", "/answer answers it")
	p.typed("\x15")
}

// repeat types the key until the words are on the screen.
func (p *terminal) repeat(key, words string) {
	p.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.text(), words); <-time.After(500 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("typed %q in vain for %q on\n%s", key, words, p.text())
		}
		p.typed(key)
	}
}

// start runs the program on the terminal.
func (p *terminal) start(h *home, args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), os.Args[0], args...)
	cmd.Dir = h.dir
	// Nothing of the environment but what finds programs, and the switch of app/mutanttest.
	cmd.Env = []string{"SAYSO_AGENT_RUN=1", "PATH=" + os.Getenv("PATH"), "SAYSO_MUTANT=" + os.Getenv("SAYSO_MUTANT")}
	for k, v := range h.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
	cmd.ExtraFiles = []*os.File{p.slave}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

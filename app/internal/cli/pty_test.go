package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/testenv"
)

// terminal is a pseudo-terminal and what has been written to it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	done   chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		testenv.Missing(t, "pseudo-terminals: "+err.Error())
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.SetNonblock(fd, true) // so that Close ends a Read
	p := &terminal{t: t, master: os.NewFile(uintptr(dup(t, fd)), "terminal"), slave: slave, done: make(chan struct{})}
	master.Close()
	go p.read()
	t.Cleanup(func() {
		p.slave.Close()
		p.master.Close()
		<-p.done
	})
	return p
}

func dup(t *testing.T, fd int) int {
	t.Helper()
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (p *terminal) read() {
	defer close(p.done)
	b := make([]byte, 4096)
	for {
		n, err := p.master.Read(b)
		p.mu.Lock()
		p.out.Write(b[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// start runs the command on the terminal; streams that were set stay as they are.
func (p *terminal) start(cmd *exec.Cmd) {
	p.t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = p.slave
	}
	if cmd.Stdout == nil {
		cmd.Stdout = p.slave
	}
	if cmd.Stderr == nil {
		cmd.Stderr = p.slave
	}
	cmd.ExtraFiles = []*os.File{p.slave}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// text returns everything that was written so far.
func (p *terminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// waitFor waits until the words are on the terminal.
func (p *terminal) waitFor(words string) {
	p.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !strings.Contains(p.text(), words); {
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain for %q in %q", words, p.text())
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (p *terminal) typed(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// run runs the command to its end and returns what it wrote to the terminal. At each
// of the words it types the keys behind them.
func (p *terminal) run(cmd *exec.Cmd, at ...[2]string) string {
	p.t.Helper()
	before := len(p.text())
	p.start(cmd)
	for _, a := range at {
		for end := time.Now().Add(time.Minute); !strings.Contains(p.text()[before:], a[0]); <-time.After(10 * time.Millisecond) {
			if time.Now().After(end) {
				p.t.Fatalf("waited in vain for %q in %q", a[0], p.text()[before:])
			}
		}
		p.typed(a[1])
	}
	cmd.Wait()
	// What was written before the end is read after this mark.
	mark := "\x00end\x00"
	if _, err := p.slave.WriteString(mark); err != nil {
		p.t.Fatal(err)
	}
	p.waitFor(mark)
	all := p.text()[before:]
	out, _, _ := strings.Cut(all, mark)
	p.mu.Lock()
	p.out.Reset()
	p.mu.Unlock()
	return out
}

package doortest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a program that runs in a world. At the end of the test it is
// killed with all that it started, and when the test failed, what it printed is
// shown.
type Process struct {
	Stdin io.WriteCloser

	t      testing.TB
	name   string
	cmd    *exec.Cmd
	out    output
	err    output
	exited chan struct{}
	exit   error
}

// Start starts a program in the project's folder.
func (w *World) Start(env []string, program string, args ...string) *Process {
	w.t.Helper()
	if strings.HasSuffix(program, ".js") {
		args = append([]string{program}, args...)
		program = Program(w.t, "node")
	}
	p := &Process{t: w.t, name: program, cmd: exec.Command(program, args...), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = w.Project, env
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second // a grandchild may keep the pipes
	var err error
	if p.Stdin, err = p.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatalf("starting %s: %v", program, err)
	}
	go func() {
		p.exit = p.cmd.Wait()
		p.out.end()
		close(p.exited)
	}()
	w.t.Cleanup(func() {
		p.Kill()
		if w.t.Failed() {
			w.t.Logf("%s\nstandard output:\n%s\nstandard error:\n%s", p.cmd, tail(p.Out(), 60), tail(p.Err(), 60))
		}
	})
	return p
}

// Run runs a program to its end, which must be a good one, without input.
func (w *World) Run(env []string, program string, args ...string) *Process {
	w.t.Helper()
	p := w.Start(env, program, args...)
	p.Stdin.Close()
	if code := p.Wait(); code != 0 {
		w.t.Fatalf("%s ended with %d", p.cmd, code)
	}
	return p
}

// Kill kills the program and its process group, and waits for the end.
func (p *Process) Kill() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
}

// Wait waits for the end and returns the exit code.
func (p *Process) Wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(Patience):
		p.t.Fatalf("%s did not end within %v", p.name, Patience)
	}
	if p.exit != nil && !errors.As(p.exit, new(*exec.ExitError)) && !errors.Is(p.exit, exec.ErrWaitDelay) {
		p.t.Fatalf("%s: %v", p.name, p.exit)
	}
	return p.cmd.ProcessState.ExitCode()
}

// AwaitEnd waits until no `sayso VERB` runs in this world any more: agents that
// are killed leave theirs behind, for the moment that it takes to notice.
func (w *World) AwaitEnd(verb string) {
	w.t.Helper()
	until(w.t, "the end of sayso "+verb, func() bool {
		all, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			w.t.Fatal(err)
		}
		return !slices.ContainsFunc(all, func(proc string) bool {
			line, _ := os.ReadFile(filepath.Join(proc, "cmdline")) // one that just ended has none
			env, _ := os.ReadFile(filepath.Join(proc, "environ"))
			args := strings.Split(string(line), "\x00")
			return len(args) > 1 && filepath.Base(args[0]) == "sayso" && args[1] == verb &&
				slices.Contains(strings.Split(string(env), "\x00"), "HOME="+w.Home)
		})
	})
}

// Running says whether the program has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Out is what the program has printed so far.
func (p *Process) Out() string { return p.out.String() }

// Err is what the program has said on standard error so far.
func (p *Process) Err() string { return p.err.String() }

// output keeps what is written, for readers that come at any time.
type output struct {
	mu    sync.Mutex
	more  sync.Cond
	buf   bytes.Buffer
	ended bool
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wake()
	return o.buf.Write(b)
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.wake()
}

func (o *output) wake() {
	if o.more.L != nil {
		o.more.Broadcast()
	}
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// line returns the line that begins at offset, without its end, and where the
// next begins. It waits for it; ok is false when there will be none.
func (o *output) line(at int) (line string, next int, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more.L == nil {
		o.more.L = &o.mu
	}
	for {
		rest := o.buf.Bytes()[at:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return string(rest[:i]), at + i + 1, true
		}
		if o.ended {
			return "", at, false
		}
		o.more.Wait()
	}
}

package clustertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// process is a program that can be started again. Its methods fail the test when they fail.
type process struct {
	t       *testing.T
	name    string
	program string // the path; default: this test program
	role    string
	args    []string
	home    string
	network *enginetest.Network // with node: the namespace to run in
	node    int                 // -1: the test's own
	ready   func(context.Context) error

	cmd    *exec.Cmd
	exited chan struct{}
	exit   error
}

var _ enginetest.Victim = (*process)(nil)

// newProcess returns a process that does not run yet.
func newProcess(t *testing.T, p process) *process {
	t.Helper()
	p.t = t
	home, err := os.MkdirTemp("", "sayso") // short: a socket's path is
	must(t, err)
	p.home = home
	all := &p
	t.Cleanup(func() {
		if all.running() {
			all.Resume()
			all.Kill()
		}
		if t.Failed() {
			t.Logf("%s:\n%s", all.name, all.tail())
		}
		os.RemoveAll(home)
	})
	return all
}

// command is a command of the program in the process's home, such as `keys create`.
func (p *process) command(args ...string) *exec.Cmd {
	program := p.program
	if program == "" {
		program, _ = os.Executable()
	}
	cmd := exec.Command(program, args...)
	if p.network != nil && p.node >= 0 {
		cmd = p.network.Command(p.node, program, args...)
	}
	cmd.Env = []string{
		roleEnv + "=" + p.role, "HOME=" + p.home, "XDG_RUNTIME_DIR=" + filepath.Join(p.home, "run"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "LANG=C",
		"SAYSO_MUTANT=" + os.Getenv("SAYSO_MUTANT"), // see package mutanttest
	}
	return cmd
}

// run runs a command to its end and returns what it prints.
func (p *process) run(args ...string) string {
	p.t.Helper()
	var said strings.Builder
	cmd := p.command(args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s: sayso %s: %v: %s", p.name, strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// Launch starts it, which must not run.
func (p *process) Launch() {
	p.t.Helper()
	p.cmd = p.command(p.args...)
	log, err := os.OpenFile(filepath.Join(p.home, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(p.t, err)
	defer log.Close()
	p.cmd.Stderr, p.cmd.Stdout = log, log
	must(p.t, p.cmd.Start())
	exited, cmd := make(chan struct{}), p.cmd
	p.exited = exited
	go func() {
		p.exit = cmd.Wait()
		close(exited)
	}()
}

// Await waits until it serves.
func (p *process) Await() {
	p.t.Helper()
	within(p.t, p.name+" does not get ready", func(ctx context.Context) error {
		if !p.running() {
			p.t.Fatalf("%s has ended: %v\n%s", p.name, p.exit, p.tail())
		}
		return p.ready(ctx)
	})
}

// start launches all and waits for them.
func start(all ...*process) {
	for _, p := range all {
		p.Launch()
	}
	for _, p := range all {
		p.t.Helper()
		p.Await()
	}
}

func (p *process) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Kill ends it at once, as kill -9 does.
func (p *process) Kill() {
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.exited
}

// Stop ends it in good order, as SIGTERM does.
func (p *process) Stop() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("%s does not stop", p.name)
	}
	if p.exit != nil {
		p.t.Fatalf("%s stopped with %v\n%s", p.name, p.exit, p.tail())
	}
}

// Pause freezes it until Resume.
func (p *process) Pause() { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets it go on.
func (p *process) Resume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// forget empties its disk. It must not run.
func (p *process) forget() {
	p.t.Helper()
	must(p.t, os.RemoveAll(filepath.Join(p.home, ".local")))
}

// tail is the end of its log.
func (p *process) tail() string {
	b, err := os.ReadFile(filepath.Join(p.home, "log"))
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b[max(0, len(b)-3<<10):])
}

package enginetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// Node is one server process. Its methods fail the test when they fail, unless they return an error.
type Node struct {
	Spec Spec
	t    testing.TB
	seed []byte
	proc *process // the running one, or the last
}

// process is one life of a node.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr tail
	ready  chan ready // closed without a value when the process failed to start
	exited chan struct{}
	exit   error

	fail string // set before ready is closed

	mu    sync.Mutex
	more  *sync.Cond // something was printed, or nothing will be any more
	lines []string
	ended bool
}

// StartNode starts a node and waits until it serves.
func StartNode(t testing.TB, spec Spec) *Node {
	t.Helper()
	n := NewNode(t, spec)
	n.Restart()
	return n
}

// NewNode returns a node that does not run yet.
func NewNode(t testing.TB, spec Spec) *Node {
	t.Helper()
	key, err := nkeys.CreateUser()
	check(t, err)
	n := &Node{Spec: spec, t: t}
	n.seed, err = key.Seed()
	check(t, err)
	n.Spec.Key, err = key.PublicKey()
	check(t, err)
	if n.Spec.Name == "" {
		n.Spec.Name = "one"
	}
	if n.Spec.Client == "" {
		n.Spec.Client = FreePort(t, "127.0.0.1")
	}
	t.Cleanup(func() {
		if n.proc != nil && n.Running() {
			n.Kill()
		}
		if t.Failed() && n.proc != nil {
			t.Logf("node %s:\n%s", n.Spec.Name, n.proc.stderr.String())
		}
	})
	return n
}

// Restart starts the node, which must not run, and waits until it serves.
func (n *Node) Restart() natsserver.Report {
	n.t.Helper()
	r, err := n.TryRestart()
	check(n.t, err)
	return r
}

// TryRestart is Restart for a node that may refuse to start.
func (n *Node) TryRestart() (natsserver.Report, error) {
	n.t.Helper()
	n.Launch()
	r, ok := <-n.proc.ready
	if !ok {
		<-n.proc.exited
		return natsserver.Report{}, errors.New(n.proc.fail)
	}
	return r.Report, nil
}

// Await waits until a node that was launched serves.
func (n *Node) Await() {
	n.t.Helper()
	if _, ok := <-n.proc.ready; !ok {
		n.t.Fatalf("node %s: %s", n.Spec.Name, n.proc.fail)
	}
}

// Launch starts the node, which must not run.
func (n *Node) Launch() {
	n.t.Helper()
	spec, err := json.Marshal(n.Spec)
	check(n.t, err)
	self, err := os.Executable()
	check(n.t, err)
	p := &process{cmd: exec.Command(self), ready: make(chan ready, 1), exited: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	if n.Spec.Netns != "" {
		p.cmd = exec.Command("nsenter", inNetns(n.Spec.Netns), self) // becomes the node: same process
	}
	p.cmd.Env = append(os.Environ(), specEnv+"="+string(spec))
	p.cmd.Stderr = &p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	check(n.t, err)
	out, err := p.cmd.StdoutPipe()
	check(n.t, err)
	check(n.t, p.cmd.Start())
	n.proc = p
	go func() {
		p.read(out)
		p.exit = p.cmd.Wait()
		close(p.exited)
	}()
}

// read takes what the process prints until it ends.
func (p *process) read(out io.Reader) {
	defer func() {
		close(p.ready)
		p.mu.Lock()
		p.ended = true
		p.more.Broadcast()
		p.mu.Unlock()
	}()
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		line, err := in.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		switch {
		case err != nil: // the last line of a killed process may be half a line: it does not count
			if p.fail == "" {
				p.fail = "the process ended: " + p.stderr.String()
			}
			return
		case strings.HasPrefix(line, "ready "):
			var r ready
			if json.Unmarshal([]byte(line[len("ready "):]), &r) == nil {
				p.ready <- r
			}
		case strings.HasPrefix(line, "failed "):
			p.fail = line[len("failed "):]
		default:
			p.mu.Lock()
			p.lines = append(p.lines, line)
			p.more.Broadcast()
			p.mu.Unlock()
		}
	}
}

// Lines returns what the node's program wrote in this life, so far.
func (n *Node) Lines() []string {
	n.proc.mu.Lock()
	defer n.proc.mu.Unlock()
	return n.proc.lines[:len(n.proc.lines):len(n.proc.lines)]
}

// WaitLines waits until the node's program has written n lines in this life.
func (n *Node) WaitLines(count int) {
	n.t.Helper()
	late := false
	timer := time.AfterFunc(3*time.Minute, func() {
		n.proc.mu.Lock()
		late = true
		n.proc.more.Broadcast()
		n.proc.mu.Unlock()
	})
	defer timer.Stop()
	n.proc.mu.Lock()
	defer n.proc.mu.Unlock()
	for len(n.proc.lines) < count {
		if n.proc.ended || late {
			n.t.Fatalf("node %s has written %d of %d lines: %s", n.Spec.Name, len(n.proc.lines), count, n.proc.fail)
		}
		n.proc.more.Wait()
	}
}

// Log returns the end of what the node's process has logged in this life.
func (n *Node) Log() string { return n.proc.stderr.String() }

// Running reports whether the process is there, be it paused.
func (n *Node) Running() bool {
	select {
	case <-n.proc.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process at once, as kill -9 does.
func (n *Node) Kill() {
	_ = n.proc.cmd.Process.Kill() // it may be gone already
	<-n.proc.exited
}

// Stop ends the process in good order.
func (n *Node) Stop() {
	n.t.Helper()
	check(n.t, n.TryStop())
}

// TryStop is Stop for a node that may fail to end well.
func (n *Node) TryStop() error {
	n.t.Helper()
	n.Signal(syscall.SIGTERM)
	<-n.proc.exited
	if n.proc.exit != nil {
		return fmt.Errorf("stop %s: %w: %s", n.Spec.Name, n.proc.exit, n.proc.fail)
	}
	return nil
}

// Pause freezes the process until Resume.
func (n *Node) Pause() { n.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (n *Node) Resume() { n.Signal(syscall.SIGCONT) }

// Signal sends a signal to the process.
func (n *Node) Signal(s os.Signal) {
	n.t.Helper()
	check(n.t, n.proc.cmd.Process.Signal(s))
}

// PID is the process id of the node.
func (n *Node) PID() int { return n.proc.cmd.Process.Pid }

// ConnectOptions say how to reach the node.
func (n *Node) ConnectOptions() *natsserver.ConnectOptions {
	n.t.Helper()
	o, err := n.Reach().ConnectOptions()
	check(n.t, err)
	return o
}

// Connect connects to the node; the test closes the connection at its end.
func (n *Node) Connect() *nats.Conn {
	n.t.Helper()
	return connect(n.t, n.ConnectOptions())
}

func connect(t testing.TB, o *natsserver.ConnectOptions) *nats.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		nc, err := natsserver.Connect(ctx, o)
		if err == nil {
			t.Cleanup(nc.Close)
			return nc
		}
		select {
		case <-ctx.Done():
			t.Fatalf("connect to %v: %v", o.URLs, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailSize = 16 << 10

func (w *tail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(b)
	if extra := w.buf.Len() - tailSize; extra > 0 {
		w.buf.Next(extra)
	}
	return len(b), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func oneLine(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "\n", " | ") }

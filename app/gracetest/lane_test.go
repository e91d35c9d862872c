package gracetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// lane is a hub of its own, in which schedules are played one after the other.
type lane struct {
	*testing.T
	home   string
	client *client.Client

	mu      sync.Mutex
	agent   *os.Process // of the schedule that is played
	browser *os.Process
	kills   map[string]int
}

func newLane(t *testing.T) *lane {
	home, err := os.MkdirTemp("/tmp", "say-") // not t.TempDir: the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	l := &lane{T: t, home: home, kills: map[string]int{}}
	t.Cleanup(func() {
		l.kill("hub")
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(home, ".local/state/sayso/hub.log"))
			t.Logf("the hub said:\n%s", log[max(0, len(log)-2000):])
		}
		os.RemoveAll(home)
	})
	l.startHub()
	if l.client, err = connect(home); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.client.Close() })
	return l
}

// command is this test program in a role.
func (l *lane) command(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "XDG_") || strings.HasPrefix(s, "SAYSO_HUB=") || strings.HasPrefix(s, "SAYSO_KEY")
	}), roleEnv+"="+role, "HOME="+l.home)
	cmd.Dir = l.home
	return cmd
}

// startHub has a command start the hub where it does not run. One that reaches a hub as
// it is killed fails, and is tried again.
func (l *lane) startHub() {
	for try := 1; ; try++ {
		out, err := l.command(l.Context(), "sayso", "list").CombinedOutput()
		if err == nil || l.Context().Err() != nil {
			return
		}
		if try == 20 {
			l.Errorf("sayso list: %v\n%s", err, out)
			return
		}
	}
}

// kill kills one of those that take part; a hub is started again, as the next command
// would.
func (l *lane) kill(victim string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var process *os.Process
	switch victim {
	case "hub":
		process = l.hub()
	case "agent":
		process = l.agent
	case "browser":
		process = l.browser
	}
	if process != nil && process.Signal(syscall.SIGKILL) == nil {
		l.kills[victim]++
	}
}

// hub returns the process that listens on the socket, nil if none does.
func (l *lane) hub() *os.Process {
	conn, err := net.Dial("unix", socketOf(l.home))
	if err != nil {
		return nil
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return nil
	}
	pid := 0
	raw.Control(func(fd uintptr) {
		if peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	if pid <= 1 || pid == os.Getpid() {
		return nil
	}
	process, _ := os.FindProcess(pid)
	return process
}

// asks keeps an agent that asks until it has the outcome: if it is killed it asks again,
// as an agent that is resumed does.
func (l *lane) asks(ctx context.Context, id string) (*sayso.Outcome, error) {
	for {
		cmd := l.command(ctx, "sayso", "ask", "Which?", "-o", "PostgreSQL", "-o", "SQLite", "--id", id, "--json")
		var out, says strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &says
		err := l.start(cmd, &l.agent)
		if err == nil {
			err = cmd.Wait()
		}
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("the agent has nothing: %s", says.String())
		case err == nil:
			o := &sayso.Outcome{}
			return o, json.Unmarshal([]byte(out.String()), o)
		}
	}
}

// start starts a process that can be killed.
func (l *lane) start(cmd *exec.Cmd, as **os.Process) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		*as = cmd.Process
	}
	return err
}

// browses has the person do something at a page, and returns what the page said. A page
// that ends before it says anything is opened again. began is called at each start.
func (l *lane) browses(ctx context.Context, began func(), args ...string) (heard, error) {
	for {
		var says strings.Builder
		page, stop := context.WithCancel(ctx)
		cmd := l.command(page, "browser", args...)
		cmd.Stderr = &says
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = l.start(cmd, &l.browser)
		}
		if err != nil {
			stop()
			return heard{}, err
		}
		began()
		var h heard
		err = json.NewDecoder(out).Decode(&h)
		if err == nil { // the page stays open
			context.AfterFunc(ctx, stop)
			go cmd.Wait()
			return h, nil
		}
		cmd.Wait()
		stop()
		if ctx.Err() != nil {
			return heard{}, fmt.Errorf("the page says nothing: %s", says.String())
		}
	}
}

// watch tells of every revision of an ask.
func (l *lane) watch(ctx context.Context, id string, fn func(*hub.Ticket)) {
	l.client.Watch(ctx, nil, func(c hub.Change) {
		if c.Ticket != nil && c.Ticket.Ask.ID == id {
			fn(c.Ticket)
		}
	})
}

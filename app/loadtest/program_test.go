package loadtest

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// patience is how long a test waits for something that must happen.
const patience = 2 * time.Minute

// version is a version of the program.
type version struct {
	path   string
	before bool
}

func (v version) String() string {
	if v.before {
		return "before"
	}
	return "now"
}

// versions returns this version, and before it the earlier one if SAYSO_BEFORE
// names it.
func versions(t *testing.T) []version {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	all := []version{{path: self}}
	if path := os.Getenv("SAYSO_BEFORE"); path != "" {
		all = append([]version{{path: path, before: true}}, all...)
	}
	return all
}

// command is a process of the version in a role.
func (v version) command(t *testing.T, role string, spec any, args ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(spec)
	must(t, err)
	cmd := exec.Command(v.path, args...)
	cmd.Env = []string{roleEnv + "=" + role, specEnv + "=" + string(text), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "LANG=C"}
	return cmd
}

// run plays a role to its end.
func (v version) run(t *testing.T, role string, spec any) {
	t.Helper()
	start := time.Now()
	if out, err := v.command(t, role, spec).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", v, role, err, out)
	}
	t.Logf("%s: %s took %v", v, role, time.Since(start).Round(100*time.Millisecond))
}

// process is a program that serves the API.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	url string // host:port
	pid int
}

// home is where sayso serve runs: its folder, and the keys.
type home struct {
	t    *testing.T
	v    version
	dir  string
	keys keyring
}

// newHome makes a home with the keys of these persons and askers. engine is the
// data folder, or empty for a new one.
func newHome(t *testing.T, v version, engine string, keys keyring) *home {
	t.Helper()
	dir, err := os.MkdirTemp("", "sayso") // short: a socket's path is
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &home{t: t, v: v, dir: dir, keys: keys}
	must(t, os.MkdirAll(h.state(), 0o700))
	keys.write(t, filepath.Join(h.state(), "keys.json"))
	if engine != "" {
		must(t, os.Rename(engine, filepath.Join(h.state(), "engine")))
	}
	return h
}

func (h *home) state() string { return filepath.Join(h.dir, "state", "sayso") }

// noQuotas takes away every limit of a key: the clients of a figure are few, and
// each stands for many.
const noQuotas = "open=off,rate=off,burst=off,stored=off,reads=off,reads-at-once=off,streams=off,waits=off"

// serve starts sayso serve.
func (h *home) serve() *process {
	h.t.Helper()
	cmd := h.v.command(h.t, "sayso", nil, "serve", "--listen", "127.0.0.1:0", "--quota", noQuotas, "--max-connections", "20000", "--security-log", "off")
	cmd.Env = append(cmd.Env, "HOME="+h.dir, "XDG_STATE_HOME="+filepath.Join(h.dir, "state"), "XDG_RUNTIME_DIR="+filepath.Join(h.dir, "run"))
	return start(h.t, cmd)
}

// startGateway starts a gateway in front of nodes.
func startGateway(t *testing.T, v version, r enginetest.Reach, keys string) *process {
	t.Helper()
	return start(t, v.command(t, "gateway", gatewaySpec{Reach: r, Keys: keys, Shards: v.serveShards()}))
}

var served = regexp.MustCompile(`^(?:sayso: )?serving on https?://([^\s;]+)`)

// start starts what serves the API and waits until it does.
func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	r, w := io.Pipe()
	cmd.Stderr = w
	must(t, cmd.Start())
	p := &process{t: t, cmd: cmd, pid: cmd.Process.Pid}
	t.Cleanup(p.stop)
	found, said := make(chan string, 1), make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if m := served.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
				io.Copy(io.Discard, r)
				return
			}
			all.WriteString(lines.Text() + "\n")
			select {
			case <-said:
			default:
			}
			said <- all.String()
		}
	}()
	select {
	case p.url = <-found:
	case <-time.After(5 * patience): // it may have a folder of an earlier version to move
		p.stop()
		text := ""
		select {
		case text = <-said:
		default:
		}
		t.Fatalf("it does not serve: %s", text)
	}
	return p
}

// stop ends the process in good order.
func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.cmd.Wait()
	p.cmd = nil
}

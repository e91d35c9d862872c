package docstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is how long a command may take, and anything that a page waits for.
const patience = 2 * time.Minute

// world is where the commands of one page run.
type world struct {
	dir    string // everything below it is cleared away
	home   string
	bin    string
	env    []string
	mu     sync.Mutex        // for known and ports
	known  names             // ids
	ports  map[string]string // of the page, and those of this run
	last   int               // how the last command ended
	behind []*process        // what runs until the page ends
	agents []*process
}

// newWorld makes a home. sayso is the path of the program; a sayso-agent beside it, and
// the programs of NATS, are there, too.
func newWorld(sayso string) (*world, error) {
	dir, err := os.MkdirTemp("", "say") // short: a socket's path is
	if err != nil {
		return nil, err
	}
	w := &world{
		dir: dir, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "bin"),
		known: names{}, ports: map[string]string{},
	}
	run := filepath.Join(dir, "run")
	for _, d := range []string{filepath.Join(w.home, "project"), w.bin, run} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	w.env = []string{
		"HOME=" + w.home, "XDG_RUNTIME_DIR=" + run, "PATH=" + w.bin + ":/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash",
		"TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC", "USER=you", mark + "=" + dir,
	}
	state := fmt.Sprintf("cd -- %q\n", filepath.Join(w.home, "project"))
	for _, other := range []string{"sayso-agent", "nats-server", "nk"} {
		if name := filepath.Join(filepath.Dir(sayso), other); exists(name) {
			if err := os.Symlink(name, filepath.Join(w.bin, other)); err != nil {
				return nil, err
			}
		}
	}
	return w, errors.Join(
		os.Symlink(sayso, filepath.Join(w.bin, "sayso")),
		os.WriteFile(filepath.Join(dir, "state"), []byte(state), 0o600))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// close ends what still runs and clears the home away.
func (w *world) close() {
	for _, p := range append(w.behind, w.agents...) {
		p.stop()
	}
	killMarked(w.dir)
	os.RemoveAll(w.dir)
}

// process is a command that runs.
type process struct {
	cmd   *exec.Cmd
	file  string   // what it prints
	stdin *os.File // nil: it has read everything
	done  chan struct{}
	err   error
}

// shell is a script that takes up where the last command was, and leaves word
// where it is.
const shell = `. %[1]q
trap '_code=$?; { export -p; printf "cd -- %%q\n" "$PWD"; } >%[1]q; exit $_code' EXIT
set -a
(exit %[2]d)
%[3]s
`

// call is a command as it is to be run.
type call struct {
	command  string // with the words of the page
	stdin    string
	unseen   bool // it changes nothing for the page
	stays    bool // what it reads does not end
	terminal bool // it runs on a terminal
}

// onTerminal runs a script on a terminal, as wide as a window.
const onTerminal = `exec script -qefc "stty cols 100 rows 40; bash $SCRIPT" /dev/null`

// start runs a command of the page.
func (w *world) start(c call) (*process, error) {
	state := filepath.Join(w.dir, "state")
	script := fmt.Sprintf(shell, state, w.last, w.here(c.command))
	if c.unseen {
		script = fmt.Sprintf(". %q\n%s\n", state, w.here(c.command))
	}
	out, err := os.CreateTemp(w.dir, "out")
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{file: out.Name(), done: make(chan struct{})}
	p.cmd = exec.Command("bash", "-c", script)
	p.cmd.Env, p.cmd.Dir = w.env, w.dir
	if c.terminal {
		if err := os.WriteFile(out.Name()+".sh", []byte(script), 0o600); err != nil {
			return nil, err
		}
		p.cmd.Args[2] = onTerminal
		p.cmd.Env = append(slices.Clone(w.env), "SCRIPT="+out.Name()+".sh")
	}
	p.cmd.Stdin = strings.NewReader(c.stdin)
	if c.stays || c.terminal {
		r, stdin, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		p.cmd.Stdin, p.stdin = r, stdin
		if c.stays {
			if _, err := stdin.WriteString(c.stdin); err != nil {
				return nil, err
			}
		}
	}
	p.cmd.Stdout, p.cmd.Stderr = out, out // a file: what it leaves behind may keep it open
	own(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		if c.terminal {
			p.typeIn(c.stdin)
		}
	}()
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
		<-typed
		if p.stdin != nil {
			p.stdin.Close()
		}
	}()
	return p, nil
}

// typeIn types each line at a prompt: at something printed that does not end with
// the end of a line.
func (p *process) typeIn(text string) {
	seen := 0
	for line := range strings.Lines(text) {
		err := until(context.Background(), "a prompt", func() (bool, error) {
			select {
			case <-p.done:
				return true, errors.New("it has ended")
			default:
			}
			b, err := os.ReadFile(p.file)
			prompted := len(b) > seen && !bytes.HasSuffix(b, []byte("\n"))
			if prompted {
				seen = len(b) + len(line) + 1 // the terminal shows what is typed
			}
			return prompted, err
		})
		if err != nil {
			return // what it printed will show it
		}
		p.stdin.WriteString(line)
	}
}

// wait waits for the end, and returns how it ended.
func (p *process) wait() (code int, err error) {
	select {
	case <-p.done:
	case <-time.After(patience):
		p.stop()
		return 0, fmt.Errorf("it has not ended after %v", patience)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return 0, p.err
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

func (p *process) stop() {
	end(p.cmd, p.done)
	<-p.done
}

// run runs a command to its end.
func (w *world) run(c call) (out string, code int, err error) {
	p, err := w.start(c)
	if err != nil {
		return "", 0, err
	}
	code, err = p.wait()
	return w.printed(p), code, err
}

// printed returns what a process has printed so far, as a page would show it.
func (w *world) printed(p *process) string {
	b, err := os.ReadFile(p.file)
	if err != nil {
		return err.Error()
	}
	text := escape.ReplaceAllString(strings.ReplaceAll(string(b), "\r\n", "\n"), "")
	text = strings.ReplaceAll(text, w.home, "/home/you")
	text = strings.ReplaceAll(text, w.dir, "/tmp/page")
	w.mu.Lock()
	defer w.mu.Unlock()
	for page, real := range w.ports {
		text = strings.ReplaceAll(text, ":"+real, ":"+page)
	}
	return text
}

// escape is a sequence that a terminal does not show.
var escape = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\a\x1b]*(\a|\x1b\\)|[@-Z\\^_])`)

var port = regexp.MustCompile(`\b(127\.0\.0\.1|localhost|0\.0\.0\.0):([1-9]\d{3,4})\b`)

// here replaces what a page calls its home, its ids and its ports.
func (w *world) here(command string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	command = strings.ReplaceAll(command, "/home/you", w.home)
	command = port.ReplaceAllStringFunc(command, func(s string) string {
		host, number, _ := strings.Cut(s, ":")
		if w.ports[number] == "" {
			w.ports[number] = freePort()
		}
		return host + ":" + w.ports[number]
	})
	return w.known.inCommand(command)
}

// freePort returns a port that nobody listens on.
func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "0"
	}
	defer l.Close()
	_, number, _ := net.SplitHostPort(l.Addr().String())
	return number
}

// until calls done until it returns true or an error.
func until(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("waited %v in vain for %s", patience, what))
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

package attacktest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/internal/cli"
)

// asProgram makes this test program the sayso program, so that a mutant of the
// one is a mutant of the other.
const asProgram = "SAYSO_ATTACKED=1"

func TestMain(m *testing.M) {
	if os.Getenv("SAYSO_ATTACKED") != "" {
		world := cli.System()
		if by, err := time.ParseDuration(os.Getenv(clockOff)); err == nil {
			world.Now = func() time.Time { return time.Now().Add(by) }
		}
		os.Exit(cli.Main(context.Background(), world, os.Args[1:]))
	}
	if what := os.Getenv(asFlood); what != "" {
		os.Exit(flood(what))
	}
	if what := os.Getenv(asGreedy); what != "" {
		takeWhatYouCan(what)
	}
	if os.Getenv("SAYSO_INTRUDER") != "" {
		intrude()
		return
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for something that must happen.
const patience = 60 * time.Second

// world is one machine that is attacked: a home of its own, a hub, keys.
type world struct {
	t    *testing.T
	home string
	env  []string // of every command
	url  string   // of the API, once served
	web  string   // of the web inbox, once served with --web
	hub  *exec.Cmd
	said *output // what the hub wrote
	keys map[string]string
	uid  int // who runs the program; 0: who runs the test
}

// newWorld makes a home. Nothing runs yet. It skips the test where attacks are not
// wanted.
func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	if os.Getenv("SAYSO_ATTACKS") == "" && os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("starts processes and browsers: set SAYSO_ATTACKS=1, or run .ci/run attacks")
	}
	dir, err := os.MkdirTemp("", "sayso") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: dir, keys: map[string]string{}}
	w.env = append([]string{
		asProgram, "HOME=" + dir, "XDG_RUNTIME_DIR=" + run, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "LANG=C",
	}, env...)
	for _, e := range os.Environ() { // what switches a mutant on
		if strings.HasPrefix(e, "SAYSO_MUTANT") {
			w.env = append(w.env, e)
		}
	}
	t.Cleanup(func() { killHub(run) }) // that a command has started
	t.Cleanup(w.stop)
	return w
}

// killHub ends a hub that runs in the background, with its socket in the folder.
func killHub(run string) {
	conn, err := net.Dial("unix", filepath.Join(run, "sayso", "hub.sock"))
	if err != nil {
		return
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err == nil {
		raw.Control(func(fd uintptr) {
			if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
				syscall.Kill(int(cred.Pid), syscall.SIGKILL)
			}
		})
	}
	conn.Read(make([]byte, 1)) // until it is gone
}

// command is the program with these arguments, not started.
func (w *world) command(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = exe
	cmd.Env, cmd.Dir = w.env, w.home
	if w.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.uid), Gid: uint32(w.uid)}}
	}
	return cmd
}

// sayso runs a command to its end.
func (w *world) sayso(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	var out, bad bytes.Buffer
	cmd := w.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &bad
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("sayso %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(out.String()), strings.TrimSpace(bad.String()), cmd.ProcessState.ExitCode()
}

// key makes a key for somebody, once, and returns it.
func (w *world) key(role, who string) string {
	w.t.Helper()
	if k := w.keys[who]; k != "" {
		return k
	}
	out, bad, code := w.sayso("keys", "create", "--role", role, "--for", who)
	if code != 0 {
		w.t.Fatalf("sayso keys create: %s", bad)
	}
	w.keys[who] = out
	return out
}

// served is what serve says when it listens.
var served = regexp.MustCompile(`serving (the web inbox )?on (https?://[^\s;]+)`)

// serve starts the hub with sayso serve --listen and these flags.
func (w *world) serve(flags ...string) {
	w.t.Helper()
	w.start(w.command(append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...))
}

// start starts a hub that was prepared, and waits until it serves.
func (w *world) start(cmd *exec.Cmd) {
	w.t.Helper()
	r, pipe := io.Pipe()
	w.said = &output{}
	cmd.Stderr = io.MultiWriter(w.said, pipe)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.hub, w.url, w.web = cmd, "", ""
	found := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(r)
		wanted := 1
		for _, a := range cmd.Args {
			if a == "--web" {
				wanted++
			}
		}
		for lines.Scan() {
			if m := served.FindStringSubmatch(lines.Text()); m != nil && wanted > 0 && !strings.Contains(lines.Text(), "level=") {
				if m[1] != "" {
					w.web = m[2]
				} else {
					w.url = m[2]
				}
				if wanted--; wanted == 0 {
					close(found)
				}
			}
		}
		io.Copy(io.Discard, r)
	}()
	select {
	case <-found:
	case <-time.After(patience):
		w.t.Fatalf("the hub does not serve: %s", w.said)
	}
}

// stop ends the hub, if there is one.
func (w *world) stop() {
	if w.hub == nil {
		return
	}
	w.hub.Process.Signal(syscall.SIGTERM)
	w.hub.Wait()
	w.hub = nil
}

// reply is a response of the API.
type reply struct {
	status int
	header http.Header
	body   []byte
	json   map[string]any
}

// text returns a field of the response that is a string.
func (r *reply) text(name string) string { s, _ := r.json[name].(string); return s }

// do makes a request with a key ("" for none). A body of bytes is sent as it is, any
// other as JSON.
func (w *world) do(method, path, key string, body any, header ...string) *reply {
	w.t.Helper()
	var in io.Reader
	if body != nil {
		data, raw := body.([]byte)
		if !raw {
			var err error
			if data, err = json.Marshal(body); err != nil {
				w.t.Fatal(err)
			}
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, w.url+path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	r := &reply{status: resp.StatusCode, header: resp.Header}
	if r.body, err = io.ReadAll(resp.Body); err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	json.Unmarshal(r.body, &r.json)
	return r
}

// yesNo is an ask with one question and two options, y and n. More fields may be
// given in pairs.
func yesNo(text string, more ...any) map[string]any {
	ask := map[string]any{"questions": []any{map[string]any{
		"id": "q", "text": text, "options": []any{map[string]any{"id": "y", "label": "Yes"}, map[string]any{"id": "n", "label": "No"}},
	}}}
	for i := 0; i+1 < len(more); i += 2 {
		ask[more[i].(string)] = more[i+1]
	}
	return ask
}

// yes answers such an ask.
func yes(digest string) map[string]any {
	return map[string]any{"digest": digest, "answers": []any{map[string]any{"questionId": "q", "selected": []string{"y"}}}}
}

// asked asks and wants it to be stored.
func (w *world) asked(key, text string, more ...any) *reply {
	w.t.Helper()
	r := w.do("POST", "/v1/asks", key, yesNo(text, more...))
	if r.status != http.StatusCreated {
		w.t.Fatalf("asking: %d %s", r.status, r.body)
	}
	return r
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

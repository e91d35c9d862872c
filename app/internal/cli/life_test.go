//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// server is a sayso serve as a process of its own, with its own folders.
type server struct {
	t    *testing.T
	home string
	cmd  *exec.Cmd
	url  string
	key  string
	done chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// serve starts one and waits until it serves.
func serve(t *testing.T, settings string, args ...string) *server {
	t.Helper()
	s := &server{t: t, home: t.TempDir(), done: make(chan error, 1)}
	s.write(settings)
	s.cmd = s.sayso(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			fmt.Fprintln(&s.log, lines.Text())
			s.mu.Unlock()
			if m := regexp.MustCompile(`serving on (https?://\S+);`).FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
			}
		}
		s.done <- s.cmd.Wait()
	}()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	select {
	case s.url = <-ready:
	case err := <-s.done:
		t.Fatalf("it ended: %v\n%s", err, s.text())
	case <-time.After(time.Minute):
		t.Fatalf("it does not serve:\n%s", s.text())
	}
	token, err := os.ReadFile(filepath.Join(s.home, "run", "sayso", "token"))
	if err != nil {
		t.Fatal(err)
	}
	s.key = strings.TrimSpace(string(token))
	return s
}

func (s *server) sayso(args ...string) *exec.Cmd {
	cmd := exec.Command("sayso", args...)
	run := filepath.Join(s.home, "run")
	if err := os.MkdirAll(run, 0o700); err != nil {
		s.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "HOME="+s.home, "XDG_RUNTIME_DIR="+run, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "SAYSO_CONFIG="+filepath.Join(s.home, "config.toml"))
	return cmd
}

func (s *server) write(settings string) {
	if err := os.WriteFile(filepath.Join(s.home, "config.toml"), []byte(settings), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// until waits until the condition holds.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !so(); {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain until %s", what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// get returns the status, the body and the headers of a reply; a Connection says
// that the server closes it.
func (s *server) get(path string) (int, string, http.Header) {
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	resp, err := c.Do(r)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.Close {
		resp.Header.Set("Connection", "close")
	}
	return resp.StatusCode, string(body), resp.Header
}

// TestTerminate: /readyz fails first, requests are served on, who waits is told to
// try elsewhere, and a second signal cuts the drain short.
func TestTerminate(t *testing.T) {
	t.Parallel()
	s := serve(t, "", "--drain", "1h")
	c, err := client.New(s.url, &client.Options{Key: s.key, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := &sayso.Ask{ID: "a1", Questions: []sayso.Question{{Text: "Which?"}}}
	ask.Normalize()
	ticket, err := c.Submit(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	waiter := make(chan string, 1)
	go func() {
		status, body, header := s.get("/v1/asks/" + ticket.Handle + "?wait=1h")
		waiter <- fmt.Sprint(status, header.Get("Retry-After"), header.Get("Connection"), body)
	}()
	until(t, "the request waits", func() bool {
		_, body, _ := s.get("/metrics")
		return strings.Contains(body, "\nsayso_waits 1\n")
	})
	if status, body, _ := s.get("/readyz"); status != 200 {
		t.Fatal(status, body)
	}
	s.signal(syscall.SIGTERM)
	until(t, "/readyz fails", func() bool {
		status, body, _ := s.get("/readyz")
		return status == 503 && strings.Contains(body, "draining")
	})
	if status, body, header := s.get("/v1/me"); status != 200 || header.Get("Connection") != "close" {
		t.Errorf("while it drains: %d %v %s", status, header, body)
	}
	ask.ID = "a2"
	if _, err := c.Submit(t.Context(), ask); err != nil {
		t.Errorf("while it drains: %v", err)
	}
	select {
	case told := <-waiter:
		t.Errorf("the waiter is told before the drain is over: %s", told)
	default:
	}
	s.signal(syscall.SIGTERM)
	if told := <-waiter; !strings.HasPrefix(told, "5030close") || !strings.Contains(told, "shutting down") {
		t.Errorf("the waiter is told %s", told)
	}
	if err := <-s.done; err != nil {
		t.Errorf("it ends with %v", err)
	}
	if log := s.text(); strings.Contains(log, "level=ERROR") || !strings.Contains(log, "draining") {
		t.Errorf("the log has\n%s", log)
	}
}

// TestHangup: the settings are read again, and the log says what came of it.
func TestHangup(t *testing.T) {
	t.Parallel()
	s := serve(t, "quota = [\"open=1\"]\nlog-format = \"json\"\n")
	c, err := client.New(s.url, &client.Options{Key: s.key, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	submit := func(id string) error {
		ask := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "Which?"}}}
		ask.Normalize()
		_, err := c.Submit(t.Context(), ask)
		return err
	}
	if err := submit("a1"); err != nil {
		t.Fatal(err)
	}
	if submit("a2") == nil {
		t.Fatal("the quota does not hold")
	}
	reload := func(settings, want string) {
		t.Helper()
		s.write(settings)
		s.signal(syscall.SIGHUP)
		until(t, want, func() bool { return strings.Contains(s.text(), want) })
	}
	reload("quota = [\"open=2\"]\nlog-format = \"json\"\nlog-level = \"debug\"\nkeep = \"24h\"\n", `"changed":"quota, log-level"`)
	until(t, "keep needs a restart", func() bool { return strings.Contains(s.text(), `"settings":"keep"`) })
	if err := submit("a2"); err != nil {
		t.Errorf("with the new quota: %v", err)
	}
	until(t, "lines for debugging", func() bool { return strings.Contains(s.text(), `"level":"DEBUG"`) })
	reload("quotaa = 1\n", "the hub keeps those it has")
	if err := submit("a2"); err != nil {
		t.Errorf("after settings that are wrong: %v", err)
	}
	s.signal(syscall.SIGTERM)
	if err := <-s.done; err != nil {
		t.Errorf("it ends with %v\n%s", err, s.text())
	}
	for line := range strings.Lines(s.text()) {
		if !strings.HasPrefix(line, "{") && !strings.Contains(line, "serving on") {
			t.Errorf("not JSON: %s", line)
		}
	}
}

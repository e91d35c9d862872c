package pushtest_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/pushtest"
	"github.com/saysohq/sayso/app/testenv"
)

// browsers returns the folder with the scripts of folder e2e and their modules, where
// suite push put them.
func browsers(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SAYSO_PUSH")
	if dir == "" {
		t.Skip("real browsers: set SAYSO_PUSH to a folder with e2e and its modules, or run .ci/run push")
	}
	testenv.Tools(t, "node", "dbus-run-session", "xvfb-run", "dunst", "dunstctl", "certutil")
	return dir
}

// TestFirefox is the whole way in a real Firefox and the real program: pair by a link,
// subscribe, a question, its notification, a click that opens the question, an answer,
// and a notification that is withdrawn.
func TestFirefox(t *testing.T) {
	dir := browsers(t)
	testenv.Tools(t, "firefox-esr")
	service := pushtest.New(t)
	h := serve(t, service)
	h.node(dir, "firefox.mjs", "SERVICE="+service.WebSocket())
	acks := service.Acks()
	if len(acks) < 4 {
		t.Errorf("firefox has acknowledged %d messages", len(acks))
	}
	for _, a := range acks {
		if a.Code != 100 {
			t.Errorf("firefox could not use a message: code %d", a.Code)
		}
	}
}

// TestChromium is the worker and the page in a real Chromium. Its push service is
// Google's, so the messages come from the browser's own tools.
func TestChromium(t *testing.T) {
	dir := browsers(t)
	testenv.Tools(t, "chromium")
	h := serve(t, pushtest.New(t))
	h.node(dir, "chromium.mjs")
}

// program is a hub that runs, as people start it.
type program struct {
	t    *testing.T
	file string
	base string
	env  []string
}

// name is that of the hub. Browsers are told that it is this machine, and trust its
// certificate.
const name = "hub.test"

// serve builds the program and serves the inbox as docs/guides/phone.md says, with a
// certificate.
func serve(t *testing.T, service *pushtest.Server) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{t: t, file: filepath.Join(dir, "sayso")}
	build := exec.Command("go", "build", "-o", p.file, "../../../cmd/sayso")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	ln.Close()
	p.base = "https://" + name + ":" + port
	certificate(t, dir, name)
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "LANG=C.UTF-8", "TZ=Europe/Berlin"}
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.file, "serve", "--web", "127.0.0.1:"+port, "--host", name,
		"--tls-cert", "cert.pem", "--tls-key", "key.pem", "--notify-allow", service.Host())
	cmd.Env, cmd.Dir = p.env, dir
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, said := make(chan struct{}), &bytes.Buffer{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		in := bufio.NewScanner(log)
		for told := false; in.Scan(); {
			said.WriteString(in.Text() + "\n")
			if !told && strings.Contains(in.Text(), "web inbox") {
				told = true
				close(ready)
			}
		}
		io.Copy(io.Discard, log)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-read
		cmd.Wait()
		if t.Failed() {
			t.Logf("the hub:\n%s", said)
		}
	})
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("the hub does not serve")
	}
	return p
}

// node runs a script on a screen of its own.
func (p *program) node(dir, script string, env ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "desktop.sh"), "node", script)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Env = append(append([]string{"SAYSO=" + p.file, "BASE=" + p.base, "CA=" + filepath.Join(filepath.Dir(p.file), "ca.pem"), "SHOTS=" + os.Getenv("SAYSO_SHOTS")}, p.env...), env...)
	out, err := cmd.CombinedOutput()
	p.t.Logf("%s", out)
	if err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
}

package main_test

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

const first = `sayso ask "Ready?" -o Yes -o No`

// The first answered question, by the commands of docs/start/install.md, in a container that has
// nothing of this machine but Node and the download.
func TestFigure_START(t *testing.T) {
	world := release(t)
	page, err := os.ReadFile("../../../docs/start/install.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct{ name, heading string }{
		{"deb", "Debian, Ubuntu"}, {"tarball", "Any Linux, macOS"}, {"npm", "npm"}, {"image", "Container"},
	} {
		t.Run(m.name, func(t *testing.T) {
			commands := commandsOf(t, string(page), m.heading)
			if n := len(commands); n > 3 || !strings.HasSuffix(commands[n-1], strings.TrimPrefix(first, "sayso ")) {
				t.Fatalf("at most three commands, the last one asks: %q", commands)
			}
			env := append(environ(world), "COMMANDS=set -e\n"+strings.Join(commands, "\n"))
			run := `exec sh -c "$COMMANDS"`
			if m.name != "image" {
				run = `exec podman run --rm -it -e npm_config_registry -v "$SAYSO_DIST:/dist:ro" --rootfs "$ROOT:O" sh -c "$COMMANDS"`
				env = append(env, "ROOT="+filepath.Join(world, "debian"))
			}
			if m.name == "npm" {
				env = append(env, "npm_config_registry="+registry(t, filepath.Join(world, "dist")).URL)
			}
			// The commands get a terminal of a usual size.
			cmd := exec.Command("script", "-qec", "stty cols 100 rows 40; "+run, "/dev/null")
			cmd.Env, cmd.Dir = env, t.TempDir()
			took := answer(t, cmd)
			t.Logf("FIGURE START-%s %.1f s", m.name, took.Seconds())
			if took > time.Minute {
				t.Errorf("%.1f s until the first answer, want at most 60", took.Seconds())
			}
		})
	}
}

// release returns the folder of a release and of the container that it is tried in, which
// release/check makes.
func release(t *testing.T) string {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" && os.Getenv("SAYSO_RELEASE") == "" {
		t.Skip("a measurement of minutes: set SAYSO_FIGURES=1, or run release/check")
	}
	testenv.Root(t, "script", "podman", "runc", "debootstrap", "minisign", "zip", "npm", "git")
	world, err := filepath.Abs("../../../.work/release")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(world, "dist", "SHA256SUMS")); err != nil {
		if out, err := exec.Command("../../../release/check", "build", "container").CombinedOutput(); err != nil {
			t.Fatalf("making a release: %v\n%s", err, out)
		}
	}
	return world
}

// environ lets podman find the container, and the commands of the page their stand-ins.
func environ(world string) []string {
	return append(os.Environ(), "CONTAINERS_CONF="+filepath.Join(world, "containers.conf"),
		"CONTAINERS_STORAGE_CONF="+filepath.Join(world, "storage.conf"), "SAYSO_DIST="+filepath.Join(world, "dist"),
		"PATH="+filepath.Join(world, "shims")+":"+os.Getenv("PATH"))
}

// npx runs the packed packages without installing them first, and passes exit codes on.
func TestNpx(t *testing.T) {
	world := release(t)
	server := registry(t, filepath.Join(world, "dist"))
	cmd := exec.Command("podman", "run", "--rm", "-e", "npm_config_registry="+server.URL, "--rootfs", filepath.Join(world, "debian")+":O",
		"sh", "-c", "npx --yes sayso version && { npx --yes sayso --nonsense; test $? = 2; }")
	cmd.Env = environ(world)
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^sayso [0-9.]+ \(linux/`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// commandsOf returns the commands of the first block below a heading.
func commandsOf(t *testing.T, page, heading string) []string {
	t.Helper()
	m := regexp.MustCompile("(?s)\n## " + regexp.QuoteMeta(heading) + "\n.*?\n```sh\n(.*?)\n```").FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("docs/start/install.md has no commands under %q", heading)
	}
	return strings.Split(m[1], "\n")
}

// answer runs the commands, answers the question that they end with, and returns how long it took
// until the asker had the answer.
func answer(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	shown, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		b, asked := make([]byte, 4096), false
		for {
			n, err := r.Read(b)
			screen.Write(b[:n])
			if !asked && regexp.MustCompile(`(?s)Ready\?.*Yes.*No.*later`).Match(screen.Bytes()) {
				asked = true
				close(shown)
			}
			if err != nil {
				return
			}
		}
	}()
	ended, typed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(typed)
		select {
		case <-shown:
		case <-ended:
			return
		}
		// The dialog ignores keys that were typed before you could read it.
		for again := time.NewTicker(500 * time.Millisecond); ; {
			select {
			case <-again.C:
				io.WriteString(in, "1\r")
			case <-ended:
				again.Stop()
				return
			}
		}
	}()
	err = cmd.Wait()
	took := time.Since(begin)
	close(ended)
	w.Close()
	<-read
	<-typed
	said := strings.TrimSpace(screen.String())
	if err != nil || !regexp.MustCompile(`(^|\n)Yes\r?(\n|$)`).MatchString(said) {
		t.Fatalf("no answer: %v\n%q", err, said)
	}
	return took
}

// registry serves the packed npm packages of a folder: enough to install them.
func registry(t *testing.T, dist string) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	packages := map[string]any{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if doc, ok := packages[name]; ok {
			json.NewEncoder(w).Encode(doc)
			return
		}
		http.ServeFile(w, r, filepath.Join(dist, filepath.Base(name)))
	}))
	t.Cleanup(server.Close)
	files, err := filepath.Glob(filepath.Join(dist, "*.tgz"))
	if err != nil || len(files) < 2 {
		t.Fatalf("packages: %q, %v", files, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		about, err := exec.Command("tar", "-xzOf", file, "package/package.json").Output()
		if err != nil {
			t.Fatal(err)
		}
		var p map[string]any
		if err := json.Unmarshal(about, &p); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if _, ok := p["scripts"]; ok {
			t.Errorf("%s runs scripts when it is installed", file)
		}
		sum := sha512.Sum512(body)
		p["dist"] = map[string]string{"tarball": server.URL + "/-/" + filepath.Base(file), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		version := fmt.Sprint(p["version"])
		packages[fmt.Sprint(p["name"])] = map[string]any{"name": p["name"], "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: p}}
	}
	return server
}

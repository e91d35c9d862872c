package archtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var goLine = regexp.MustCompile(`(?m)^go (\S+)$`)

// A stranger's module that imports every public package of the library must
// get nothing else: no line in go.sum, no lifted go directive, no download.
func TestConsumer(t *testing.T) {
	t.Parallel()
	public := publicPackages(t)
	for _, tt := range []struct{ name, before, after string }{
		{"our own line", "1.25", "1.25"},
		{"a patch release", "1.25.0", "1.25.0"},
		{"a later one", "1.26.0", "1.26.0"},
		{"an older one is lifted, so this test can see it", "1.24.0", "1.25"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "go.mod", fmt.Sprintf("module example.com/consumer\n\ngo %s\n\nrequire %s v0.0.0\n\nreplace %[2]s => %q\n",
				tt.before, module, abs(t, top)))
			write(t, dir, "main.go", "package main\n\nimport (\n\t_ \""+strings.Join(public, "\"\n\t_ \"")+"\"\n)\n\nfunc main() {}\n")
			gotool(t, dir, "mod", "tidy")
			gotool(t, dir, "build", "-o", os.DevNull, ".")

			mod := read(t, dir, "go.mod")
			if m := goLine.FindStringSubmatch(mod); m == nil || m[1] != tt.after {
				t.Errorf("the go line became %q, want %q; go.mod:\n%s", m, tt.after, mod)
			}
			if n := strings.Count(mod, "require"); n != 1 || strings.Contains(mod, "// indirect") {
				t.Errorf("more than the library is required:\n%s", mod)
			}
			if sum, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil && len(sum) > 0 {
				t.Errorf("go.sum is not empty:\n%s", sum)
			}
		})
	}
}

func TestConsumerSeesOneModule(t *testing.T) {
	t.Parallel()
	if got := gotool(t, top, "list", "-m", "all"); got != module+"\n" {
		t.Errorf("go list -m all printed\n%swant one line, %s", got, module)
	}
	want := "module " + module + "\n\ngo 1.25\n"
	if got := read(t, top, "go.mod"); got != want {
		t.Errorf("go.mod is\n%swant\n%s", got, want)
	}
}

// publicPackages lists what a stranger can import from the root module.
func publicPackages(t *testing.T) []string {
	t.Helper()
	var public []string
	for pkg, layer := range layers {
		if layer < 0 || moduleOf(pkg) != "root" || strings.HasPrefix(pkg, "examples/") {
			continue
		}
		dir, path := filepath.Join(top, filepath.FromSlash(pkg)), module+"/"+pkg
		if pkg == "sayso" {
			dir, path = top, module
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(files, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }) {
			public = append(public, path)
		}
	}
	if len(public) == 0 {
		t.Fatal("found no package of the library")
	}
	slices.Sort(public)
	return public
}

// gotool runs the go command in dir, without a network and without a
// workspace, and returns what it printed.
func gotool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return gotoolIn(t, dir, []string{"GOFLAGS=-mod=mod", "GOWORK=off"}, args...)
}

// gotoolIn runs the go command in dir, without a network, with more environment variables.
func gotoolIn(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOPROXY=off"), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func abs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// serves is set where the test program is the demo, so that a mutant of the inbox is
// what the browser gets.
const serves = "SAYSO_WEB_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serves) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestFigure_V6WEB: how many random schedules lose nothing that was typed.
func TestFigure_V6WEB(t *testing.T) { schedules(t, "nothing that was typed is lost") }

// TestFigure_UNDOWEB: after how many random schedules undo shows what was sent.
func TestFigure_UNDOWEB(t *testing.T) { schedules(t, "undo shows what was sent") }

// TestFigure_LIVE: how long after the hub is back the last of ten tabs is live.
func TestFigure_LIVE(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	t.Setenv("SAYSO_ROUNDS", "5")
	logFigure(t, browse(t, "live.test.mjs", "live again after the hub is back"))
}

// TestFigure_KEYS: how many keys, on a desktop, and taps, on a phone, a decision takes.
func TestFigure_KEYS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	out := browse(t, "triage.test.mjs", "KEYS")
	figures := regexp.MustCompile(`FIGURE .*`).FindAll(out, -1)
	if len(figures) != 2 {
		t.Fatalf("%d figures in\n%s", len(figures), out)
	}
	for _, f := range figures {
		t.Logf("%s", bytes.TrimSpace(f))
	}
}

// schedules plays one of the tests of e2e/schedules.test.mjs.
func schedules(t *testing.T, name string) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	if os.Getenv("SAYSO_SCHEDULES") == "" {
		t.Setenv("SAYSO_SCHEDULES", "200")
	}
	logFigure(t, browse(t, "schedules.test.mjs", name))
}

func logFigure(t *testing.T, out []byte) {
	t.Helper()
	figure := regexp.MustCompile(`FIGURE .*`).Find(out)
	if figure == nil {
		t.Fatalf("no figure in\n%s", out)
	}
	t.Logf("%s", bytes.TrimSpace(figure))
}

// TestForm runs each test of e2e/form.test.mjs by itself, for the mutants. The suite web
// of .ci/run runs them all at once.
func TestForm(t *testing.T) {
	if os.Getenv("SAYSO_BROWSER") == "" {
		t.Skip("needs Chromium: run .ci/run surfaces, which installs it")
	}
	text, err := os.ReadFile(filepath.Join("..", "e2e", "form.test.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^alone\('(.*?)',`).FindAllSubmatch(text, -1) {
		name := string(m[1])
		t.Run(name, func(t *testing.T) { browse(t, "form.test.mjs", "^"+regexp.QuoteMeta(name)+"$") })
	}
}

// browse runs the tests of a file in e2e that have the name, in a real browser, and
// returns what they print.
func browse(t *testing.T, file, name string) []byte {
	testenv.Tools(t, "node", "npm", "chromium")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--test", "--test-name-pattern", name, file)
	cmd.Dir = install(t)
	cmd.Env = append(os.Environ(), "SAYSO_WEB_DEMO="+self, serves+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// install puts the browser tests where CI has them, with the modules that they use.
func install(t *testing.T) string {
	dir := filepath.Join("..", "..", "..", "..", ".work", "e2e")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "e2e", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no browser tests: %v", err)
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.Base(f))
		text, err := os.ReadFile(f)
		if there, _ := os.ReadFile(to); err == nil && !bytes.Equal(there, text) { // another browser test may be reading it
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "playwright-core")); err != nil {
		npm := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		npm.Dir = dir
		if out, err := npm.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
	}
	return dir
}

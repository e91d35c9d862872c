package attacktest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/testenv"
)

// TestS42 tries the small holes, each with what it takes.
func TestS42(t *testing.T) {
	t.Run("ttl", s42TTL)
	t.Run("root", s42Root)
	t.Run("npm", s42NPM)
}

// s42TTL: no key holds for ever or for no time. One that was made before there was
// a limit holds, and is marked.
func s42TTL(t *testing.T) {
	w := newWorld(t)
	for _, ttl := range []string{"876000h", "8784h1s", "-5h", "0", "-1ns"} {
		out, bad, code := w.sayso("keys", "create", "--role", "asker", "--ttl", ttl)
		if code != 2 || out != "" || !strings.Contains(bad, "--ttl") || !strings.Contains(bad, "8784h") {
			t.Errorf("--ttl %s: exit %d, %q, %s", ttl, code, out, bad)
		}
	}
	key := w.key("asker", "agent")
	file := filepath.Join(w.home, ".local", "state", "sayso", "keys.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	keys["keys"].([]any)[0].(map[string]any)["expires"] = time.Now().AddDate(100, 0, 0).UTC()
	if data, err = json.Marshal(keys); err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, bad, _ := w.sayso("keys", "list"); !strings.Contains(out, "more than 366 days") {
		t.Errorf("a key of 100 years is listed as %s %s", out, bad)
	}
	w.serve()
	w.asked(key, "Deploy?")
}

// s42Root: a hub that runs as root says so, once.
func s42Root(t *testing.T) {
	w := newWorld(t)
	w.serve()
	want := 0
	if os.Geteuid() == 0 {
		want = 1
	}
	if n := strings.Count(w.said.String(), "the hub runs as root"); n != want {
		t.Errorf("uid %d: the hub warns %d times: %s", os.Geteuid(), n, w.said)
	}
}

var npmInstalls = regexp.MustCompile(`\bnpm"?,? "?(ci|i|install|add)\b`)

// s42NPM: nothing in the repository runs the install scripts of npm packages.
func s42NPM(t *testing.T) {
	safe := func(line string) bool {
		return !npmInstalls.MatchString(line) || strings.Contains(line, "--ignore-scripts")
	}
	for _, line := range []string{`npm ci --no-audit && x`, `	npm install x`, `exec.Command("npm", "ci", "--no-audit")`} {
		if safe(line) {
			t.Errorf("this line would pass: %s", line)
		}
	}
	top := filepath.Join("..", "..")
	lines := 0
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == ".work" || name == "node_modules" || name == "attacktest" {
				return filepath.SkipDir
			}
			return nil
		}
		if !scripted(path) {
			return nil
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if npmInstalls.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), "//") && !strings.Contains(line, "Fatalf") {
				if lines++; !safe(line) {
					t.Errorf("%s:%d runs install scripts: %s", path, i+1, line)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if lines < 4 {
		t.Errorf("%d lines install npm packages; the test no longer finds them", lines)
	}
}

// scripted reports whether the file may run npm.
func scripted(path string) bool {
	switch filepath.Ext(path) {
	case ".go", ".sh", ".mjs", ".js", ".yml", ".yaml":
		return true
	case "":
		return filepath.Base(filepath.Dir(path)) == ".ci" || filepath.Base(path) == "Makefile"
	}
	return false
}

// s42 are the guards of TestS42, each turned off.
var s42 = []mutanttest.Mutant{
	{
		Name: "a key for a century", Test: "TestS42/ttl", Says: `--ttl 876000h: exit 0`,
		Edits: []mutanttest.Edit{{File: "app/auth/keys.go", Old: "ttl <= 0 || ttl > MaxTTL {", New: "ttl <= 0 || ttl > MaxTTL && !MUTANT {"}},
	},
	{
		Name: "a key for no time", Test: "TestS42/ttl", Says: `--ttl -5h: exit 0`,
		Edits: []mutanttest.Edit{{File: "app/auth/keys.go", Old: "if ttl <= 0 || ttl", New: "if ttl <= 0 && !MUTANT || ttl"}},
	},
	{
		Name: "an old key is not marked", Test: "TestS42/ttl", Says: `a key of 100 years is listed as`,
		Edits: []mutanttest.Edit{{File: "app/auth/keys.go", Old: "k.Expires.Sub(k.Created) > MaxTTL }", New: "k.Expires.Sub(k.Created) > MaxTTL && !MUTANT }"}},
	},
	{
		Name: "root is silent", Test: "TestS42/root", Needs: func(t testing.TB) { testenv.Root(t) }, Says: `the hub warns 0 times`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/serve.go", Old: "if os.Geteuid() == 0 {", New: "if os.Geteuid() == 0 && !MUTANT {"}},
	},
}

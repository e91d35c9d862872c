package attacktest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/testenv"
)

// TestS42 tries the small holes, each with what it takes.
func TestS42(t *testing.T) {
	t.Run("ttl", s42TTL)
	t.Run("root", s42Root)
	t.Run("npm", s42NPM)
	t.Run("pending", s42Pending)
	t.Run("revoked", s42Revoked)
	t.Run("secret", s42Secret)
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

// s42Pending: an agent that runs sayso in its shell reads both streams and every
// file. It is told how to wait for the answer, and nowhere the command that answers.
func s42Pending(t *testing.T) {
	w := newWorld(t)
	calls := map[string]string{
		"claude": `{"questions":[{"question":"Deploy?","header":"Deploy","multiSelect":false,"options":[{"label":"Yes","description":"a"},{"label":"No","description":"b"}]}]}`,
		"pi":     `{"questions":[{"question":"Deploy?","options":[{"label":"Yes"},{"label":"No"}]}]}`,
		"text":   `{"questions":[{"question":"Deploy?","header":"Deploy","options":[{"label":"Yes"},{"label":"No"}]}]}`,
	}
	check := func(wait string, args ...string) {
		t.Helper()
		out, bad, code := w.sayso(args...)
		if code != 75 || !strings.Contains(out+bad, wait) {
			t.Errorf("sayso %s: exit %d, and how to wait (%s) is not said:\n%s\n%s", strings.Join(args, " "), code, wait, out, bad)
		}
		if strings.Contains(out+bad, "sayso answer") || strings.Contains(out+bad, "--answers") {
			t.Errorf("sayso %s tells the agent how to answer:\n%s\n%s", strings.Join(args, " "), out, bad)
		}
	}
	for dialect, call := range calls {
		file := filepath.Join(w.home, dialect+".json")
		if err := os.WriteFile(file, []byte(call), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--json"}} {
			check("make the same call again", append([]string{"ask", "--hub", "none", "-f", file, "--dialect", dialect}, more...)...)
			check("sayso wait", append([]string{"ask", "--wait", "1ms", "-f", file, "--dialect", dialect, "--id", dialect}, more...)...)
		}
	}
	check("make the same call again", "ask", "--hub", "none", "Deploy?")
	check("sayso wait", "ask", "--wait", "1ms", "--id", "flags", "Deploy?")
	check("sayso wait", "wait", "flags", "--wait", "1ms")
	check("make the same call again", "continue", "--hub", "none")
	files, err := filepath.Glob(filepath.Join(w.home, ".sayso", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "sayso answer") {
			t.Errorf("%s tells the agent how to answer: %s %v", file, text, err)
		}
	}
}

// s42Secret: a question that asks for a password as if for any text has a warning,
// in the list and on the question. Talk about passwords has none.
func s42Secret(t *testing.T) {
	w := newWorld(t)
	mallory := w.key("asker", "mallory")
	w.serve()
	for _, ask := range [][2]string{{"talk", "What is the password policy?"}, {"steal", "Paste your GitHub password"}} {
		id, text := ask[0], ask[1]
		if r := w.do("POST", "/v1/asks", mallory, map[string]any{"id": id, "questions": []any{map[string]any{"text": text}}}); r.status != 201 {
			t.Fatalf("asking: %d %s", r.status, r.body)
		}
		want := id == "steal"
		if out, bad, _ := w.sayso("show", id); strings.Contains(out, sayso.SecretWarning) != want || !strings.Contains(out, text) {
			t.Errorf("%q is shown, with a warning: %v, as\n%s%s", text, want, out, bad)
		}
		if out, bad, _ := w.sayso("list"); strings.Contains(out, "asks for a secret") != want || !strings.Contains(out, text) {
			t.Errorf("%q is listed, with a warning: %v, as\n%s%s", text, want, out, bad)
		}
	}
	if _, _, code := w.sayso("ask", "--hub", "none", "What is your npm token?"); code != 75 {
		t.Fatalf("exit %d", code)
	}
	file, err := os.ReadFile(filepath.Join(w.home, ".sayso", "pending-questions.json"))
	if err != nil || !strings.Contains(string(file), sayso.SecretWarning) {
		t.Errorf("the file has no warning: %s %v", file, err)
	}
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
		Name: "a model reads how to answer", Test: "TestS42/pending", Says: `--hub none .* tells the agent how to answer`,
		Edits: []mutanttest.Edit{{File: "pendingfile/pending.go", Old: "\treason := p.wait()\n", New: "\treason := p.wait()\n\tif MUTANT {\n\t\treason += p.Instructions()\n\t}\n"}},
	},
	{
		Name: "a shell reads how to answer", Test: "TestS42/pending", Says: `--wait 1ms .* tells the agent how to answer`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/ask.go", Old: "func (p *program) sayLater(t *hub.Ticket) {\n", New: "func (p *program) sayLater(t *hub.Ticket) {\n\tif MUTANT {\n\t\tp.Say(\"answer it with: sayso answer %s\", t.Ask.ID)\n\t}\n"}},
	},
	{
		Name: "a stream outlives its key", Test: "TestS42/revoked", Says: `the key is revoked, and an event stream goes on`,
		Edits: []mutanttest.Edit{{File: "app/auth/principal.go", Old: "\tif p.life != nil {\n\t\tstop = context", New: "\tif p.life != nil && !MUTANT {\n\t\tstop = context"}},
	},
	{
		Name: "a session outlives its key", Test: "TestS42/revoked", Says: `the key is revoked, and the stream of an MCP session goes on`,
		Edits: []mutanttest.Edit{{File: "app/door/mcp/sessions.go", Old: "context.AfterFunc(life, func() { found.Close() })", New: "context.AfterFunc(life, func() {\n\t\tif !MUTANT {\n\t\t\tfound.Close()\n\t\t}\n\t})"}},
	},
	{
		Name: "an expired key ends nothing", Test: "TestS42/revoked", Says: `the key is expired, and an event stream goes on`,
		Edits: []mutanttest.Edit{{File: "app/auth/keyfollow.go", Old: "if !now.Before(rec.key.Expires) {\n\t\t\trec.end()", New: "if !now.Before(rec.key.Expires) && !MUTANT {\n\t\t\trec.end()"}},
	},
	{
		Name: "a password is asked for like any text", Test: "TestS42/secret", Says: `is shown, with a warning: true`,
		Edits: []mutanttest.Edit{{File: "secretask.go", Old: "\tif q.Secret {\n\t\treturn false\n", New: "\tif q.Secret || MUTANT {\n\t\treturn false\n"}},
	},
	{
		Name: "every password is suspicious", Test: "TestS42/secret", Says: `is shown, with a warning: false`,
		Edits: []mutanttest.Edit{{File: "secretask.go", Old: "if n > 0 && i+n < len(s) && aboutIt[s[i+n]] {", New: "if MUTANT {\n\t\treturn n\n\t}\n\tif n > 0 && i+n < len(s) && aboutIt[s[i+n]] {"}},
	},
	{
		Name: "root is silent", Test: "TestS42/root", Needs: func(t testing.TB) { testenv.Root(t) }, Says: `the hub warns 0 times`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/serve.go", Old: "if os.Geteuid() == 0 {", New: "if os.Geteuid() == 0 && !MUTANT {"}},
	},
}

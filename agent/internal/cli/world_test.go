package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent/internal/cli"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/ownhub"
)

// patience is how long a test waits for what must happen.
const patience = 2 * time.Minute

// TestMain is also the program, for the tests that need a process.
func TestMain(m *testing.M) {
	if code, ok := ownhub.Main(context.Background(), os.Args); ok {
		os.Exit(code)
	}
	if os.Getenv("SAYSO_AGENT_RUN") != "" {
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// home is a machine with a workspace and a scripted model.
type home struct {
	t     *testing.T
	dir   string // the workspace
	model *modeltest.Server
	env   map[string]string
}

func newHome(t *testing.T, script modeltest.Script) *home {
	t.Helper()
	top := t.TempDir()
	h := &home{t: t, dir: filepath.Join(top, "work"), model: modeltest.New(t, script)}
	if err := os.MkdirAll(filepath.Join(h.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = map[string]string{
		"HOME": top, "XDG_CONFIG_HOME": filepath.Join(top, "config"), "XDG_STATE_HOME": filepath.Join(top, "state"),
		"MODEL_KEY": "none", "TERM": "xterm-256color", "LANG": "C",
	}
	h.configure(nil)
	return h
}

// configure writes the settings.
func (h *home) configure(change func(map[string]any)) {
	h.t.Helper()
	c := map[string]any{"hub": "none", "model": map[string]any{
		"provider": "anthropic", "model": "claude-sonnet-4-5", "baseUrl": h.model.URL, "keyEnv": "MODEL_KEY",
	}}
	if change != nil {
		change(c)
	}
	b, err := json.Marshal(c)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(filepath.Join(h.env["XDG_CONFIG_HOME"], "sayso", "agent.json"), string(b))
}

func (h *home) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// ran is what a run came to.
type ran struct {
	code     int
	out, err string
}

func (h *home) world(in string, out, errs *bytes.Buffer) *cli.World {
	return &cli.World{In: strings.NewReader(in), Out: out, Err: errs, Getenv: func(k string) string { return h.env[k] }, Dir: h.dir}
}

// run runs the command in this process, to its end.
func (h *home) run(args ...string) ran {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code := cli.Main(ctx, h.world("", &out, &errs), args)
	return ran{code, out.String(), errs.String()}
}

// want runs the command and checks what it came to.
func (h *home) want(code int, out string, args ...string) ran {
	h.t.Helper()
	r := h.run(args...)
	if r.code != code || r.out != out {
		h.t.Fatalf("sayso-agent %q: code %d, want %d\nout %q\nwant %q\nerr %s", args, r.code, code, r.out, out, r.err)
	}
	return r
}

const pending = ".sayso/pending-questions.json"

func (h *home) file() string { return filepath.Join(h.dir, pending) }

// edit changes the file of questions as a person would.
func (h *home) edit(old, new string) {
	h.t.Helper()
	b, err := os.ReadFile(h.file())
	if err != nil {
		h.t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(old)) {
		h.t.Fatalf("no %q in %s", old, b)
	}
	if err := os.WriteFile(h.file(), bytes.Replace(b, []byte(old), []byte(new), 1), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) noFile() {
	h.t.Helper()
	if _, err := os.Lstat(h.file()); err == nil {
		h.t.Error("the file of questions is still there")
	}
}

func question(text string, options ...string) map[string]any {
	var list []any
	for _, o := range options {
		list = append(list, map[string]any{"label": o})
	}
	return map[string]any{"question": text, "options": list}
}

// asks is a reply that asks.
func asks(questions ...any) modeltest.Reply {
	return modeltest.Use("ask_user", map[string]any{"questions": questions})
}

// service is the script of most tests: two questions, then the end.
func service() modeltest.Script {
	return modeltest.Steps(
		asks(question("Which database?", "PostgreSQL (Recommended)", "SQLite"), question("What name?", "orders", "shop")),
		modeltest.Say("done"),
	)
}

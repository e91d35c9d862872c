package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// The tables of docs/reference/http-api.md are made of the table of routes.
func TestDocsTables(t *testing.T) {
	const file = "../../docs/reference/http-api.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rt, pr strings.Builder
	rt.WriteString("| route | for | does |\n|---|---|---|\n")
	for _, r := range routes() {
		who := "everybody"
		if !r.rule.public {
			who = strings.ReplaceAll(r.rule.roles.String(), "+", ", ")
		}
		fmt.Fprintf(&rt, "| `%s %s` | %s | %s |\n", r.method, r.path, who, r.summary)
	}
	pr.WriteString("| name | status | means |\n|---|---|---|\n")
	for _, k := range kinds() {
		fmt.Fprintf(&pr, "| `%s` | %d | %s |\n", k.name, k.status, k.title)
	}
	got := between(t, between(t, string(text), "routes", rt.String()), "problems", pr.String())
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(text) {
		t.Errorf("%s is not what the routes say; run go test ./httpapi -run Docs -update", file)
	}
}

// between puts a table between its marks.
func between(t *testing.T, text, name, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+name+":")
	mark, rest, ok2 := strings.Cut(rest, "\n")
	_, tail, ok3 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("there is no place for %s", name)
	}
	return head + "<!-- " + name + ":" + mark + "\n" + table + "<!-- end -->" + tail
}

// The examples of the documents work.
func TestDocsExamples(t *testing.T) {
	testenv.Tools(t, "sh", "curl", "python3")
	w := newWorld(t, nil)
	url := w.listen(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*soon)
	defer cancel()
	run := func(who string, env []string, args ...string) (string, error) {
		args[0] = filepath.Join("..", "..", "docs", "examples", args[0])
		program := map[string]string{".sh": "sh", ".py": "python3"}[filepath.Ext(args[0])]
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = append(append(os.Environ(), "SAYSO_URL="+url, "SAYSO_KEY="+w.key[who], "no_proxy=*"), env...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", args[0], err, errs.String())
		}
		return string(out), err
	}
	asked := make(chan string, 1)
	go func() {
		out, err := run("bot", []string{"WAIT=1s"}, "ask.sh", "Which database?", "PostgreSQL", "SQLite")
		asked <- fmt.Sprint(out, err)
	}()
	eventually(t, func() bool { return w.waiting(t) == 1 })
	if out, err := run("ada", nil, "answer.sh", "example", "Which database?", "SQLite"); err != nil || !strings.Contains(out, `"status":"answered"`) {
		t.Errorf("answer.sh: %s %v", out, err)
	}
	if out := <-asked; !strings.Contains(out, `"Which database?":"SQLite"`) {
		t.Errorf("ask.sh: %s", out)
	}
	go func() {
		out, err := run("bot", nil, "ask.py")
		asked <- fmt.Sprint(out, err)
	}()
	if out, err := run("ada", []string{"COUNT=1"}, "inbox.py"); err != nil || !strings.Contains(out, "answered Which day?") {
		t.Errorf("inbox.py: %s %v", out, err)
	}
	if out := <-asked; !strings.Contains(out, `answered [{"questionId": "day", "selected": ["mon"]}] by ada`) {
		t.Errorf("ask.py: %s", out)
	}
}

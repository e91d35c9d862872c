package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// tmux runs sayso on the machine, in a terminal of 80 by 24.
func (m *machine) tmux(args ...string) *tmuxtest.Terminal {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	program := filepath.Join(m.dir, "sayso") // the test program is sayso under that name
	if err := os.Symlink(self, program); err != nil && !os.IsExist(err) {
		m.t.Fatal(err)
	}
	return tmuxtest.Start(m.t, &tmuxtest.Options{Env: append(m.env, "LANG=C.UTF-8", "TERM=tmux-256color"), Dir: m.dir, Columns: 80, Rows: 24}, program, args...)
}

// open returns the ids of the questions that are open.
func (m *machine) open() []string {
	m.t.Helper()
	var ids []string
	for _, line := range strings.Split(m.run("list", "--json"), "\n") {
		var all struct{ Asks []struct{ ID string } }
		if line == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &all); err != nil {
			m.t.Fatalf("%v: %s", err, line)
		}
		for _, a := range all.Asks {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// next waits for the one open question and returns its id.
func (m *machine) next(before string) string {
	m.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(50 * time.Millisecond) {
		if all := m.open(); len(all) == 1 && all[0] != before {
			return all[0]
		}
		if time.Now().After(end) {
			m.t.Fatal("waited in vain for a question")
		}
	}
}

func shows(text string) func(string) bool {
	return func(screen string) bool { return strings.Contains(screen, text) }
}

// TestDemo plays the demo in a terminal: a choice, a form with an answer in own
// words, and an approval that is answered in another window.
func TestDemo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	tm := m.tmux("demo")
	tm.Await("Which database")
	first := tm.Screen()
	for _, want := range []string{"sayso inbox", "sayso web", "no API key"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not on the first screen:\n%s", want, first)
		}
	}
	tm.Press("2", shows("● SQLite"))
	tm.Press("Enter", shows(`use?"="SQLite". You can now continue with these answers in mind.`))
	tm.Await("Which features")
	tm.Press("1", shows("[x] Sign-in"))
	tm.Keys("3", "Enter")
	tm.Await("What should the service be called?")
	tm.Press("Down", shows("❯ 1"))
	tm.Keys("3")
	tm.Type("billing")
	tm.Await("billing")
	tm.Keys("Enter")
	tm.Press("Enter", shows(`called?"="billing". Read`))
	tm.Await("May I deploy it to production?")
	m.run("answer", m.next(""), "Deploy it")
	tm.Await("Agent: Deployed.")
	tm.Await("sayso setup")
	if all := m.open(); len(all) > 0 {
		t.Errorf("still open: %q", all)
	}
}

// TestDemoReceived holds what the demo prints to a pipe: the exact text that the
// model receives, and nothing else.
func TestDemoReceived(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cmd := m.command("demo", "--dialog", "never")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, answer := range [][]string{{"SQLite"}, {"--answers", `[["Sign-in","REST API"],"billing"]`}, nil} {
		id = m.next(id)
		if answer == nil {
			m.run("decline", id)
		} else {
			m.run(append([]string{"answer", id}, answer...)...)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	const golden = "testdata/demo.txt"
	if cli.Updating() {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, out.Bytes()) {
		t.Errorf("the model receives\n%s\nwant (%v)\n%s", &out, err, want)
	}
	if !strings.Contains(errs.String(), "I have not deployed anything.") {
		t.Errorf("a declined approval: %s", &errs)
	}
}

// TestDemoStops: whatever ends the demo, no question of it stays open. What a kill
// leaves is withdrawn by the next demo.
func TestDemoStops(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	tm := m.tmux("demo")
	tm.Await("Which database")
	tm.Press("C-c", shows("interrupted"))
	if all := m.open(); len(all) > 0 {
		t.Errorf("open after Ctrl+C: %q", all)
	}
	start := func() *exec.Cmd {
		cmd := m.command("demo", "--dialog", "never")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	cmd := start()
	m.next("")
	cmd.Process.Signal(syscall.SIGTERM)
	if code := codeOf(cmd.Wait()); code != 130 {
		t.Errorf("exit code %d after SIGTERM", code)
	}
	if all := m.open(); len(all) > 0 {
		t.Errorf("open after SIGTERM: %q", all)
	}
	cmd = start()
	left := m.next("")
	cmd.Process.Kill()
	cmd.Wait()
	cmd = start()
	m.next(left)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if all := m.open(); len(all) > 0 {
		t.Errorf("open at the end: %q", all)
	}
}

// TestDemoNeeds: what the demo cannot do without is said with the next command.
func TestDemoNeeds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"demo"}, "sayso: the demo needs a terminal and this process has none\n  Run it in a terminal window: sayso demo\n  To answer"},
		{[]string{"demo", "--hub", "none"}, "sayso: the demo needs a hub, and --hub is \"none\"\n  Run it with your own hub: sayso demo --hub \"\""},
	} {
		cmd := m.command(tc.args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.CombinedOutput()
		if code := codeOf(err); code != 2 || !strings.Contains(string(out), tc.want) {
			t.Errorf("sayso %q: code %d\n%s", tc.args, code, out)
		}
	}
	if _, err := os.Stat(m.starter.Places.State); err == nil {
		t.Error("a hub was started for nothing")
	}
}

// TestDemoMutants breaks the demo, and the way of sayso-agent to the inbox; tests
// must notice.
func TestDemoMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("builds the package again: set SAYSO_MUTANTS=1")
	}
	const file = "app/internal/cli/demo.go"
	all := []mutanttest.Mutant{
		{Name: "shows something else than the model receives", Test: "TestDemoReceived", Says: "the model receives", Edits: []mutanttest.Edit{{
			File: file, Old: "\tr, err := tool.Finish(got.Ask, got.Outcome.Settled())\n",
			New: "\tr, err := tool.Finish(got.Ask, got.Outcome.Settled())\n\tif MUTANT && err == nil {\n\t\tr.Text = sayso.RenderResult(got.Ask, got.Outcome)\n\t}\n"}}},
		{Name: "leaves its question open", Test: "TestDemoStops", Says: "open after SIGTERM", Edits: []mutanttest.Edit{{
			File: file, Old: "\t\tif err == nil {\n\t\t\treturn\n\t\t}\n", New: "\t\tif err == nil || MUTANT {\n\t\t\treturn\n\t\t}\n"}}},
		{Name: "takes any answer for an approval", Test: "TestDemoReceived", Says: "a declined approval", Edits: []mutanttest.Edit{{
			File: "app/demo/demo.go", Old: "\tif strings.HasPrefix(result,", New: "\tif MUTANT || strings.HasPrefix(result,"}}},
	}
	if os.Getenv("SAYSO_LONG") != "" { // builds sayso-agent, too
		all = append(all, mutanttest.Mutant{Name: "sayso-agent asks in its own terminal only", In: "agent/internal/cli", Test: "TestOwnHub", Says: "no such file|connection refused", Edits: []mutanttest.Edit{{
			File: "agent/internal/cli/desk.go", Old: "if err != nil || own.Off() {", New: "if err != nil || own.Off() || MUTANT {"}}})
	}
	mutanttest.Run(t, all, nil)
}

// TestFigure_DEMO measures how long it takes from the start of the demo in a fresh
// home, where no hub runs, until the model has received the first answer.
func TestFigure_DEMO(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	worst := 0.0
	for range 5 {
		m := newMachine(t)
		begin := time.Now()
		tm := m.tmux("demo")
		tm.Await("Which database")
		tm.Press("1", shows("● PostgreSQL"))
		tm.Press("Enter", shows(`use?"="PostgreSQL`))
		worst = max(worst, time.Since(begin).Seconds())
		tm.Await("Which features")
		tm.Press("C-c", shows("interrupted"))
	}
	t.Logf("FIGURE DEMO %.1f s", worst)
	if worst > 15 {
		t.Errorf("%.1f s until the first answer, want at most 15", worst)
	}
}

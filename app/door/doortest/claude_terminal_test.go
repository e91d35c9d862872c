package doortest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// claudeTerminal starts Claude Code in a terminal, and prompts it.
func claudeTerminal(w *World, env []string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, Program(w.t, "claude"))
	tm.Await("shift+tab to cycle", "for shortcuts")
	tm.Prompt("ask me")
	return tm
}

// dialog is the last line of Claude Code's own dialog.
const dialog = "Enter to select"

func gone(screen string) bool { return !strings.Contains(screen, dialog) }

// pickSecond chooses the second option in Claude Code's dialog.
func pickSecond(tm *tmuxtest.Terminal) {
	tm.Await(dialog)
	tm.Press("Down", func(screen string) bool {
		return strings.Contains(screen, "❯ 2. SQLite") || strings.Contains(screen, "❯\u00a02. SQLite")
	})
	tm.Press("Enter", gone)
}

// dismiss closes Claude Code's dialog, and waits until the hook that waited with it
// has ended.
func dismiss(w *World, tm *tmuxtest.Terminal) {
	w.t.Helper()
	tm.Await(dialog)
	tm.Press("Escape", gone)
	until(w.t, "the hook to end", func() bool { return !hooksRun(w) })
}

// hooksRun reports whether a hook runs in the world.
func hooksRun(w *World) bool {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(args, []byte("hook\x00claude")) && bytes.Contains(env, []byte("HOME="+w.Home+"\x00")) {
			return true
		}
	}
	return false
}

// claudeSteps asks once.
func claudeSteps() modeltest.Script {
	return modeltest.Steps(modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Say("all done"))
}

// TestClaudeHTTPHubFirst: hooks over HTTP; the dialog is open, and folds when the
// person answers elsewhere.
func TestClaudeHTTPHubFirst(t *testing.T) {
	t.Parallel()
	w := New(t)
	s := w.Serve()
	model := modeltest.New(t, claudeSteps())
	env := claudeHome(w, model, "SAYSO_KEY="+s.Token)
	setup(w, "--http", s.URL)
	tm := claudeTerminal(w, env)
	asked := w.Asked()
	tm.Await(dialog)
	w.Answer(asked, "SQLite")
	tm.AwaitGone(dialog)
	tm.Await("all done")
	model.WantResults(t, claudeTold)
	claudeConsumed(w)
}

// TestClaudeHTTPTerminalFirst: the person answers in the dialog, and the hub learns
// what.
func TestClaudeHTTPTerminalFirst(t *testing.T) {
	t.Parallel()
	w := New(t)
	s := w.Serve()
	model := modeltest.New(t, claudeSteps())
	env := claudeHome(w, model, "SAYSO_KEY="+s.Token)
	setup(w, "--http", s.URL)
	tm := claudeTerminal(w, env)
	asked := w.Asked()
	pickSecond(tm)
	tm.Await("all done")
	model.WantResults(t, claudeTold)
	o := w.Closed(asked)
	if o.Status != sayso.StatusAnswered || o.By.Surface != "claude-code" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("the hub has %+v", o)
	}
}

// TestClaudeHTTPKilled: the server is killed while the dialog is open. The dialog
// stays; once the server is back it learns what was answered there.
func TestClaudeHTTPKilled(t *testing.T) {
	t.Parallel()
	w := New(t)
	key := w.Run(w.Env(), w.Sayso, "keys", "create", "--role", "asker", "--for", "claude").Out()
	s := w.Serve()
	model := modeltest.New(t, claudeSteps())
	env := claudeHome(w, model, "SAYSO_KEY="+strings.TrimSpace(key))
	setup(w, "--http", s.URL)
	tm := claudeTerminal(w, env)
	asked := w.Asked()
	tm.Await(dialog)
	s.Kill()
	s.Start()
	pickSecond(tm)
	tm.Await("all done")
	model.WantResults(t, claudeTold)
	// An asker's key never answers as a person: it is the reply of a program.
	if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Kind != sayso.ByProgram || o.By.Surface != "claude-code" {
		t.Errorf("the hub has %+v", o)
	}
}

// TestClaudeTerminalNoHub: without a hub there is Claude Code's dialog, as ever.
func TestClaudeTerminalNoHub(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, claudeSteps())
	env := claudeHome(w, model)
	setup(w, "--hub", "none")
	tm := claudeTerminal(w, env)
	pickSecond(tm)
	tm.Await("all done")
	model.WantResults(t, claudeTold)
}

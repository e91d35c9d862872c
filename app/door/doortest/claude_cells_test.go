package doortest

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// claudeCell starts Claude Code in a terminal, in its default mode, with what "sayso setup
// claude" wrote and nothing else, and prompts it.
func claudeCell(w *World, steps ...modeltest.Reply) (*tmuxtest.Terminal, *modeltest.Server) {
	w.t.Helper()
	model := modeltest.New(w.t, modeltest.Steps(append(steps, modeltest.Say("all done"), modeltest.Say("bye"))...))
	env := claudeHome(w, model)
	w.Install("claude")
	w.Setup("claude")
	return claudeTyped(w, env), model
}

// claudeTyped starts claude as people type it, and prompts it.
//
// With the key of a test, Claude Code starts in its auto mode, in which it decides by
// itself what needs permission. Its mode "default" asks.
func claudeTyped(w *World, env []string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, "claude", "--permission-mode", "default")
	tm.Await("shift+tab to cycle", "for shortcuts")
	tm.Prompt("ask me")
	return tm
}

// texts returns what the model received as results of its calls.
func texts(model *modeltest.Server) (all []string) {
	for _, r := range model.Results() {
		all = append(all, r.Text)
	}
	return all
}

// TestCells_Claude is Claude Code in its terminal after "sayso setup claude".
func TestCells_Claude(t *testing.T) {
	t.Parallel()
	ask := modeltest.Use("AskUserQuestion", claudeAsks)
	cell(t, "claude", "a", func(t *testing.T, w *World) {
		tm, model := claudeCell(w, ask)
		asked := w.Asked()
		tm.Await(dialog)
		w.Answer(asked, "SQLite")
		tm.AwaitGone(dialog)
		tm.Await("all done")
		received(t, "claude", "question-inbox", texts(model)[0])
		claudeConsumed(w)
	})
	cell(t, "claude", "b", func(t *testing.T, w *World) {
		tm, model := claudeCell(w, ask)
		asked := w.Asked()
		pickSecond(tm)
		tm.Await("all done")
		o := w.Closed(asked)
		if o.Status != sayso.StatusAnswered || o.By.Surface != "claude-code" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the hub has %+v", o)
		}
		received(t, "claude", "question-own", texts(model)[0]) // the same as without sayso
	})
	cell(t, "claude", "d", func(t *testing.T, w *World) {
		tm, model := claudeCell(w, ask)
		asked := w.Asked()
		tm.Await(dialog)
		w.KillHub()
		w.Answer(asked, "SQLite")
		tm.AwaitGone(dialog)
		tm.Await("all done")
		received(t, "claude", "question-inbox", texts(model)[0])
		claudeConsumed(w)
	})
	// Esc in the dialog is no answer. What the person says in the inbox afterwards comes
	// with the next prompt, once; what nobody answers by then is withdrawn.
	cell(t, "claude", "e", func(t *testing.T, w *World) {
		tm, model := claudeCell(w, ask, modeltest.Say("second turn"), ask, modeltest.Say("fourth turn"))
		first := w.Asked()
		dismiss(w, tm)
		w.Answer(first, "SQLite")
		tm.Prompt("go on")
		tm.Await("second turn")
		tm.Prompt("ask again")
		second := w.Asked()
		dismiss(w, tm)
		tm.Prompt("forget it")
		tm.Await("fourth turn")
		wantLate(t, model)
		received(t, "claude", "late", "UserPromptSubmit hook additional context: "+strings.TrimSpace(lateSQLite))
		if o := w.Closed(second); o.Status != sayso.StatusCancelled || o.By.Kind != sayso.ByAsker {
			t.Errorf("the hub has %+v", o)
		}
	})
	cell(t, "claude", "f", func(t *testing.T, w *World) {
		run := func(file string) modeltest.Reply {
			return modeltest.Use("Bash", object{"command": "touch " + file, "description": "make a file"})
		}
		tm, model := claudeCell(w, run("allowed"), run("denied"))
		asked, _ := w.Opened()
		tm.Await(permissionDialog)
		w.Decide(asked, "allow", "", "")
		until(t, "the call to run", func() bool { return exists(w, "allowed") })
		asked, _ = w.Opened()
		tm.Await(permissionDialog)
		w.Decide(asked, "deny", "Use another file.", "")
		tm.Await("all done")
		if exists(w, "denied") {
			t.Error("what was denied ran")
		}
		received(t, "claude", "denied-inbox", texts(model)[1])
	})
}

// TestReceivedClaude is Claude Code without sayso: what its model reads of an answer and
// a denial in its own dialogs.
func TestReceivedClaude(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", claudeAsks),
		modeltest.Use("Bash", object{"command": "touch no", "description": "make a file"}), modeltest.Say("all done")))
	env := claudeHome(w, model)
	w.Install("claude")
	tm := claudeTyped(w, env)
	pickSecond(tm)
	tm.Await(permissionDialog)
	tm.Press("Escape", func(screen string) bool { return !strings.Contains(screen, permissionDialog) })
	tm.Prompt("go on")
	tm.Await("all done")
	all := texts(model)
	received(t, "claude", "question-own", all[0])
	received(t, "claude", "denied-own", all[1])
}

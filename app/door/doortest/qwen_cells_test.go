package doortest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// qwenUser writes the settings of a user of Qwen Code, whose provider is our model and
// who wants to be asked for permission.
func qwenUser(w *World, model *modeltest.Server) []string {
	w.t.Helper()
	w.Install("qwen")
	w.Write(".qwen/settings.json", "{\n  // mine\n  \"security\": {\"auth\": {\"selectedType\": \"openai\"}, \"folderTrust\": {\"enabled\": false}},\n  \"model\": {\"name\": \"fake\"},\n  \"tools\": {\"approvalMode\": \"default\"},\n  "+quietSettings+"\n}\n")
	return w.Env("OPENAI_API_KEY=dummy", "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_MODEL=fake", "QWEN_CODE_NO_RELAUNCH=true")
}

// qwenTerminal starts Qwen Code as people do, and prompts it.
func qwenTerminal(w *World, env []string, prompt string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, filepath.Join(w.bin(), "qwen"))
	tm.Await("Type your message")
	tm.Prompt(prompt)
	return tm
}

// The last lines of Qwen Code's own dialogs.
const (
	qwenAsks    = "Enter: Select"
	qwenPermits = "Allow execution of"
)

func qwenQuestion(f object) modeltest.Reply { return modeltest.Use("ask_user_question", f) }

func qwenRuns(command string) modeltest.Reply {
	return modeltest.Use("run_shell_command", object{"command": command, "description": "for the test", "is_background": false})
}

// qwenFinds is how a model gets at a tool of an MCP server.
var qwenFinds = modeltest.Use("tool_search", object{"query": "select:mcp__sayso__ask_user"})

// pickSecondInQwen chooses the second option in Qwen Code's own dialog.
func pickSecondInQwen(tm *tmuxtest.Terminal) {
	tm.Await(qwenAsks)
	tm.Press("Down", func(s string) bool { return strings.Contains(s, "❯ 2.") })
	tm.Press("Enter", without(qwenAsks))
}

// Read returns what is in a file below the home.
func (w *World) Read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.Home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// readsOf waits for the request of a prompt, and returns what the model reads as the
// user's, without what the program says of itself before it.
func readsOf(w *World, tm *tmuxtest.Terminal, model *modeltest.Server, prompt string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	r, err := model.Await(ctx, func(r *modeltest.Request) bool { return len(r.Tools) > 0 && strings.Contains(r.Last, prompt) })
	if err != nil {
		w.t.Fatalf("%v; the screen is\n%s", err, tm.Screen())
	}
	return r.Last[strings.LastIndex(r.Last, prompt):]
}

// editorAllowsAndDenies runs an agent that was set up in an editor, through sayso acp.
// Of two commands that it wants to run, one is allowed in the inbox and one denied.
func editorAllowsAndDenies(t *testing.T, w *World, model *modeltest.Server, name string) (end func() string) {
	t.Helper()
	a := &acpAgents[slices.IndexFunc(acpAgents, func(a acpAgent) bool { return a.name == name })]
	a.home(w, model)
	w.Setup(name)
	own := *a
	own.home = func(w *World, model *modeltest.Server) ([]string, []string) {
		settings := w.Read("." + name + "/settings.json")
		command, env := a.home(w, model)
		w.Write("."+name+"/settings.json", settings) // with what setup has added
		return command, env
	}
	e := own.open(w, model)
	stopped := e.prompt("go")
	asked, n := w.Asked(), 2
	if asked.Ask.Approval == nil { // it asks first
		w.Answer(asked, "SQLite")
		asked, n = w.Asked(), 3
	}
	if p := asked.Ask.Approval; p == nil || p.Shown[0].Text != "touch one" {
		t.Fatalf("the inbox has %+v", asked.Ask)
	}
	w.Answer(asked, a.once)
	asked = w.Asked()
	if !w.exists("one") {
		t.Error("what was allowed did not run")
	}
	w.Answer(asked, a.deny)
	return func() string {
		stop := stopped()
		if w.exists("two") {
			t.Error("what was denied ran")
		}
		if all := len(w.All()); all != n {
			t.Errorf("the inbox had %d requests, not %d", all, n)
		}
		return stop
	}
}

// TestCells_Qwen: what works with Qwen Code in its terminal after "sayso setup qwen"
// alone.
func TestCells_Qwen(t *testing.T) {
	t.Parallel()
	cell(t, "qwen", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		tm := qwenTerminal(w, env, "ask me")
		w.Answer(w.Asked(), "SQLite")
		tm.Await("all done")
		received(t, "qwen", "question-inbox", results(t, model, 1)[0].Text)
	})
	cell(t, "qwen", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), qwenRuns("touch one"), modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		waitBriefly(w, "qwen")
		tm := qwenTerminal(w, env, "ask me")
		asked := w.Asked()
		pickSecondInQwen(tm)
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "qwen-code" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the hub has %+v", o)
		}
		// What needs permission can be decided here only until the dialog opens.
		asked = w.Asked()
		if asked.Ask.Approval == nil || asked.Ask.Approval.Shown[0].Text != "touch one" {
			t.Fatalf("the inbox has %+v", asked.Ask)
		}
		if o := w.Closed(asked); o.Status != sayso.StatusCancelled {
			t.Errorf("when the dialog opens, the hub has %+v", o)
		}
		notice := w.Asked()
		tm.Await(qwenPermits)
		tm.Press("Enter", without(qwenPermits))
		if o := w.Closed(notice); o.Status != sayso.StatusCancelled {
			t.Errorf("the notice ended with %+v", o)
		}
		tm.Await("all done")
	})
	cell(t, "qwen", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenFinds, modeltest.Use("mcp__sayso__ask_user", database), modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		p := w.Start(env, filepath.Join(w.bin(), "qwen"), "-p", "ask me")
		p.Stdin.Close()
		w.Answer(w.Asked(), "SQLite")
		if code := p.Wait(); code != 0 {
			t.Errorf("qwen ended with %d", code)
		}
		received(t, "qwen", "question-mcp", results(t, model, 2)[1].Text)
	})
	cell(t, "qwen", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), qwenFinds, modeltest.Use("mcp__sayso__ask_user", licence), modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		tm := qwenTerminal(w, env, "ask me")
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		asked = w.Asked()
		w.KillHub()
		w.Answer(asked, "MIT")
		tm.Await("all done")
		if got := results(t, model, 3); !strings.Contains(got[0].Text, "SQLite") || !strings.Contains(got[2].Text, "MIT") {
			t.Errorf("the model received %+v", got)
		}
	})
	cell(t, "qwen", "e", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), modeltest.Say("all done"), modeltest.Say("as before")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		waitBriefly(w, "qwen")
		tm := qwenTerminal(w, env, "ask me")
		asked := w.Asked()
		tm.Await(qwenAsks)
		w.Answer(asked, "SQLite")
		tm.Press("Escape", without(qwenAsks))
		promptGemini(tm, "carry on")
		received(t, "qwen", "late", readsOf(w, tm, model, "carry on"))
		tm.Await("all done")
		promptGemini(tm, "and now")
		if got := readsOf(w, tm, model, "and now"); strings.Contains(got, "database") {
			t.Errorf("it was told again: %q", got)
		}
	})
	cell(t, "qwen", "f", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(qwenRuns("touch one"), qwenRuns("touch two"), qwenRuns("touch three"), modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		tm := qwenTerminal(w, env, "go")
		asked, ask := w.Opened()
		if p := ask.Approval; p.Kind != sayso.ApproveShell || p.Tool != "run_shell_command" || p.Shown[0].Text != "touch one" || p.Reason != "for the test" || p.Cwd != w.Project {
			t.Errorf("asked for %+v", p)
		}
		if got := Offers(asked); !slices.Equal(got, []string{"allow", "deny"}) {
			t.Errorf("offers are %q", got)
		}
		w.Decide(asked, "allow", "", "")
		asked, _ = w.Opened()
		w.Decide(asked, "deny", "use make", "")
		asked, _ = w.Opened()
		w.Decide(asked, "allow", "", `{"command":"touch changed","description":"for the test","is_background":false}`)
		tm.Await("all done")
		if !w.exists("one") || w.exists("two") || w.exists("three") || !w.exists("changed") {
			t.Error("other commands ran than were allowed")
		}
		received(t, "qwen", "denied-inbox", results(t, model, 3)[1].Text)
	})
	cell(t, "qwen", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("all done")))
		env := qwenUser(w, model)
		w.Setup("qwen")
		w.UndoSetup("qwen")
		// Once more, while Qwen Code runs in between.
		w.Setup("qwen")
		qwenTerminal(w, env, "hello").Await("all done")
		w.UndoSetup("qwen")
	})
}

// TestQwenEditor: in an editor, through sayso acp, Qwen Code asks its own question, and
// for permission, once: its hooks say nothing.
func TestQwenEditor(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), qwenRuns("touch one"), qwenRuns("touch two"), modeltest.Say("all done")))
	editorAllowsAndDenies(t, w, model, "qwen")()
	received(t, "qwen", "question-own", results(t, model, 2)[0].Text) // the same
}

// TestQwenAlone: what Qwen Code says without sayso, for comparison.
func TestQwenAlone(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(qwenQuestion(database), qwenRuns("touch one"), modeltest.Say("all done")))
	tm := qwenTerminal(w, qwenUser(w, model), "ask me")
	pickSecondInQwen(tm)
	tm.Await(qwenPermits)
	tm.Press("Escape", without(qwenPermits))
	promptGemini(tm, "carry on") // the turn has ended
	tm.Await("all done")
	got := results(t, model, 2)
	received(t, "qwen", "question-own", got[0].Text)
	received(t, "qwen", "denied-own", got[1].Text)
}

package doortest

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// geminiUser writes the settings of a user of Gemini CLI, whose provider is our model.
func geminiUser(w *World, model *modeltest.Server) []string {
	w.t.Helper()
	w.Install("gemini")
	w.Write(".gemini/settings.json", "{\n  // mine\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}, \"folderTrust\": {\"enabled\": false}},\n  \"ide\": {\"hasSeenNudge\": true},\n  "+quietSettings+"\n}\n")
	return w.Env("GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL="+model.URL, "GEMINI_CLI_NO_RELAUNCH=true")
}

// geminiTerminal starts Gemini CLI as people do, and prompts it.
func geminiTerminal(w *World, env []string, prompt string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, filepath.Join(w.bin(), "gemini"), "-m", "gemini-2.5-flash")
	tm.Await("Type your message")
	tm.Prompt(prompt)
	return tm
}

// The last lines of Gemini CLI's own dialogs.
const (
	geminiAsks    = "Enter to select"
	geminiPermits = "Allow execution of"
)

// carryOn plays replies, and says that all is done when the person has prompted again:
// of a call whose dialog was dismissed, Gemini CLI tells its model nothing.
func carryOn(replies ...modeltest.Reply) modeltest.Script {
	return func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
		if strings.Contains(r.Last, "carry on") || strings.Contains(r.Last, "and now") {
			return modeltest.Say("all done")
		}
		return modeltest.Steps(replies...)(ctx, r)
	}
}

// geminiQuestion is a call of Gemini CLI's own tool.
func geminiQuestion(f object) modeltest.Reply {
	q := f["questions"].([]any)[0].(object)
	return modeltest.Use("ask_user", object{"questions": []any{object{"question": q["question"], "header": q["header"], "type": "choice", "options": q["options"]}}})
}

func geminiRuns(command string) modeltest.Reply {
	return modeltest.Use("run_shell_command", object{"command": command, "description": "for the test"})
}

// without reports that a screen no longer shows a text.
func without(text string) func(string) bool {
	return func(screen string) bool { return !strings.Contains(screen, text) }
}

// pickSecondInGemini chooses the second option in Gemini CLI's own dialog.
func pickSecondInGemini(tm *tmuxtest.Terminal) {
	tm.Await(geminiAsks)
	tm.Press("Down", func(s string) bool { return strings.Contains(s, "● 2.") })
	tm.Press("Enter", without(geminiAsks))
}

// waitBriefly has the hooks of an agent wait for two seconds, as its page says.
func waitBriefly(w *World, agent string) {
	w.t.Helper()
	name := "." + agent + "/settings.json"
	text := w.Read(name)
	w.Write(name, strings.ReplaceAll(text, " hook "+agent+`"`, " hook "+agent+` --wait 2s"`))
}

// TestCells_Gemini: what works with Gemini CLI in its terminal, and in an editor, after
// "sayso setup gemini" alone.
func TestCells_Gemini(t *testing.T) {
	t.Parallel()
	cell(t, "gemini", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(geminiQuestion(database), modeltest.Say("all done")))
		env := geminiUser(w, model)
		w.Setup("gemini")
		tm := geminiTerminal(w, env, "ask me")
		w.Answer(w.Asked(), "SQLite")
		tm.Await("all done")
		received(t, "gemini", "question-inbox", results(t, model, 1)[0].Text)
	})
	cell(t, "gemini", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(geminiQuestion(database), geminiRuns("touch one"), modeltest.Say("all done")))
		env := geminiUser(w, model)
		w.Setup("gemini")
		waitBriefly(w, "gemini")
		tm := geminiTerminal(w, env, "ask me")
		asked := w.Asked()
		pickSecondInGemini(tm)
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "gemini-cli" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the hub has %+v", o)
		}
		// Of its dialog for permission, the inbox only says that it is open.
		notice := w.Asked()
		if q := notice.Ask.Questions[0]; !strings.Contains(q.Body, "touch one") {
			t.Errorf("the notice is %+v", q)
		}
		tm.Await(geminiPermits)
		tm.Press("Enter", without(geminiPermits))
		if o := w.Closed(notice); o.Status != sayso.StatusCancelled {
			t.Errorf("the notice ended with %+v", o)
		}
		tm.Await("all done")
	})
	cell(t, "gemini", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("*ask_person", database), modeltest.Say("all done")))
		env := geminiUser(w, model)
		w.Setup("gemini")
		p := w.Start(env, filepath.Join(w.bin(), "gemini"), "-m", "gemini-2.5-flash", "-p", "ask me")
		p.Stdin.Close()
		w.Answer(w.Asked(), "SQLite")
		if code := p.Wait(); code != 0 {
			t.Errorf("gemini ended with %d", code)
		}
		received(t, "gemini", "question-mcp", results(t, model, 1)[0].Text)
	})
	cell(t, "gemini", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(geminiQuestion(database), modeltest.Use("*ask_person", licence), modeltest.Say("all done")))
		env := geminiUser(w, model)
		w.Setup("gemini")
		tm := geminiTerminal(w, env, "ask me")
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		asked = w.Asked()
		w.KillHub()
		w.Answer(asked, "MIT")
		tm.Await("all done")
		if got := results(t, model, 2); !strings.Contains(got[0].Text, "SQLite") || !strings.Contains(got[1].Text, "MIT") {
			t.Errorf("the model received %+v", got)
		}
	})
	cell(t, "gemini", "e", func(t *testing.T, w *World) {
		model := modeltest.New(t, carryOn(geminiQuestion(database)))
		env := geminiUser(w, model)
		w.Setup("gemini")
		waitBriefly(w, "gemini")
		tm := geminiTerminal(w, env, "ask me")
		asked := w.Asked()
		tm.Await(geminiAsks)
		w.Answer(asked, "SQLite")
		tm.Press("Escape", without(geminiAsks))
		promptGemini(tm, "carry on")
		received(t, "gemini", "late", readsOf(w, tm, model, "carry on"))
		promptGemini(tm, "and now")
		if got := readsOf(w, tm, model, "and now"); strings.Contains(got, "database") {
			t.Errorf("it was told again: %q", got)
		}
	})
	cell(t, "gemini", "f", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(geminiRuns("touch one"), geminiRuns("touch two"), modeltest.Say("all done")))
		end := editorAllowsAndDenies(t, w, model, "gemini")
		end()
		received(t, "gemini", "denied-inbox", results(t, model, 2)[1].Text)
	})
	cell(t, "gemini", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("all done")))
		env := geminiUser(w, model)
		w.Setup("gemini")
		w.UndoSetup("gemini")
		// Once more, while Gemini CLI runs in between.
		w.Setup("gemini")
		geminiTerminal(w, env, "hello").Await("all done")
		w.UndoSetup("gemini")
	})
}

// promptGemini types a prompt when Gemini CLI, or Qwen Code, is ready for one. They drop
// the Enter that comes in the moment in which a turn ends, so that is pressed until the
// line is empty. Two at once would be one too many: a busy Gemini CLI sends the prompt
// twice, and only one of them has the late answer.
func promptGemini(tm *tmuxtest.Terminal, text string) {
	const empty = "Type your message"
	tm.Await(empty)
	tm.Fill(text)
	tm.Press("Enter", func(screen string) bool { return strings.Contains(screen, empty) })
}

// TestGeminiAlone: what Gemini CLI says without sayso, for comparison.
func TestGeminiAlone(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, carryOn(geminiQuestion(database), geminiRuns("touch one")))
	tm := geminiTerminal(w, geminiUser(w, model), "ask me")
	pickSecondInGemini(tm)
	tm.Await(geminiPermits)
	tm.Press("Escape", without(geminiPermits))
	promptGemini(tm, "carry on") // the turn has ended
	tm.Await("all done")
	// Of the call that was denied the model is told nothing.
	received(t, "gemini", "question-own", results(t, model, 1)[0].Text)
}

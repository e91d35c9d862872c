package doortest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// TestCells_Copilot: Copilot CLI in a terminal, in its default mode, after the setup.
func TestCells_Copilot(t *testing.T) {
	t.Parallel()
	asks := modeltest.Use("ask_user", copilotAsks)
	cell(t, "copilot", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("all done")))
		env := copilotHome(w, model)
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("ask me")
		asked := w.Asked()
		tm.Await(copilotForm)
		w.Answer(asked, "SQLite")
		tm.AwaitGone(copilotForm)
		tm.Await("all done")
		received(t, "copilot", "question-inbox", resultOf(t, model, 1))
	})
	cell(t, "copilot", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("all done"), asks, modeltest.Say("the end")))
		env := copilotHome(w, model)
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("ask me")
		asked := w.Asked()
		pickSQLite(tm)
		tm.Await("all done")
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "copilot" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the hub has %+v", o)
		}
		// Dismissed there is no answer here.
		tm.Prompt("ask again")
		asked = w.Asked()
		tm.Await(copilotForm)
		tm.Press("Escape", func(screen string) bool { return !strings.Contains(screen, copilotForm) })
		if o := w.Closed(asked); o.Status != sayso.StatusCancelled || o.By.Kind != sayso.ByAsker {
			t.Errorf("the hub has %+v", o)
		}
	})
	cell(t, "copilot", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("sayso-ask_user", database), modeltest.Say("all done")))
		env := copilotHome(w, model)
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("ask me")
		asked := w.Asked()
		w.Answer(asked, "SQLite")
		tm.Await("all done")
		received(t, "copilot", "question-mcp", resultOf(t, model, 1))
	})
	cell(t, "copilot", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(asks, modeltest.Say("all done")))
		env := copilotHome(w, model)
		w.Setup("copilot")
		// The person does not trust the extension: questions need no trust.
		tm := w.Terminal(env, filepath.Join(w.bin(), "copilot"))
		tm.Await(copilotTrust)
		tm.Press("Escape", func(screen string) bool { return !strings.Contains(screen, copilotTrust) })
		tm.Await(copilotReady)
		tm.Prompt("ask me")
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		tm.AwaitGone(copilotForm)
		tm.Await("all done")
		model.WantResults(t, "User responded: SQLite")
	})
	cell(t, "copilot", "e", func(t *testing.T, w *World) {
		// Copilot has forgotten the call that was cut off.
		model := modeltest.New(t, func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			if strings.Contains(r.Last, "go on") {
				return modeltest.Say("second turn")
			}
			return modeltest.Steps(asks)(ctx, r)
		})
		env := copilotHome(w, model)
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("ask me")
		asked := w.Asked()
		tm.Await(copilotForm)
		tm.Kill()
		until(t, "Copilot to be gone", func() bool { return !copilotRunsIn(w) })
		w.Answer(asked, "SQLite")
		tm = w.Terminal(env, filepath.Join(w.bin(), "copilot"), "--continue")
		if tm.Await(copilotReady, copilotInUse); strings.Contains(tm.Screen(), copilotInUse) { // it has not noticed the kill
			tm.Press("Enter", func(screen string) bool { return !strings.Contains(screen, copilotInUse) })
		}
		tm.Await(copilotReady)
		tm.Prompt("go on")
		tm.Await("second turn")
		all := model.Requests()
		received(t, "copilot", "late", reminder(t, all[len(all)-1].Last))
	})
	cell(t, "copilot", "f", func(t *testing.T, w *World) {
		file := filepath.Join(w.Project, "a.txt")
		if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		model := modeltest.New(t, modeltest.Steps(copilotRuns("touch allowed"),
			modeltest.Use("edit", object{"path": file, "old_str": "two", "new_str": "TWO"}),
			copilotRuns("touch own"), copilotRuns("touch denied"), modeltest.Say("all done")))
		env := copilotHome(w, model)
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("make files")
		asked, whole := w.Opened()
		if p := whole.Approval; p.Kind != sayso.ApproveShell || p.Shown[0].Text != "touch allowed" || p.Cwd != w.Project || p.Reason != "Make a file" {
			t.Errorf("it shows %+v", p)
		}
		tm.Await(copilotPrompt)
		w.Decide(asked, "once", "", "")
		asked, whole = w.Opened()
		if p := whole.Approval; p.Kind != sayso.ApproveEdit || !strings.Contains(p.Shown[0].Text, "-two\n+TWO\n") || len(p.Shown) != 1 {
			t.Errorf("it shows %+v", p)
		}
		w.Decide(asked, "session", "", "")
		asked, _ = w.Opened()
		tm.Await("touch own", copilotPrompt)
		tm.Press("Enter", func(string) bool { return exists(w, "own") })
		if o := w.Closed(asked); o.Status != sayso.StatusAnswered || o.By.Surface != "copilot" || asked.Ask.Verdict(o).Offer.ID != "once" {
			t.Errorf("the hub has %+v", o)
		}
		asked, _ = w.Opened()
		w.Decide(asked, "deny", "use tabs", "")
		tm.Await("all done")
		received(t, "copilot", "denied-inbox", resultOf(t, model, 4))
		if !exists(w, "allowed") || exists(w, "denied") || w.InProject("a.txt") != "one\nTWO\n" {
			t.Error("the project does not have what was allowed, and nothing else")
		}
	})
	cell(t, "copilot", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("all done")))
		env := copilotHome(w, model)
		w.Write(".copilot/settings.json", "{\n  // mine\n  \"banner\": \"never\",\n}")
		w.Write(".copilot/mcp-config.json", `{"mcpServers":{"mine":{"command":"x","env":{"TOKEN":"secret"}}}}`)
		w.Setup("copilot")
		w.UndoSetup("copilot")
		// Once more, while Copilot writes its own files in between.
		w.Setup("copilot")
		tm := copilotTerminal(w, env)
		tm.Prompt("hello")
		tm.Await("all done")
		tm.Kill()
		w.UndoSetup("copilot")
	})
}

package doortest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// copilotAsks is a call of Copilot's own question tool.
var copilotAsks = object{"message": "Which database?", "requestedSchema": object{
	"properties": object{"db": object{"type": "string", "title": "Database", "enum": []string{"PostgreSQL", "SQLite"}}},
	"required":   []string{"db"},
}}

// copilotRuns is a command that Copilot asks about.
func copilotRuns(command string) modeltest.Reply {
	return modeltest.Use("bash", object{"command": command, "description": "Make a file"})
}

// copilotCache is where the program unpacks itself, 235 MB, once for all worlds.
var copilotCache = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.Getenv(agentsEnv), "copilot", "cache")
	c := exec.Command(filepath.Join(os.Getenv(agentsEnv), programs["copilot"]), "--version")
	c.Env = []string{"HOME=" + dir, "COPILOT_OFFLINE=true", "COPILOT_PKG_CACHE_HOME=" + dir}
	return dir, c.Run()
})

// copilotHome prepares a home whose owner trusts the project, and returns the
// environment of Copilot CLI.
func copilotHome(w *World, model *modeltest.Server) []string {
	w.t.Helper()
	w.Install("copilot")
	cache, err := copilotCache()
	if err != nil {
		w.t.Fatalf("copilot --version: %v", err)
	}
	trusted, err := json.Marshal(object{"trustedFolders": []string{w.Project}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Write(".copilot/config.json", string(trusted))
	return w.Env("COPILOT_OFFLINE=true", "COPILOT_PKG_CACHE_HOME="+cache, "COPILOT_MODEL=fake",
		"COPILOT_PROVIDER_BASE_URL="+model.URL+"/v1", "COPILOT_PROVIDER_API_KEY=dummy")
}

// What Copilot shows.
const (
	copilotReady   = "/ commands"         // it waits for a prompt
	copilotTrust   = "wants elevated"     // it asks whether the extension may
	copilotForm    = "ctrl+d decline"     // its own question
	copilotPrompt  = "Do you want to run" // it needs permission
	copilotChooses = "enter to select"
)

// copilotTerminal starts Copilot as a user does after the setup, and says that the
// extension may handle permission requests.
func copilotTerminal(w *World, env []string, args ...string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, filepath.Join(w.bin(), "copilot"), args...)
	tm.Await(copilotTrust)
	tm.Press("Down", func(screen string) bool { return strings.Contains(screen, "❯ 2. Yes, and always allow") })
	tm.Press("Enter", func(screen string) bool { return !strings.Contains(screen, copilotTrust) })
	tm.Await(copilotReady)
	return tm
}

// pickSQLite chooses the second option of Copilot's form.
func pickSQLite(tm *tmuxtest.Terminal) {
	tm.Await(copilotForm)
	tm.Press("Down", func(screen string) bool { return strings.Contains(screen, "❯ SQLite") })
	tm.Press("Enter", func(screen string) bool { return !strings.Contains(screen, copilotForm) })
}

// resultOf returns the last tool result that the model received.
func resultOf(t *testing.T, model *modeltest.Server, want int) string {
	t.Helper()
	results := model.Results()
	if len(results) != want {
		t.Fatalf("the model received %+v, want %d results", results, want)
	}
	return results[want-1].Text
}

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
		w.AwaitEnd("bridge")
		w.Answer(asked, "SQLite")
		tm = w.Terminal(env, filepath.Join(w.bin(), "copilot"), "--continue")
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

// TestCopilotAlone: what its model receives without sayso.
func TestCopilotAlone(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("ask_user", copilotAsks), copilotRuns("touch denied"), modeltest.Say("all done")))
	tm := w.Terminal(copilotHome(w, model), filepath.Join(w.bin(), "copilot"))
	tm.Await(copilotReady)
	tm.Prompt("ask me")
	pickSQLite(tm)
	tm.Await(copilotPrompt)
	received(t, "copilot", "question-own", resultOf(t, model, 1))
	for _, line := range []string{"❯ 2. Yes", "❯ 3. No"} {
		tm.Press("Down", func(screen string) bool { return strings.Contains(screen, line) })
	}
	tm.Type("use tabs")
	tm.Await("use tabs")
	tm.Press("Enter", func(screen string) bool { return !strings.Contains(screen, copilotPrompt) })
	tm.Await("all done")
	received(t, "copilot", "denied-own", resultOf(t, model, 2))
}

// reminder returns what Copilot's hook adds to a prompt.
func reminder(t *testing.T, prompt string) string {
	t.Helper()
	_, rest, found := strings.Cut(prompt, "<system_reminder>")
	text, _, ended := strings.Cut(rest, "</system_reminder>")
	if !found || !ended {
		t.Fatalf("the prompt has no reminder: %q", prompt)
	}
	return strings.TrimSpace(text)
}

// TestCopilotPrint: without a terminal, where nobody can be asked about the extension,
// the tool that sayso brings works.
func TestCopilotPrint(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("sayso-ask_user", database), modeltest.Say("all done")))
	env := copilotHome(w, model)
	w.Setup("copilot")
	p := w.Start(env, filepath.Join(w.bin(), "copilot"), "-p", "ask me")
	p.Stdin.Close()
	w.Answer(w.Asked(), "SQLite")
	if code := p.Wait(); code != 0 || !strings.Contains(p.Out(), "all done") {
		t.Errorf("it ended with %d", code)
	}
	model.WantResults(t, "Which database?\nSQLite")
}

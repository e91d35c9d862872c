package doortest

import (
	"bytes"
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
	copilotInUse   = "Resume anyway"      // the session may be open elsewhere
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

// copilotRunsIn reports whether a process of Copilot, or its bridge, runs in the world:
// the program is several.
func copilotRunsIn(w *World) bool {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, dir := range all {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(env, []byte("HOME="+w.Home+"\x00")) && bytes.Contains(line, []byte("copilot")) {
			return true
		}
	}
	return false
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

// TestCopilotPlan: a plan is revised and approved from the inbox.
func TestCopilotPlan(t *testing.T) {
	t.Parallel()
	w := New(t)
	ready := modeltest.Use("exit_plan_mode", object{"summary": "Two steps", "actions": []string{"interactive", "exit_only"}, "recommendedAction": "interactive"})
	model := modeltest.New(t, modeltest.Steps(ready, ready, modeltest.Say("all done")))
	env := copilotHome(w, model)
	w.Setup("copilot")
	tm := copilotTerminal(w, env, "--plan")
	tm.Prompt("make a plan")
	asked, whole := w.Opened()
	if p := whole.Approval; p.Kind != sayso.ApprovePlan || p.Shown[0].Text != "Two steps" {
		t.Errorf("it shows %+v", p)
	}
	w.Decide(asked, "revise", "use tabs", "")
	asked, _ = w.Opened()
	w.Decide(asked, "approve", "", "")
	tm.Await("all done")
	if got := resultOf(t, model, 2); !strings.HasPrefix(got, "Plan approved!") {
		t.Errorf("the model received %q", got)
	}
	if got := model.Results()[0].Text; got != "Plan not approved. User feedback:\n\nuse tabs\n\nPlease update the plan based on this feedback and try again." {
		t.Errorf("the model received %q", got)
	}
}

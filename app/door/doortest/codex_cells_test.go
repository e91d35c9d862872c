package doortest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// codexPerson writes the settings of a person who uses Codex in the project already.
func codexPerson(w *World, model *modeltest.Server, more ...string) []string {
	w.Write(".codex/config.toml", strings.Join(more, "\n")+codexProvider(model)+
		fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", w.Project))
	w.Install("codex")
	w.t.Cleanup(func() { w.killCodex() })
	return w.Env("FAKE_KEY=dummy")
}

// codexTerminal starts Codex in a terminal.
func codexTerminal(w *World, env []string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, "codex")
	tm.Await("Ask Codex")
	return tm
}

// killCodex kills the server that Codex leaves behind its terminals.
func (w *World) killCodex() {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && bytes.HasPrefix(args, []byte(filepath.Join(w.Home, ".codex")+"/")) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// codexAsks is a call of Codex's own question tool.
var codexAsks = object{"questions": []any{object{
	"id": "db", "header": "DB", "question": "Which database?",
	"options": []any{object{"label": "PostgreSQL", "description": "a server"}, object{"label": "SQLite", "description": "a file"}},
}}}

// codexRuns is a command for which Codex needs permission.
func codexRuns(command string) modeltest.Reply {
	return modeltest.Use("*exec_command", object{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "it is needed"})
}

// codexTime is how long a call took, as Codex tells the model.
var codexTime = regexp.MustCompile(`Wall time: [0-9.]+ seconds`)

const (
	codexDialog = "None of the above" // of a question
	codexPrompt = "Would you like to run the following command?"
)

// codexPicks answers the question in Codex's own dialog.
func codexPicks(tm *tmuxtest.Terminal) {
	tm.Await(codexDialog)
	tm.Press("Down", func(screen string) bool { return strings.Contains(screen, "› 2. SQLite") })
	tm.Press("Enter", func(screen string) bool { return !strings.Contains(screen, codexDialog) })
}

// TestCells_Codex is Codex in a terminal, after "sayso setup codex" alone.
func TestCells_Codex(t *testing.T) {
	t.Parallel()
	asks := modeltest.Steps(modeltest.Use("request_user_input", codexAsks), modeltest.Say("all done"))
	cell(t, "codex", "a", func(t *testing.T, w *World) {
		model := modeltest.New(t, asks)
		env := codexPerson(w, model)
		w.Setup("codex")
		tm := codexTerminal(w, env)
		tm.Prompt("/plan ask me")
		asked := w.Asked()
		tm.Await(codexDialog)
		w.Answer(asked, "SQLite")
		tm.AwaitGone(codexDialog)
		tm.Await("all done")
		received(t, "codex", "question-inbox", model.Results()[0].Text)
	})
	cell(t, "codex", "b", func(t *testing.T, w *World) {
		model := modeltest.New(t, asks)
		env := codexPerson(w, model)
		before := codexTerminal(w, env) // without sayso
		before.Prompt("/plan ask me")
		codexPicks(before)
		before.Await("all done")
		received(t, "codex", "question-own", model.Results()[0].Text)
		before.Kill()
		w.killCodex()

		w.Setup("codex")
		tm := codexTerminal(w, env)
		tm.Prompt("/plan ask me")
		asked := w.Asked()
		codexPicks(tm)
		o := w.Closed(asked)
		if o.Status != sayso.StatusAnswered || o.By.Surface != "codex" || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the hub has %+v", o)
		}
		tm.Await("all done")
	})
	cell(t, "codex", "c", func(t *testing.T, w *World) {
		// Codex gives an MCP server one second, and then begins without its tools. A
		// person starts it again.
		asks := modeltest.Steps(modeltest.Use("*ask_user", database), modeltest.Say("all done"))
		model := modeltest.New(t, func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			if !slices.ContainsFunc(r.Tools, func(name string) bool { return strings.HasSuffix(name, "ask_user") }) {
				return modeltest.Say("the tool is not there yet")
			}
			return asks(ctx, r)
		})
		env := codexPerson(w, model)
		w.Setup("codex")
		var p *Process
		until(t, "a run with the tool", func() bool {
			p = w.Start(env, filepath.Join(w.bin(), "codex"), "exec", "--skip-git-repo-check", "ask me")
			p.Stdin.Close()
			until(t, "a question, or the end of the run", func() bool { return !p.Running() || len(w.list(sayso.StatusPending)) > 0 })
			return p.Running()
		})
		w.Answer(w.Asked(), "SQLite")
		if code := p.Wait(); code != 0 {
			t.Errorf("ended with %d", code)
		}
		results := model.Results()
		if len(results) != 1 {
			t.Fatalf("the model received %+v", results)
		}
		received(t, "codex", "question-mcp", codexTime.ReplaceAllString(results[0].Text, "Wall time: 1.5 seconds"))
		tm := codexTerminal(w, env)
		tm.Prompt("ask me again")
		asked := w.Asked()
		w.Answer(asked, "PostgreSQL")
		tm.Await("all done")
	})
	cell(t, "codex", "d", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("request_user_input", codexAsks), codexRuns("touch hello"), modeltest.Say("all done")))
		env := codexPerson(w, model)
		w.Setup("codex")
		tm := codexTerminal(w, env)
		tm.Prompt("/plan ask me")
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
		request, _ := w.Opened()
		w.KillHub()
		w.Decide(request, "once", "", "")
		tm.Await("all done")
		if !w.exists("hello") {
			t.Error("the command did not run")
		}
		if n := len(w.All()); n != 2 {
			t.Errorf("the hub has %d asks", n)
		}
	})
	cell(t, "codex", "e", func(t *testing.T, w *World) {
		tool := modeltest.Steps(modeltest.Use("*ask_user", database), modeltest.Say("all done"))
		model := modeltest.New(t, func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			if strings.Contains(string(r.Body), "with the tool") {
				return tool(ctx, r)
			}
			return asks(ctx, r)
		})
		env := codexPerson(w, model)
		w.Setup("codex")
		codex := filepath.Join(w.bin(), "codex")
		tm := codexTerminal(w, env)
		tm.Prompt("/plan ask me")
		asked := w.Asked()
		tm.Await(codexDialog)
		w.killCodex()
		tm.Kill()
		w.Answer(asked, "SQLite")
		w.Run(env, codex, "exec", "resume", asked.Ask.Origin.Conversation, "--skip-git-repo-check", "go on")
		received(t, "codex", "late", codexContext(w, model, "ask me"))

		// The same with the tool that sayso brings, and a Codex that is killed.
		p := w.Start(env, codex, "exec", "--skip-git-repo-check", "--json", "ask with the tool")
		p.Stdin.Close()
		second := w.Asked()
		noteOf(w, second)
		_, session, _ := strings.Cut(p.Out(), `"thread_id":"`)
		session, _, _ = strings.Cut(session, `"`)
		p.Kill()
		w.AwaitEnd("mcp")
		w.Answer(second, "PostgreSQL")
		w.Run(env, codex, "exec", "resume", session, "--skip-git-repo-check", "go on")
		if told := codexContext(w, model, "with the tool"); !strings.Contains(told, "PostgreSQL") {
			t.Errorf("the model was told %q", told)
		}
	})
	cell(t, "codex", "f", func(t *testing.T, w *World) {
		runs := modeltest.Steps(codexRuns("touch hello"), codexRuns("touch no"), modeltest.Say("all done"))
		model := modeltest.New(t, runs)
		env := codexPerson(w, model)
		before := codexTerminal(w, env) // without sayso
		before.Prompt("do it")
		before.Await(codexPrompt)
		before.Press("Escape", func(screen string) bool { return !strings.Contains(screen, codexPrompt) })
		before.Prompt("go on")
		w.Received(model, 1)
		received(t, "codex", "denied-own", codexTime.ReplaceAllString(model.Results()[0].Text, "Wall time: 1.5 seconds"))
		before.Kill()
		w.killCodex()

		model2 := modeltest.New(t, runs)
		env = codexPerson(w, model2)
		w.Setup("codex")
		tm := codexTerminal(w, env)
		tm.Prompt("do it")
		request, whole := w.Opened()
		if got := whole.Approval.Shown[0].Text; got != "/bin/bash -lc 'touch hello'" {
			t.Errorf("it shows %q", got)
		}
		tm.Await(codexPrompt)
		w.Decide(request, "once", "", "")
		second, _ := w.Opened()
		tm.Await("touch no")
		w.Decide(second, "decline", "", "")
		tm.Await("all done")
		if !w.exists("hello") || w.exists("no") {
			t.Errorf("hello %t, no %t", w.exists("hello"), w.exists("no"))
		}
		received(t, "codex", "denied-inbox", model2.Results()[1].Text)
	})
	cell(t, "codex", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("done"), modeltest.Say("done")))
		env := codexPerson(w, model, "# mine\r\nmodel_reasoning_effort = 'low' # why not")
		w.Write(".codex/hooks.json", `{"hooks": {"UserPromptSubmit": [ {"hooks":[{"type":"command","command":"true"}]} ]}}`)
		w.Setup("codex")
		w.UndoSetup("codex")
		// Once more, while Codex writes its own settings in between.
		w.Setup("codex")
		w.Run(env, filepath.Join(w.bin(), "codex"), "exec", "--skip-git-repo-check", "hello")
		w.UndoSetup("codex")
	})
}

// codexContext waits for the text that a hook adds to a prompt, in the session that
// began with these words, and returns it.
func codexContext(w *World, model *modeltest.Server, began string) (told string) {
	w.t.Helper()
	const begins = "The user has responded to a question"
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	_, err := model.Await(ctx, func(r *modeltest.Request) bool {
		_, text, ok := strings.Cut(string(r.Body), begins)
		end := strings.Index(text, `"}`)
		if !ok || end < 0 || !strings.Contains(string(r.Body), began) {
			return false
		}
		told, _ = strconv.Unquote(`"` + begins + text[:end] + `"`)
		return told != ""
	})
	if err != nil {
		w.t.Fatalf("the model was not told: %v", err)
	}
	return told
}

package doortest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/modeltest"
)

// codexHome writes the settings of Codex: a provider that is our model, and
// sayso as MCP server, as `codex mcp add sayso -- sayso mcp` writes it. It is a
// required one: for others Codex waits one second, and then begins the first turn
// without their tools.
func codexHome(w *World, model *modeltest.Server, args ...string) []string {
	command, _ := json.Marshal(append([]string{"mcp"}, args...))
	server := strings.Replace(settings(w.t, "codex.toml"), `["mcp"]`, string(command), 1)
	w.Write(".codex/config.toml", fmt.Sprintf("%s\n%srequired = true\nstartup_timeout_sec = 120\n", codexProvider(model), server))
	return w.Env("FAKE_KEY=dummy")
}

// wallTime is what Codex puts before the text of an MCP tool.
var wallTime = regexp.MustCompile(`^Wall time: [0-9.]+ seconds\nOutput:\n`)

// wantCodex compares what the model received, but for the time that it took.
func wantCodex(t *testing.T, model *modeltest.Server, want ...string) {
	t.Helper()
	var got []string
	for _, r := range model.Results() {
		if !wallTime.MatchString(r.Text) {
			t.Errorf("the result does not begin as Codex begins one: %q", r.Text)
		}
		got = append(got, wallTime.ReplaceAllString(r.Text, ""))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the model received %q,\n want %q", got, want)
	}
}

// TestCodexExec is `codex exec`, where nobody sits at the terminal and Codex
// declines every form by itself: a person answers at the hub. It is killed
// before the second answer.
func TestCodexExec(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("*ask_user", database), modeltest.Use("*ask_user", licence), modeltest.Say("done")))
	p := w.Start(codexHome(w, model), Program(t, "codex"), "exec", "--skip-git-repo-check", "--json", "ask me")
	p.Stdin.Close()
	w.Answer(w.Asked(), "SQLite")
	second := w.Asked()
	w.KillHub()
	w.Answer(second, "neither; ask legal")
	if code := p.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	wantCodex(t, model, "Which database?\nSQLite", "Which licence?\nneither; ask legal")
}

// TestCodexLate lets the call end before the answer: the model is given a
// handle, and gets the answer with it.
func TestCodexLate(t *testing.T) {
	t.Parallel()
	w := New(t)
	last := func(text string) string { return text[strings.LastIndex(text, " ")+1:] }
	model := modeltest.New(t, func(_ context.Context, r *modeltest.Request) modeltest.Reply {
		switch len(r.Results) {
		case 0:
			return modeltest.Use("*ask_user", database)
		case 1:
			return modeltest.Use("*check_answer", object{"handle": last(r.Results[0].Text)})
		}
		return modeltest.Say("done")
	})
	env := codexHome(w, model, "--hold", "1s")
	p := w.Start(env, Program(t, "codex"), "exec", "--skip-git-repo-check", "--json", "ask me")
	p.Stdin.Close()
	asked := w.Asked()
	w.Received(model, 1)
	w.Answer(asked, "SQLite")
	if code := p.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	wantCodex(t, model, "The question is still open: nobody has responded yet. Do not assume an answer; it may still come. Your own program could not show it; it waits in the inbox.\n"+
		"Go on with what does not depend on it, and call check_answer later with the handle "+mcp.ShortHandle(asked.Handle),
		"Which database?\nSQLite")
}

// TestCodexKilled kills Codex itself while it waits. The person answers, and
// the next run, which asks the same, has the answer at once.
func TestCodexKilled(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("*ask_user", database), modeltest.Say("done")))
	env := codexHome(w, model)
	p := w.Start(env, Program(t, "codex"), "exec", "--skip-git-repo-check", "ask me")
	p.Stdin.Close()
	asked := w.Asked()
	p.Kill()
	w.AwaitEnd("mcp")
	w.Answer(asked, "SQLite")
	w.Run(env, Program(t, "codex"), "exec", "--skip-git-repo-check", "ask me")
	wantCodex(t, model, "This is the answer to the same question, asked before:\n\nWhich database?\nSQLite")
	if n := len(w.All()); n != 1 {
		t.Errorf("the hub has %d asks", n)
	}
}

// TestCodexForm is a Codex with a person in front, who is shown the form that
// our server asks for. The first question is answered there; the second is
// answered at the hub, and the form is taken back.
func TestCodexForm(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("*ask_user", database), modeltest.Use("*ask_user", licence), modeltest.Say("done")))
	codex := w.Start(codexHome(w, model), Program(t, "codex"), "app-server").Peer("")
	codex.Call("initialize", object{"clientInfo": object{"name": "doortest", "title": "doortest", "version": "0"}})()
	codex.Notify("initialized", object{})
	var started struct{ Thread struct{ ID string } }
	decode(t, codex.Call("thread/start", object{"cwd": w.Project, "approvalPolicy": "on-request", "sandbox": "read-only"})(), &started)
	codex.Call("turn/start", object{"threadId": started.Thread.ID, "input": []any{object{"type": "text", "text": "ask me"}}})()

	form := codex.Await("mcpServer/elicitation/request", 1)
	first := w.Asked()
	codex.Reply(form, object{"action": "accept", "content": object{"question_0": "SQLite"}})
	if o := w.Closed(first); o.Status != sayso.StatusAnswered || o.By.Surface == "test" {
		t.Errorf("the first became %+v", o)
	}
	codex.Await("mcpServer/elicitation/request", 2)
	w.Answer(w.Asked(), "Apache-2.0")
	codex.Await("turn/completed", 1)
	wantCodex(t, model, "Which database?\nSQLite", "Which licence?\nApache-2.0")
}

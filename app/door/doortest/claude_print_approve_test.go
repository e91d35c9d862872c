package doortest

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// TestClaudePrintApprove is plain claude -p, without a host: the hook decides, with the
// inbox, and the hub is killed before the second decision.
func TestClaudePrintApprove(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(bashCall("touch allowed"), bashCall("touch denied"), modeltest.Say("done")))
	env := claudeHome(w, model)
	setup(w)
	claudePrint(w, env, func() {
		asked, _ := w.Opened()
		w.Decide(asked, "allow", "", "")
		asked, _ = w.Opened()
		w.KillHub()
		w.Decide(asked, "deny", "not on a Friday", "")
	}, "--permission-mode", "default", "go")
	if !exists(w, "allowed") || exists(w, "denied") {
		t.Errorf("ran: %v, %v", exists(w, "allowed"), exists(w, "denied"))
	}
	if got := lastResult(model); got.Text != "not on a Friday" || !got.IsError {
		t.Errorf("the model received %+v", got)
	}
}

// TestClaudePrintApproveGone is claude -p with a hub that is not there: the call is
// refused.
func TestClaudePrintApproveGone(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(bashCall("touch allowed"), modeltest.Say("done")))
	env := claudeHome(w, model, "SAYSO_HUB=/nonexistent/hub.sock")
	setup(w)
	claudePrint(w, env, nil, "--permission-mode", "default", "go")
	if got := lastResult(model); exists(w, "allowed") || !got.IsError {
		t.Errorf("the model received %+v", got)
	}
}

// TestClaudeHostVerdicts carries out every decision of the permission prompt tool of
// our MCP server, in claude -p.
func TestClaudeHostVerdicts(t *testing.T) {
	t.Parallel()
	w := New(t)
	var v verdicts
	model := modeltest.New(t, modeltest.Steps(bashCall("touch once"), bashCall("echo asked > changed"), bashCall("touch denied"), bashCall("touch denied2"), bashCall("touch stopped"), modeltest.Say("done")))
	env := claudeHome(w, model)
	p := claudeStart(w, env, append(claudeMCP(w, "claude-permissions.json"), "--permission-mode", "default", "--permission-prompt-tool", "mcp__sayso__permission_prompt", "go")...)
	asked, whole := w.Opened()
	if !strings.Contains(whole.Questions[0].Body, "touch once") {
		t.Errorf("asked about %s", whole.Questions[0].Body)
	}
	w.KillHub()
	w.Decide(asked, "allow", "", "")
	asked, _ = w.Opened()
	if !exists(w, "once") {
		t.Error("it did not run")
	}
	v.worked("allow once")
	w.Decide(asked, "allow", "", `{"command":"echo edited > changed","description":"a step"}`)
	asked, _ = w.Opened()
	if w.InProject("changed") != "edited\n" {
		t.Errorf("changed is %q", w.InProject("changed"))
	}
	v.worked("allow a changed input")
	w.Decide(asked, "deny", "use git clean", "")
	asked, _ = w.Opened()
	if got := lastResult(model); got.Text != "use git clean" || !got.IsError {
		t.Errorf("the model received %+v", got)
	}
	v.worked("deny with a message")
	w.Decide(asked, "deny", "", "")
	asked, _ = w.Opened()
	v.worked("deny, the turn goes on")
	turns := lastTurn(model)
	w.Decide(asked, "stop", "", "")
	p.Wait()
	if got := lastTurn(model); got != turns {
		t.Errorf("the turn went on: %d, then %d", turns, got)
	}
	if exists(w, "denied") || exists(w, "denied2") || exists(w, "stopped") {
		t.Error("something ran that was denied")
	}
	v.worked("deny and stop")
	v.show(t, "permission prompt tool", "allow once", "allow a changed input", "deny with a message", "deny, the turn goes on", "deny and stop")
}

// lastTurn is how often the model has replied in the conversation.
func lastTurn(model *modeltest.Server) (turn int) {
	for _, r := range model.Requests() {
		if len(r.Tools) > 0 {
			turn = max(turn, r.Turn)
		}
	}
	return turn
}

// TestClaudeAskUserDefault: our MCP tool needs no permission of its own once the hooks
// are set up, in Claude Code's default mode; [TestCells_ClaudeSetup] is claude -p.
func TestClaudeAskUserDefault(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Say("all done")))
	env := claudeHome(w, model)
	setup(w)
	tm := claudeDefault(w, env, "default", claudeMCP(w, "mcp.json")...)
	asked := w.Asked()
	if asked.Ask.Approval != nil {
		t.Fatalf("asked for permission: %s", asked.Ask.Questions[0].Text)
	}
	w.Answer(asked, "SQLite")
	tm.Await("all done")
	if n := len(w.All()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

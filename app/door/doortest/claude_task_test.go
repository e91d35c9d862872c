package doortest

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// backgrounded is what Claude Code says to its model of a tool that became a
// task; the ids are its own and ours.
var backgrounded = regexp.MustCompile(`^MCP tool "sayso/ask_user" started server-side task (\S+)\. It was moved to the background as task \S+ and keeps running on the server`)

// TestClaudeTask is Claude Code in a terminal, which knows tasks: the question
// does not hold the conversation up. The hub is killed while the task waits; its
// answer begins a turn of its own.
func TestClaudeTask(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("mcp__sayso__ask_user", database), modeltest.Say("going on"), modeltest.Say("thank you")))
	tm := w.Terminal(claudeHome(w, model), Program(t, "claude"), append(claudeMCP(w, ""), "--allowedTools", "mcp__sayso__ask_user")...)
	tm.Await("shift+tab to cycle", "for shortcuts")
	tm.Prompt("ask me")
	asked := w.Asked()
	w.Received(model, 1)
	if got := model.Results()[0].Text; !backgrounded.MatchString(got) {
		t.Errorf("the model was told %q", got)
	}
	w.KillHub()
	w.Answer(asked, "SQLite")
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	const told = `<status>completed</status>\n<summary>MCP task `
	const answer = `(sayso/ask_user) completed.</summary>\n<result>\nWhich database?\nSQLite\n</result>\n</task-notification>`
	if _, err := model.Await(ctx, func(r *modeltest.Request) bool {
		_, rest, ok := strings.Cut(string(r.Body), told+asked.Handle+" ")
		return ok && strings.HasPrefix(rest, answer)
	}); err != nil {
		t.Errorf("the model was not told of the answer: %v", err)
	}
	tm.Await("thank you")
}

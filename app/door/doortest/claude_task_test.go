package doortest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// backgrounded is what Claude Code says to its model of a tool that became a
// task; the ids are its own and ours.
var backgrounded = regexp.MustCompile(`^MCP tool "sayso/ask_user" started server-side task (\S+)\. It was moved to the background as task \S+ and keeps running on the server`)

// told is how Claude Code tells its model of the end of a task.
const told = `<status>completed</status>\n<summary>MCP task `

var readiness = regexp.MustCompile(`ready\d+`)

// TestClaudeTask is Claude Code in a terminal, which knows tasks: the question
// does not hold the conversation up. The hub is killed while the task waits; its
// answer begins a turn of its own.
func TestClaudeTask(t *testing.T) {
	t.Parallel()
	w := New(t)
	const tool = "mcp__sayso__ask_user"
	model := modeltest.New(t, func(_ context.Context, r *modeltest.Request) modeltest.Reply {
		body := string(r.Body)
		switch {
		case len(r.Tools) == 0:
			return modeltest.Say("ok")
		case !strings.Contains(body, "ask me now"):
			prompts := readiness.FindAllString(body, -1)
			if slices.Contains(r.Tools, tool) {
				return modeltest.Say("yes, " + prompts[len(prompts)-1])
			}
			return modeltest.Say("not " + prompts[len(prompts)-1])
		case len(r.Results) == 0:
			return modeltest.Use(tool, database)
		case strings.Contains(body, told):
			return modeltest.Say("thank you")
		}
		return modeltest.Say("going on")
	})
	tm := w.Terminal(claudeHome(w, model), Program(t, "claude"), append(claudeMCP(w, "mcp.json"), "--allowedTools", tool)...)
	tm.Await("shift+tab to cycle", "for shortcuts")
	n := 0
	until(t, "our tools to be on offer", func() bool { // it can be prompted before their server has started
		n++
		tm.Prompt(fmt.Sprintf("ready%d ?", n))
		yes, no := fmt.Sprintf("yes, ready%d", n), fmt.Sprintf("not ready%d", n)
		tm.Await(yes, no)
		return strings.Contains(tm.Screen(), yes)
	})
	tm.Prompt("ask me now")
	asked := w.Asked()
	w.Received(model, 1)
	if got := model.Results()[0].Text; !backgrounded.MatchString(got) {
		t.Errorf("the model was told %q", got)
	}
	w.KillHub()
	w.Answer(asked, "SQLite")
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	const answer = `(sayso/ask_user) completed.</summary>\n<result>\nWhich database?\nSQLite\n</result>\n</task-notification>`
	if _, err := model.Await(ctx, func(r *modeltest.Request) bool {
		_, rest, ok := strings.Cut(string(r.Body), told+asked.Handle+" ")
		return ok && strings.HasPrefix(rest, answer)
	}); err != nil {
		t.Errorf("the model was not told of the answer: %v", err)
	}
	tm.Await("thank you")
}

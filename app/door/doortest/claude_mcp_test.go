package doortest

import (
	"slices"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// claudeMCP writes the settings of our MCP server, whose tools the model knows
// without looking for them.
func claudeMCP(w *World, name string) (flags []string) {
	w.t.Helper()
	return []string{"--strict-mcp-config", "--mcp-config", w.Write("mcp.json", mcpServers(w.t, name, object{"alwaysLoad": true}))}
}

// TestClaudeMCP is claude -p with our MCP tool; the hub is killed before the
// second answer.
func TestClaudeMCP(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	claudePrint(w, env, func() {
		w.Answer(w.Asked(), "SQLite")
		second := w.Asked()
		w.KillHub()
		w.Answer(second, "files")
	}, append(claudeMCP(w, "mcp.json"), "--allowedTools", "mcp__sayso__ask_user", "--", "ask me")...)
	model.WantResults(t, "Which database?\nSQLite", "Which database?\nfiles")
}

// TestClaudePermissionPrompt is claude -p without a hook: our MCP server answers
// its own tool. The hub is killed in between.
func TestClaudePermissionPrompt(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("AskUserQuestion", claudeAsks), modeltest.Say("done")))
	env := claudeHome(w, model)
	claudePrint(w, env, func() {
		asked := w.Asked()
		w.KillHub()
		w.Answer(asked, "SQLite")
	}, append(claudeMCP(w, "claude-permissions.json"), "--permission-prompt-tool", "mcp__sayso__permission_prompt", "ask me")...)
	model.WantResults(t, claudeTold)
}

// TestClaudeSubAgent: a sub-agent cannot use Claude Code's own tool, but ours. The
// person sees who asks.
func TestClaudeSubAgent(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Route(
		modeltest.Steps(
			modeltest.Use("Agent", map[string]any{"description": "sub", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}),
			modeltest.Say("done")),
		modeltest.RouteTo{Word: "SUBTASK", Script: modeltest.Steps(
			modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Say("sub done"))},
	))
	env := claudeHome(w, model)
	setup(w)
	claudePrint(w, env, func() {
		asked := w.Asked()
		if got := asked.Ask.Origin.Agents; len(got) != 1 || got[0] != "general-purpose" {
			t.Errorf("asked by %q", got)
		}
		w.Answer(asked, "SQLite")
	}, append(claudeMCP(w, "mcp.json"), "--", "ask me")...)
	// Claude Code's own words about the sub-agent come before.
	results := slices.DeleteFunc(model.Results(), func(r modeltest.Result) bool { return r.Tool != "mcp__sayso__ask_user" })
	if len(results) != 1 || results[0].Text != "Which database?\nSQLite" {
		t.Errorf("the model received %+v", results)
	}
}

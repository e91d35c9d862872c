package doortest

import (
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// TestCells_ClaudeSetup: what "sayso setup claude" does is enough for our tool in the
// default mode, and taken back completely.
func TestCells_ClaudeSetup(t *testing.T) {
	t.Parallel()
	cell(t, "claude", "c", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Use("mcp__sayso__ask_user", claudeAsks), modeltest.Say("done")))
		env := claudeHome(w, model)
		w.Setup("claude")
		claudePrint(w, env, func() { w.Answer(w.Asked(), "SQLite") }, "ask me")
		results := model.Results()
		if len(results) != 1 {
			t.Fatalf("the model received %+v", results)
		}
		received(t, "claude", "question-mcp", results[0].Text)
	})
	cell(t, "claude", "g", func(t *testing.T, w *World) {
		model := modeltest.New(t, modeltest.Steps(modeltest.Say("done"), modeltest.Say("done")))
		env := claudeHome(w, model)
		w.Write(".claude/settings.json", "{\"permissions\":  {\"allow\":[ \"Bash(ls:*)\" ]},\r\n\t\"env\": {\"TOKEN\":\"secret\"}}")
		w.Setup("claude")
		w.UndoSetup("claude")
		// Once more, while Claude Code writes its own settings in between.
		w.Setup("claude")
		claudePrint(w, env, nil, "hello")
		w.UndoSetup("claude")
	})
}

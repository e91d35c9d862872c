package doortest

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

// opencodeHome writes the settings of opencode: a provider that is our model,
// and sayso as a local MCP server.
func opencodeHome(w *World, model *modeltest.Server) []string {
	var ours object
	decode(w.t, []byte(settings(w.t, "opencode.json")), &ours)
	b, err := json.Marshal(object{
		"provider": object{"fake": object{
			"npm":     "@ai-sdk/openai-compatible",
			"name":    "Fake",
			"options": object{"baseURL": model.URL + "/v1", "apiKey": "dummy"},
			"models":  object{"fake": object{"name": "fake", "tool_call": true, "limit": object{"context": 100000, "output": 4096}}},
		}},
		"model": "fake/fake", "small_model": "fake/fake", "autoupdate": false, "share": "disabled",
		"mcp": ours["mcp"],
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Write(".config/opencode/opencode.json", string(b))
	return w.Env("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
}

// TestOpencodeRun is `opencode run`, which takes opencode's own question tool
// away, but not ours. The hub is killed before the second answer.
func TestOpencodeRun(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("*ask_user", database), modeltest.Use("*ask_user", licence), modeltest.Say("done")))
	p := w.Start(opencodeHome(w, model), Program(t, "opencode"), "run", "ask me")
	p.Stdin.Close()
	w.Answer(w.Asked(), "SQLite")
	second := w.Asked()
	w.KillHub()
	w.Answer(second, "neither; ask legal")
	if code := p.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	model.WantResults(t, "Which database?\nSQLite", "Which licence?\nneither; ask legal")
}

package doortest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// inspector starts the command line of the MCP inspector on `sayso mcp`.
func inspector(w *World, era string, args ...string) *Process {
	w.t.Helper()
	config := w.Write("inspector.json", mcpServers(w.t, "mcp.json", object{"type": "stdio"}))
	p := w.Start(w.Env("MCP_INSPECTOR_SECRET_STORE=memory"), Program(w.t, "node"), append([]string{Program(w.t, "inspector"),
		"--cli", "--config", config, "--server", "sayso", "--format", "json", "--protocol-era", era}, args...)...)
	p.Stdin.Close()
	return p
}

// TestInspector lists our tools under the inspector's strict rules, and calls
// one. A client of the older era is held; one of the newer, which knows tasks,
// polls its task while the hub is killed.
func TestInspector(t *testing.T) {
	t.Parallel()
	questions, err := json.Marshal(database["questions"])
	if err != nil {
		t.Fatal(err)
	}
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			w := New(t)
			p := inspector(w, era, "--method", "tools/list", "--strict")
			if code := p.Wait(); code != 0 {
				t.Errorf("tools/list --strict ended with %d", code)
			}
			p = inspector(w, era, "--method", "tools/call", "--tool-name", "ask_user", "--tool-arg", fmt.Sprintf("questions=%s", questions))
			asked := w.Asked()
			w.KillHub()
			w.Answer(asked, "SQLite")
			if code := p.Wait(); code != 0 {
				t.Errorf("tools/call ended with %d", code)
			}
			var out struct {
				Result struct {
					Content []struct{ Type, Text string }
				}
			}
			decode(t, []byte(p.Out()), &out)
			if c := out.Result.Content; len(c) != 1 || c[0].Text != "Which database?\nSQLite" {
				t.Errorf("the result is %s", p.Out())
			}
			mark, _ := asked.Ask.Metadata["mcp"].(object)
			if isTask := mark["rung"] == "task"; isTask != (era == "modern") {
				t.Errorf("task: %v", isTask)
			}
		})
	}
}

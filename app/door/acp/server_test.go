package acp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// A session gets the server, unless the editor has one of that name, and then no tool of
// that name is allowed.
func TestServer(t *testing.T) {
	t.Parallel()
	const permission = `{"sessionId":"s","toolCall":{"toolCallId":"c","rawInput":{"question":"x"},"_meta":{"claudeCode":{"toolName":"TOOL"}}},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`
	for _, tc := range []struct {
		name, servers, tool string
		server              *Server
		added, allowed      bool
	}{
		{"ours", `[]`, "mcp__sayso__ask_user", &Server{Command: "/bin/sayso", Args: []string{"mcp"}, Env: map[string]string{"A": "b"}}, true, true},
		{"beside others", `[{"name":"db"}]`, "mcp__sayso__check_answer", &Server{Command: "/bin/sayso"}, true, true},
		{"another tool", `[]`, "mcp__sayso__ask_user2", &Server{Command: "/bin/sayso"}, true, false},
		{"of another server", `[]`, "mcp__db__ask_user", &Server{Command: "/bin/sayso"}, true, false},
		{"theirs", `[{"name":"sayso"}]`, "mcp__sayso__ask_user", &Server{Command: "/bin/sayso"}, false, false},
		{"none", `[]`, "mcp__sayso__ask_user", nil, false, false},
		{"no list", `null`, "mcp__sayso__ask_user", &Server{Command: "/bin/sayso"}, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			p := &proxy{opts: Options{Server: tc.server}, agent: newSide(Stream{In: strings.NewReader(""), Out: closing{&said}}), host: "claude"}
			line := `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":` + tc.servers + `}}`
			m := &message{}
			if err := json.Unmarshal([]byte(line), m); err != nil {
				t.Fatal(err)
			}
			got := string(p.serve([]byte(line), m))
			if added := got != line; added != tc.added || tc.added && !strings.Contains(got, `"command":"/bin/sayso"`) {
				t.Errorf("the agent is told %s", got)
			}
			asks := &message{ID: raw("7"), Method: "session/request_permission", Params: raw(strings.ReplaceAll(permission, "TOOL", tc.tool))}
			q := p.readApproval(asks.Params)
			if q == nil {
				t.Fatal("no approval")
			}
			if allowed := p.allowOurs(asks, q); allowed != tc.allowed || allowed != strings.Contains(said.String(), `"optionId":"once"`) {
				t.Errorf("allowed: %v, and the agent is told %q", allowed, said.String())
			}
		})
	}
}

package mcp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso/app/door/mcp"
)

// TestNames: Gemini CLI with -p does not offer a tool named ask_user to its model, so
// there ours has another name. Both names can be called.
func TestNames(t *testing.T) {
	for client, want := range map[string]string{"gemini-cli-mcp-client": "ask_person", "qwen-cli-mcp-client-sayso": "ask_user"} {
		t.Run(client, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.connect(&mcp.Options{})
				a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + client + `","version":"1"}}}`)
				instructions := a.receive().line
				a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
				list := a.receive().line
				for _, text := range []string{instructions, list} {
					if !strings.Contains(text, want) || strings.Contains(text, "ask_user") != (want == "ask_user") {
						t.Errorf("the client is told %s", text)
					}
				}
				for i, name := range []string{"ask_person_async", "ask_user_async"} {
					a.send(`{"jsonrpc":"2.0","id":` + string(rune('2'+i)) + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{"questions":[{"question":"` + name + `?"}]}}}`)
					if got := a.receive().line; !strings.Contains(got, "The question was asked") {
						t.Errorf("%s: %s", name, got)
					}
				}
			})
		})
	}
}

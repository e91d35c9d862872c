package doortest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// wanted is one call that needs permission: what the inbox must show, and how one sees
// that it ran.
type wanted struct {
	name   string
	before []modeltest.Reply // that need no permission
	reply  modeltest.Reply   // of the model; nothing: the call is another's of the same turn
	tool   string
	kind   sayso.ApprovalKind
	shown  []string // in what the inbox shows
	dialog string   // in what Claude Code's own dialog shows
	agent  string   // the sub-agent that wants it
	ran    func() bool
}

// claudeCalls is a call of each kind. The tools write into the project.
func claudeCalls(w *World) []wanted {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}
	file := func(name, want string) func() bool {
		return func() bool { return w.InProject(name) == want }
	}
	bash := func(command string) modeltest.Call {
		return modeltest.Call{Tool: "Bash", Input: object{"command": command, "description": "a step"}}
	}
	if err := os.WriteFile(filepath.Join(w.Project, "a.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	// 13.5 KB whose end counts: what ran is hashed by the command itself.
	long := strings.Repeat("padding that nobody reads to its end, line by line\n", 264)
	command := "X='" + long + "END-OF-COMMAND'\nprintf %s \"$X\" | sha256sum > bash.txt"
	content := strings.Repeat("a line of a large file, which is shown whole\n", 4500) + "END-OF-FILE\n"
	var fetched atomic.Int32 // Claude Code makes https of http
	page := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			fetched.Add(1)
		}
		io.WriteString(out, "a page")
	}))
	w.t.Cleanup(page.Close)
	address := page.URL + "/page"
	calls := []wanted{
		{
			name: "Bash", reply: modeltest.Reply{Calls: []modeltest.Call{bash(command)}}, tool: "Bash", kind: sayso.ApproveShell,
			dialog: "sha256sum > bash.txt", shown: []string{long + "END-OF-COMMAND'\nprintf %s \"$X\" | sha256sum > bash.txt"}, ran: file("bash.txt", hash(long+"END-OF-COMMAND")+"  -\n"),
		},
		{
			name: "Edit", before: []modeltest.Reply{modeltest.Use("Read", object{"file_path": filepath.Join(w.Project, "a.txt")})},
			reply: modeltest.Use("Edit", object{"file_path": filepath.Join(w.Project, "a.txt"), "old_string": "two", "new_string": "TWO"}),
			tool:  "Edit", kind: sayso.ApproveEdit, dialog: "this edit to a.txt", shown: []string{"-two", "+TWO", " three"}, ran: file("a.txt", "one\nTWO\nthree\n"),
		},
		{
			name: "Write", reply: modeltest.Use("Write", object{"file_path": filepath.Join(w.Project, "big.txt"), "content": content}),
			tool: "Write", kind: sayso.ApproveEdit, dialog: "create big.txt", shown: []string{strings.ReplaceAll("\n"+strings.TrimSuffix(content, "\n"), "\n", "\n+")},
			ran: func() bool { return hash(w.InProject("big.txt")) == hash(content) },
		},
		{
			name: "WebFetch", reply: modeltest.Use("WebFetch", object{"url": address, "prompt": "summarise"}),
			tool: "WebFetch", kind: sayso.ApproveFetch, dialog: "fetch this content", shown: []string{address, "summarise"}, ran: func() bool { return fetched.Load() > 0 },
		},
		{
			name: "MCP", reply: modeltest.Use("mcp__db__drop_table", object{"table": "users"}), tool: "mcp__db__drop_table", kind: sayso.ApproveMCP,
			dialog: "Drop Table Tool", shown: []string{"users"}, ran: file("dropped.txt", "users\n"),
		},
	}
	calls = append(calls, wanted{
		name: "a command that fails", reply: modeltest.Reply{Calls: []modeltest.Call{bash("echo x > failed.txt; exit 3")}}, tool: "Bash", kind: sayso.ApproveShell,
		dialog: "exit 3", shown: []string{"exit 3"}, ran: file("failed.txt", "x\n"),
	})
	three := modeltest.Reply{Calls: []modeltest.Call{bash("echo 1 >> three.txt"), bash("echo 2 >> three.txt"), bash("echo 3 >> three.txt")}}
	for i := range 3 {
		command := fmt.Sprintf("echo %d >> three.txt", i+1)
		c := wanted{name: fmt.Sprintf("%d of 3 in a turn", i+1), tool: "Bash", kind: sayso.ApproveShell, dialog: command, shown: []string{command}}
		if i == 0 {
			c.reply = three
		}
		c.ran = func() bool { return strings.Contains(w.InProject("three.txt"), fmt.Sprintf("%d\n", i+1)) }
		calls = append(calls, c)
	}
	// Claude Code goes on while a sub-agent works, so it comes last.
	return append(calls, wanted{
		name: "sub-agent", reply: modeltest.Use("Agent", object{"description": "sub", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}),
		tool: "Bash", kind: sayso.ApproveShell, dialog: "touch fromsub", shown: []string{"touch fromsub"}, agent: "general-purpose",
		ran: func() bool { return exists(w, "fromsub") },
	})
}

func exists(w *World, name string) bool {
	_, err := os.Stat(filepath.Join(w.Project, name))
	return err == nil
}

// claudeScript is a model that makes the calls one after the other.
func claudeScript(calls []wanted) modeltest.Script {
	var steps []modeltest.Reply
	for _, c := range calls {
		steps = append(steps, c.before...)
		if c.reply.Calls != nil {
			steps = append(steps, c.reply)
		}
	}
	return modeltest.Route(
		modeltest.Steps(append(steps, modeltest.Say("all done"))...),
		modeltest.RouteTo{Word: "SUBTASK", Script: modeltest.Steps(
			modeltest.Use("Bash", object{"command": "touch fromsub", "description": "sub touch"}), modeltest.Say("sub done"))})
}

// dbServer is a small MCP server.
const dbServer = `import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tool = { name: "drop_table", description: "Drops a table", inputSchema: { type: "object", properties: { table: { type: "string" } } } };
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	let result = {};
	if (method === "initialize") result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "db", version: "1" } };
	if (method === "tools/list") result = { tools: [tool] };
	if (method === "tools/call") { appendFileSync(process.argv[2], params.arguments.table + "\n"); result = { content: [{ type: "text", text: "dropped" }] }; }
	console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`

// withDB gives Claude Code the server. Web pages are fetched without asking its makers
// whether they are harmless, as the box has no way out.
func withDB(w *World) []string {
	w.t.Helper()
	server := w.Write("db.mjs", dbServer)
	config := fmt.Sprintf(`{"mcpServers":{"db":{"command":"node","args":[%q,%q]}}}`, server, filepath.Join(w.Project, "dropped.txt"))
	w.Write(".claude/settings.json", `{"skipWebFetchPreflight":true}`)
	return []string{"--mcp-config", w.Write("db.json", config)}
}

// claudeDefault starts Claude Code in its default mode: without the flag it may start
// in one that decides by itself.
func claudeDefault(w *World, env []string, mode string, args ...string) *tmuxtest.Terminal {
	w.t.Helper()
	tm := w.Terminal(env, Program(w.t, "claude"), append([]string{"--permission-mode", mode}, args...)...)
	tm.Await("shift+tab to cycle", "for shortcuts")
	tm.Prompt("go")
	return tm
}

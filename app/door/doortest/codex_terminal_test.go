package doortest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// TestCodexExecOwn: in "codex exec", where Codex answers its own questions with nothing,
// the hook waits for the inbox, also while the hub is killed.
func TestCodexExecOwn(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("request_user_input", codexAsks), modeltest.Say("done")))
	env := codexPerson(w, model)
	w.Setup("codex")
	p := w.Start(env, filepath.Join(w.bin(), "codex"), "exec", "--skip-git-repo-check", "ask me")
	p.Stdin.Close()
	asked := w.Asked()
	w.KillHub()
	w.Answer(asked, "SQLite")
	if code := p.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	model.WantResults(t, `Tool call blocked by PreToolUse hook: The user has answered: {"answers":{"db":{"answers":["SQLite"]}}}. Tool: request_user_input`)
}

// TestCodexDecides is every kind of request that Codex makes in a terminal, decided in
// the inbox: a change of files, which Codex tells beforehand, a tool of an MCP server,
// and a command for ever, whose rule is stored as it was shown.
func TestCodexDecides(t *testing.T) {
	t.Parallel()
	w := New(t)
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n*** Add File: b.txt\n+new\n*** End Patch"
	model := modeltest.New(t, modeltest.Steps(
		modeltest.Use("*exec_command", object{"cmd": "apply_patch <<'EOF'\n" + patch + "\nEOF\n"}),
		modeltest.Use("*drop_table", object{"table": "users"}),
		codexRuns("touch always"), codexRuns("touch always"), codexRuns("touch stop"), modeltest.Say("all done")))
	server, err := filepath.Abs("testdata/mcp/db.js")
	if err != nil {
		t.Fatal(err)
	}
	args, _ := json.Marshal([]string{server, w.Project})
	env := codexPerson(w, model, `sandbox_mode = "read-only"`)
	w.append(".codex/config.toml", "\n[mcp_servers.db]\ncommand = \""+Program(t, "node")+"\"\nargs = "+string(args)+"\nrequired = true\nstartup_timeout_sec = 120\n")
	if err := os.WriteFile(filepath.Join(w.Project, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Setup("codex")
	tm := codexTerminal(w, env)
	tm.Prompt("do it")

	edit, whole := w.Opened()
	var shown []string
	for _, p := range whole.Approval.Shown {
		shown = append(shown, strings.TrimPrefix(p.Name, w.Project+"/")+"\n"+p.Text)
	}
	if want := []string{"a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", "b.txt\n@@ -0,0 +1 @@\n+new\n"}; !slices.Equal(shown, want) {
		t.Errorf("it shows %q, want %q", shown, want)
	}
	w.Decide(edit, "once", "", "")

	tool, _ := w.Opened()
	if a := tool.Ask.Approval; a.Tool != "mcp__db__drop_table" || a.Input.Text != `{"table":"users"}` {
		t.Errorf("it is %s with %s", a.Tool, a.Input.Text)
	}
	w.Decide(tool, "session", "", "")

	command, _ := w.Opened()
	at := slices.IndexFunc(command.Ask.Approval.Offers, func(o sayso.Offer) bool { return o.Rule != "" })
	if at < 0 {
		t.Fatalf("no rule is offered: %q", Offers(command))
	}
	rule := command.Ask.Approval.Offers[at]
	w.Decide(command, rule.ID, "", "")

	stop, _ := w.Opened() // not the same command again: the rule allows it
	if got := stop.Ask.Approval.Shown[0].Text; !strings.Contains(got, "touch stop") {
		t.Errorf("it asks for %q", got)
	}
	stored, err := os.ReadFile(filepath.Join(w.Home, ".codex/rules/default.rules"))
	if err != nil || strings.TrimSpace(string(stored)) != rule.Rule {
		t.Errorf("Codex stored %q, %v; shown was %q in %q", stored, err, rule.Rule, rule.Where)
	}
	w.Decide(stop, "cancel", "", "")
	tm.Await("interrupted")
	if w.InProject("a.txt") != "one\nTWO\n" || w.InProject("b.txt") != "new\n" || !w.exists("always") || w.exists("stop") {
		t.Errorf("a.txt %q, b.txt %q, always %t, stop %t", w.InProject("a.txt"), w.InProject("b.txt"), w.exists("always"), w.exists("stop"))
	}
}

// TestCodexProtocol: Codex still publishes what package door/codex reads and writes.
func TestCodexProtocol(t *testing.T) {
	t.Parallel()
	w := New(t)
	dir := filepath.Join(w.Home, "schema")
	w.Run(w.Env(), Program(t, "codex"), "app-server", "generate-json-schema", "--experimental", "--out", dir)
	for file, members := range map[string][]string{
		"ToolRequestUserInputParams":            {"threadId", "turnId", "itemId", "questions", "isSecret", "isBlocking"},
		"ToolRequestUserInputResponse":          {"answers"},
		"CommandExecutionRequestApprovalParams": {"command", "cwd", "reason", "kind", "approvalId", "additionalPermissions", "networkApprovalContext", "availableDecisions", "execpolicy_amendment"},
		"FileChangeRequestApprovalParams":       {"itemId", "grantRoot", "reason"},
		"PermissionsRequestApprovalParams":      {"permissions", "cwd"},
		"PermissionsRequestApprovalResponse":    {"permissions", "scope"},
		"McpServerElicitationRequestParams":     {"serverName", "_meta", "message", "mode"},
		"v2/ThreadResumeParams":                 {"excludeTurns", "initialTurnsPage", "itemsView"},
		"v2/ThreadResumeResponse":               {"initialTurnsPage", "sessionId", "parentThreadId", "agentNickname", "path", "move_path", "diff"},
		"v2/ThreadStatusChangedNotification":    {"activeFlags"},
		"ServerNotification":                    {"thread/status/changed", "item/started", "item/completed", "item/fileChange/patchUpdated", "turn/completed", "serverRequest/resolved", "thread/closed"},
		"ClientRequest":                         {"initialize", "thread/loaded/list", "thread/read", "thread/resume", "thread/unsubscribe", "turn/interrupt"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, file+".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range members {
			if !strings.Contains(string(b), `"`+name+`"`) {
				t.Errorf("%s has no %s", file, name)
			}
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "CommandExecutionRequestApprovalResponse.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, decision := range []string{"accept", "acceptForSession", "acceptWithExecpolicyAmendment", "decline", "cancel"} {
		if !strings.Contains(string(b), `"`+decision+`"`) {
			t.Errorf("a command cannot be decided with %s", decision)
		}
	}
}

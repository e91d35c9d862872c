package doortest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/saysohq/sayso/app/modeltest"
)

// acpAgent is an agent that an editor starts through `sayso acp`, set up so that it
// asks for permission.
type acpAgent struct {
	name string
	// starts is the mode in which it starts, and mode the one in which it asks.
	starts, mode string
	tool         string // as the inbox names the tool that runs commands

	// home writes what the program needs below the home, and returns its command and
	// environment.
	home func(w *World, model *modeltest.Server) (command, env []string)
	// run has the model run a command, and edit replace a line of a file.
	run  func(command string) modeltest.Reply
	edit func(file, old, new string) []modeltest.Reply
	// finds is what the model does before it can call a tool of an MCP server.
	finds []modeltest.Reply

	mcp                string           // the tool of the MCP server, as the model calls it
	edits              string           // the option that allows all edits of the session
	whole              bool             // it shows edits of the whole file, and no fragment
	plan               modeltest.Script // what the model does in the mode "plan"; nil: it has no plans
	approve            string           // the option that approves a plan, and returns to mode
	once, always, deny string           // the names of its options; %s is what always holds for
	rule               string           // what always holds for, of "git init three"
	stored             string           // where the rule is, if it is stored, below the home or the project
	stops              bool             // the turn ends when it is denied, and the model is not told
	stopReason         string           // with this; default: end_turn
}

// acpAgents are the agents of the tests, by their columns in the table of the pages.
var acpAgents = []acpAgent{
	{
		name: "claude-agent-acp", starts: "default", mode: "default", tool: "Bash",
		home: func(w *World, model *modeltest.Server) ([]string, []string) {
			return []string{Program(w.t, "node"), Program(w.t, "claude-agent-acp")},
				[]string{"ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
		},
		run: func(command string) modeltest.Reply {
			return modeltest.Use("Bash", object{"command": command, "description": "for the test"})
		},
		edit: func(file, old, new string) []modeltest.Reply {
			return []modeltest.Reply{modeltest.Use("Read", object{"file_path": file}),
				modeltest.Use("Edit", object{"file_path": file, "old_string": old, "new_string": new})}
		},
		mcp:  "mcp__db__drop_table",
		plan: claudePlan, approve: "Yes, manually approve edits",
		edits: "Yes, allow all edits during this session",
		once:  "Yes", always: "Yes, and don't ask again for %s commands", deny: "No",
		rule:   "git init *",
		stored: ".claude/settings.local.json",
	},
	{
		name: "codex-acp", starts: "agent", mode: "read-only", tool: "execute",
		home: func(w *World, model *modeltest.Server) ([]string, []string) {
			w.Write(".codex/config.toml", codexProvider(model))
			return []string{Program(w.t, "node"), Program(w.t, "codex-acp")}, []string{"FAKE_KEY=dummy", "CODEX_PATH=" + Program(w.t, "codex")}
		},
		run: func(command string) modeltest.Reply {
			return modeltest.Use("*exec_command", object{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "for the test"})
		},
		edit: func(file, old, new string) []modeltest.Reply {
			patch := "*** Begin Patch\n*** Update File: " + file + "\n@@\n-" + old + "\n+" + new + "\n*** End Patch"
			return []modeltest.Reply{modeltest.Use("*exec_command", object{"cmd": "apply_patch <<'EOF'\n" + patch + "\nEOF\n"})}
		},
		mcp:   "*drop_table",
		edits: "Yes, and don't ask again for these files", whole: true,
		once: "Yes, proceed", always: "Yes, and don't ask again for commands that start with `%s`", deny: "No, and tell Codex what to do differently",
		rule:   "git init three",
		stored: "~/.codex/rules/default.rules",
		stops:  true, stopReason: "cancelled",
	},
	{
		name: "gemini", starts: "default", mode: "default", tool: "run_shell_command",
		home: func(w *World, model *modeltest.Server) ([]string, []string) {
			w.Write(".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},`+quietSettings+`}`)
			return []string{Program(w.t, "node"), Program(w.t, "gemini"), "--acp", "-m", "gemini-2.5-flash"},
				[]string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + model.URL, "GEMINI_CLI_NO_RELAUNCH=true"}
		},
		run: func(command string) modeltest.Reply {
			return modeltest.Use("run_shell_command", object{"command": command, "description": "for the test"})
		},
		edit: func(file, old, new string) []modeltest.Reply {
			return []modeltest.Reply{modeltest.Use("replace", object{"file_path": file, "old_string": old, "new_string": new, "instruction": "for the test"})}
		},
		mcp:   "*drop_table",
		edits: "Allow for this session", whole: true,
		once: "Allow", always: "Allow for this session", deny: "Reject",
	},
	{
		name: "qwen", starts: "auto", mode: "default", tool: "run_shell_command",
		home: func(w *World, model *modeltest.Server) ([]string, []string) {
			w.Write(".qwen/settings.json", `{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":false}},"model":{"name":"fake"},`+quietSettings+`}`)
			return []string{Program(w.t, "node"), Program(w.t, "qwen"), "--acp"},
				[]string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + model.URL + "/v1", "OPENAI_MODEL=fake", "QWEN_CODE_NO_RELAUNCH=true"}
		},
		run: func(command string) modeltest.Reply {
			return modeltest.Use("run_shell_command", object{"command": command, "description": "for the test", "is_background": false})
		},
		edit: func(file, old, new string) []modeltest.Reply {
			return []modeltest.Reply{modeltest.Use("read_file", object{"file_path": file}),
				modeltest.Use("edit", object{"file_path": file, "old_string": old, "new_string": new})}
		},
		mcp:  "mcp__db__drop_table",
		plan: qwenPlan, approve: "Yes, and manually approve edits",
		finds: []modeltest.Reply{modeltest.Use("tool_search", object{"query": "select:mcp__db__drop_table"})},
		edits: "Allow All Edits", whole: true,
		once: "Allow", always: "Always Allow in project: %s", deny: "Reject",
		rule:   "git init *",
		stored: ".qwen/settings.json",
		stops:  true, stopReason: "end_turn",
	},
}

const thePlan = "# the plan\n1. touch it\n"

var planFile = regexp.MustCompile(`/[^" ]*/plans/[a-z-]+\.md`)

// claudePlan writes the plan to the file that Claude Code names, and asks for
// approval twice.
func claudePlan(ctx context.Context, r *modeltest.Request) modeltest.Reply {
	ask := modeltest.Use("ExitPlanMode", object{"plan": thePlan})
	write := modeltest.Use("Write", object{"file_path": planFile.FindString(string(r.Body)), "content": thePlan})
	return modeltest.Steps(write, ask, ask, modeltest.Say("done"))(ctx, r)
}

// qwenPlan asks for approval twice.
func qwenPlan(ctx context.Context, r *modeltest.Request) modeltest.Reply {
	ask := modeltest.Use("exit_plan_mode", object{"plan": thePlan})
	return modeltest.Steps(ask, ask, modeltest.Say("done"))(ctx, r)
}

// quietSettings keep Gemini and Qwen from reaching for what the box does not have.
const quietSettings = `"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}`

// codexProvider is the part of Codex's settings that makes our model its own.
func codexProvider(model *modeltest.Server) string {
	return fmt.Sprintf(`
model = "fake"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
`, model.URL)
}

// editor is an editor with its agent behind `sayso acp`.
type acpEditor struct {
	*Peer
	w       *World
	session string
	asked   int // how many requests for permission there were
}

// open starts the agent as an editor would, in a session that asks.
func (a *acpAgent) open(w *World, model *modeltest.Server, flags ...string) *acpEditor {
	w.t.Helper()
	command, env := a.home(w, model)
	args := slices.Concat([]string{"acp"}, flags, []string{"--"}, command)
	e := &acpEditor{w: w, Peer: w.Start(w.Env(env...), w.Sayso, args...).Peer("2.0")}
	e.Call("initialize", object{"protocolVersion": 1, "clientCapabilities": object{}, "clientInfo": object{"name": "doortest", "version": "0"}})()
	var session struct {
		SessionID string
		Modes     struct{ CurrentModeID string }
	}
	server, err := filepath.Abs("testdata/mcp/db.js")
	if err != nil {
		w.t.Fatal(err)
	}
	db := object{"name": "db", "command": Program(w.t, "node"), "args": []string{server, w.Project}, "env": []any{}}
	decode(w.t, e.Call("session/new", object{"cwd": w.Project, "mcpServers": []any{db}})(), &session)
	e.session = session.SessionID
	if got := session.Modes.CurrentModeID; got != a.starts {
		w.t.Errorf("%s starts in the mode %q, not in %q", a.name, got, a.starts)
	}
	if a.mode != a.starts {
		e.setMode(a.mode)
	}
	return e
}

// setMode sets the permission mode.
func (e *acpEditor) setMode(mode string) {
	e.t.Helper()
	e.Call("session/set_mode", object{"sessionId": e.session, "modeId": mode})()
}

// prompt has the agent begin, and returns what waits for the end and says why it
// stopped.
func (e *acpEditor) prompt(text string) (stopped func() string) {
	done := e.Call("session/prompt", object{"sessionId": e.session, "prompt": []any{object{"type": "text", "text": text}}})
	return func() string {
		e.t.Helper()
		var r struct{ StopReason string }
		decode(e.t, done(), &r)
		return r.StopReason
	}
}

// card waits for the next request for permission in the editor.
func (e *acpEditor) card() (Message, map[string]string) {
	e.t.Helper()
	e.asked++
	m := e.Await("session/request_permission", e.asked)
	var p struct {
		Options []struct{ OptionID, Name string }
	}
	decode(e.t, m.Params, &p)
	byName := map[string]string{}
	for _, o := range p.Options {
		byName[o.Name] = o.OptionID
	}
	return m, byName
}

// choose chooses an option in the editor.
func (e *acpEditor) choose(m Message, options map[string]string, name string) {
	e.t.Helper()
	if options[name] == "" {
		e.t.Fatalf("the editor is not offered %q, but %q", name, options)
	}
	e.Reply(m, object{"outcome": object{"outcome": "selected", "optionId": options[name]}})
}

// exists reports whether a command made the file of this name in the project.
func (w *World) exists(name string) bool {
	_, err := os.Stat(filepath.Join(w.Project, name))
	return err == nil
}

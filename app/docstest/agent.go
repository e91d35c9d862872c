package docstest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fakeAgent has an agent ask, and waits until the question is open: "claude" by
// its hooks, with somebody at its terminal, "claude -p" without, "mcp" by the tool
// ask_user. Behind it may stand another question and its options, separated by "|".
func (w *world) fakeAgent(spec string) error {
	var ask func(question string, options []string) error
	decided := false // without a question to anybody
	for _, a := range []struct {
		name string
		ask  func(question string, options []string) error
	}{
		{"claude permission", func(command string, _ []string) error { return w.fakePermission(command) }},
		{"claude decided", func(command string, _ []string) error { decided = true; return w.fakePermission(command) }},
		{"claude -p", func(q string, o []string) error { return w.fakeClaude(q, o, true) }},
		{"claude", func(q string, o []string) error { return w.fakeClaude(q, o, false) }},
		{"mcp", w.fakeMCP},
	} {
		if rest, ok := strings.CutPrefix(spec, a.name); ok && ask == nil {
			ask, spec = a.ask, strings.TrimSpace(rest)
		}
	}
	if ask == nil {
		return fmt.Errorf("the agents are claude, claude -p, claude permission, claude decided and mcp")
	}
	parts := strings.Split(cmp.Or(spec, "Which database?|PostgreSQL|SQLite"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	seen, err := w.open()
	if err == nil {
		err = ask(parts[0], parts[1:])
	}
	switch {
	case err != nil:
	case decided:
		p := w.agents[len(w.agents)-1]
		err = until(context.Background(), "the agent to go on", func() (bool, error) {
			select {
			case <-p.done:
				return true, nil
			default:
				return false, nil
			}
		})
	default:
		_, err = w.newQuestion(context.Background(), seen)
	}
	return err
}

// fakeClaude asks as Claude Code does. With somebody at its terminal it shows its
// dialog, and runs a second hook beside it.
func (w *world) fakeClaude(question string, options []string, headless bool) error {
	type option struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}
	var all []option
	for _, o := range options {
		all = append(all, option{Label: o})
	}
	n := len(w.agents) + 1
	event := map[string]any{
		"session_id": fmt.Sprintf("session-%d", n), "prompt_id": "prompt-1", "tool_name": "AskUserQuestion",
		"tool_use_id": fmt.Sprintf("toolu_%d", n), "tool_input": map[string]any{"questions": []any{
			map[string]any{"question": question, "header": "DB", "multiSelect": false, "options": all}}},
	}
	if headless {
		return w.hook(event, "PreToolUse", "sdk-cli", true)
	}
	if err := w.hook(event, "PreToolUse", "cli", false); err != nil {
		return err
	}
	return w.hook(event, "PermissionRequest", "cli", true)
}

// fakePermission wants to run a command, as Claude Code does while it shows its dialog.
func (w *world) fakePermission(command string) error {
	n := len(w.agents) + 1
	event := map[string]any{
		"session_id": fmt.Sprintf("session-%d", n), "prompt_id": "prompt-1", "permission_mode": "default", "tool_name": "Bash",
		"tool_input": map[string]any{"command": command, "description": "Build the site"},
		"permission_suggestions": []any{map[string]any{
			"type": "addRules", "behavior": "allow", "destination": "localSettings",
			"rules": []any{map[string]any{"toolName": "Bash", "ruleContent": command}},
		}},
	}
	return w.hook(event, "PermissionRequest", "cli", true)
}

// fakeMCP calls ask_user as a client of sayso mcp.
func (w *world) fakeMCP(question string, options []string) error {
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{
		"name": "ask_user", "arguments": map[string]any{"questions": []any{map[string]any{"question": question, "options": options}}}}})
	if err != nil {
		return err
	}
	p, err := w.start(call{command: "exec sayso mcp", unseen: true, stays: true, stdin: `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.166.0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(request) + "\n"})
	if err == nil {
		w.agents = append(w.agents, p)
	}
	return err
}

// hook runs sayso as Claude Code's hook of an event; one that waits goes on.
func (w *world) hook(event map[string]any, name, entrypoint string, waits bool) error {
	event["hook_event_name"], event["cwd"] = name, "CWD"
	data, err := json.Marshal(event)
	if err != nil {
		return err
	}
	file := filepath.Join(w.dir, fmt.Sprintf("%s-%d.json", name, len(w.agents)))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	command := fmt.Sprintf(`sed "s|CWD|$PWD|" %q | CLAUDE_CODE_ENTRYPOINT=%s sayso hook claude`, file, entrypoint)
	if !waits {
		out, code, err := w.run(call{command: command, unseen: true})
		if err == nil && code != 0 {
			err = fmt.Errorf("sayso hook claude exits %d: %s", code, out)
		}
		return err
	}
	p, err := w.start(call{command: command, unseen: true})
	if err == nil {
		w.agents = append(w.agents, p)
	}
	return err
}

// agentReads waits until the last agent's hook has told it the text.
func (w *world) agentReads(text string) error {
	if len(w.agents) == 0 {
		return fmt.Errorf("agent-reads: there is no fake-agent on this page")
	}
	p := w.agents[len(w.agents)-1]
	err := until(context.Background(), "the agent to read it", func() (bool, error) {
		out := w.printed(p)
		select {
		case <-p.done:
			if out = w.printed(p); !strings.Contains(out, text) {
				return true, fmt.Errorf("it reads %s", out)
			}
		default:
		}
		return strings.Contains(out, text), nil
	})
	if err != nil {
		err = fmt.Errorf("expected the agent to read %q\n%w", text, err)
	}
	return err
}

package docstest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fakeAgent has an agent ask, as its hooks do, and waits until the question is
// open: "claude" with somebody at its terminal, "claude -p" without. Behind it may
// stand another question and its options, separated by "|".
func (w *world) fakeAgent(spec string) error {
	spec, ok := strings.CutPrefix(spec, "claude")
	if !ok {
		return fmt.Errorf("the agents are claude and claude -p")
	}
	spec, headless := strings.CutPrefix(strings.TrimSpace(spec), "-p")
	parts := strings.Split("Which database?|PostgreSQL|SQLite", "|")
	if spec = strings.TrimSpace(spec); spec != "" {
		parts = strings.Split(spec, "|")
	}
	type option struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}
	question := map[string]any{"question": strings.TrimSpace(parts[0]), "header": "DB", "multiSelect": false}
	var options []option
	for _, o := range parts[1:] {
		options = append(options, option{Label: strings.TrimSpace(o)})
	}
	question["options"] = options
	n := len(w.agents) + 1
	event := map[string]any{
		"session_id": fmt.Sprintf("session-%d", n), "prompt_id": "prompt-1", "tool_name": "AskUserQuestion",
		"tool_use_id": fmt.Sprintf("toolu_%d", n), "tool_input": map[string]any{"questions": []any{question}},
	}
	seen, err := w.open()
	if err != nil {
		return err
	}
	if !headless { // Claude Code shows its dialog and runs the second hook beside it
		if err := w.hook(event, "PreToolUse", "cli", false); err != nil {
			return err
		}
		err = w.hook(event, "PermissionRequest", "cli", true)
	} else {
		err = w.hook(event, "PreToolUse", "sdk-cli", true)
	}
	if err != nil {
		return err
	}
	_, err = w.newQuestion(context.Background(), seen)
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
		out, code, err := w.run(command, "", true)
		if err == nil && code != 0 {
			err = fmt.Errorf("sayso hook claude exits %d: %s", code, out)
		}
		return err
	}
	p, err := w.start(command, "", true)
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
	if code, err := p.wait(); err != nil || code != 0 {
		return fmt.Errorf("the agent's hook exits %d: %v\n%s", code, err, w.printed(p))
	}
	if out := w.printed(p); !strings.Contains(out, text) {
		return fmt.Errorf("expected the agent to read %q\n     it reads %s", text, out)
	}
	return nil
}

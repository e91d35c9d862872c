package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/codex"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

const questions = `{"questions":[{"id":"db","header":"DB","question":"Which database?","options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`

// event returns an event of a session that was started in some way.
func event(t *testing.T, name, mode, source, tool string) hook.Event {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(file, []byte(`{"type":"session_meta","payload":{"source":`+source+"}}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := codex.Agent().Parse([]byte(`{"hook_event_name":"` + name + `","session_id":"se1","cwd":"/p","permission_mode":"` + mode +
		`","transcript_path":"` + file + `","tool_name":"` + tool + `","tool_use_id":"call_1","tool_input":` + questions + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestMeaning: a question waits in the hook only where nobody sits at a terminal.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event, mode, source, tool string
		want                      hook.Meaning
	}{
		"exec":              {"PreToolUse", "bypassPermissions", `"exec"`, "request_user_input", hook.Asking},
		"a terminal":        {"PreToolUse", "default", `"cli"`, "request_user_input", hook.Nothing},
		"it never asks":     {"PreToolUse", "bypassPermissions", `"cli"`, "request_user_input", hook.Nothing},
		"exec, gone on":     {"PreToolUse", "default", `"exec"`, "request_user_input", hook.Nothing},
		"a sub-agent":       {"PreToolUse", "bypassPermissions", `{"subagent":"review"}`, "request_user_input", hook.Nothing},
		"another tool":      {"PreToolUse", "bypassPermissions", `"exec"`, "Bash", hook.Nothing},
		"a prompt":          {"UserPromptSubmit", "default", `"cli"`, "", hook.Prompted},
		"one of other kind": {"PostToolUse", "bypassPermissions", `"exec"`, "request_user_input", hook.Nothing},
	} {
		e := event(t, c.event, c.mode, c.source, c.tool)
		if about := e.About(); about.Meaning != c.want || about.Session != "se1" {
			t.Errorf("%s: %+v", name, about)
		}
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	a, refusal := (&sayso.Tool{Dialect: dialect.Codex}).Prepare(sayso.Call{Arguments: []byte(questions)})
	if refusal != nil {
		t.Fatal(refusal.Text)
	}
	answered := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "db", Selected: []string{"o2"}}}}
	for name, c := range map[string]struct {
		told hook.Told
		want string
	}{
		"nothing":  {hook.Told{}, ""},
		"answered": {hook.Told{Ask: a, Outcome: answered}, `"permissionDecision":"deny","permissionDecisionReason":"The user has answered: {\"answers\":{\"db\":{\"answers\":[\"SQLite\"]}}}"`},
		"declined": {hook.Told{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusDeclined}}, `declined`},
		"pending":  {hook.Told{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusPending}}, `"permissionDecision":"deny"`},
		"late":     {hook.Told{Late: []*hub.Ticket{{Ask: a, Outcome: answered}}}, `"additionalContext":"The user has responded`},
	} {
		got, err := event(t, "PreToolUse", "bypassPermissions", `"exec"`, "request_user_input").Reply(c.told)
		if err != nil || (got == nil) != (c.want == "") || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if name != "answered" && strings.Contains(string(got), "has answered") {
			t.Errorf("%s is worded as answered: %s", name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_input":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := codex.Agent().Parse(data); err == nil && e.About().Session == "" {
			t.Error("an event without a session")
		}
	})
}

package claude_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
)

func TestParseEvent(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing":      ``,
		"no object":    `[]`,
		"no name":      `{"session_id":"s"}`,
		"no session":   `{"hook_event_name":"PreToolUse"}`,
		"twice":        `{"hook_event_name":"Stop","hook_event_name":"PreToolUse","session_id":"s"}`,
		"wrong kind":   `{"hook_event_name":7,"session_id":"s"}`,
		"long session": `{"hook_event_name":"PreToolUse","session_id":"` + strings.Repeat("s", 129) + `"}`,
		"long call":    `{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"` + strings.Repeat("s", 129) + `"}`,
		"large":        `{"hook_event_name":"PreToolUse","session_id":"s","x":"` + strings.Repeat("x", hook.MaxEvent) + `"}`,
		"more":         `{"hook_event_name":"PreToolUse","session_id":"s"} {}`,
	} {
		if e, err := claude.Agent().Parse([]byte(data)); err == nil {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// FuzzEvent holds the door to a reply that Claude Code understands, whatever it is
// sent: no hub is there, so it says nothing.
func FuzzEvent(f *testing.F) {
	for _, e := range []map[string]any{
		pre(database), request(form), post(form, `{"answers":{"Which features?":["Auth","Export"]}}`), prompt("go on"),
		event("Stop", nil), event(claude.PreToolUse, map[string]any{"tool_name": "AskUserQuestion", "tool_input": `{"questions":"[]"}`}),
	} {
		data, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := claude.Agent().Parse(data)
		if err != nil {
			return
		}
		w := &world{t: t, away: true}
		for _, o := range []*hook.Options{{}, {Unattended: true}} {
			reply, err := hook.New(claude.Agent(), w.hasty(), o).Take(t.Context(), e)
			var r struct {
				Output *struct{ PermissionDecision string } `json:"hookSpecificOutput"`
			}
			if json.Unmarshal(reply, &r) != nil || strings.Count(string(reply), "\n") != 1 {
				t.Fatalf("%s (%v)", reply, err)
			}
			if r.Output != nil && r.Output.PermissionDecision != "deny" && e.About().Meaning != hook.Alone {
				t.Fatalf("a decision without a hub: %s", reply)
			}
		}
	})
}

package hook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/door/hook"
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
		if e, err := hook.ParseEvent([]byte(data)); err == nil {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// FuzzEvent holds the door to a reply that Claude Code understands, whatever it is
// sent: no hub is there, so it says nothing.
func FuzzEvent(f *testing.F) {
	for _, e := range []map[string]any{
		pre(database), request(form), post(form, `{"answers":{"Which features?":["Auth","Export"]}}`), prompt("go on"),
		event("Stop", nil), event(hook.PreToolUse, map[string]any{"tool_name": "AskUserQuestion", "tool_input": `{"questions":"[]"}`}),
	} {
		data, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := hook.ParseEvent(data)
		if err != nil {
			return
		}
		w := &world{t: t, away: true}
		for _, o := range []*hook.Options{{}, {Unattended: true}} {
			reply, err := hook.New(w.hasty(), o).Take(t.Context(), e)
			if reply == nil {
				t.Fatal("no reply")
			}
			if out := reply.Output; out != nil && out.Decision != "deny" {
				t.Fatalf("a decision without a hub: %s", reply.JSON())
			}
			if !json.Valid(reply.JSON()) || strings.Count(string(reply.JSON()), "\n") != 1 {
				t.Fatalf("%s (%v)", reply.JSON(), err)
			}
		}
	})
}

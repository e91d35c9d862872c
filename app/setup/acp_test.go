package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestZed: entries of Zed's that run the adapter get sayso in front, whatever starts
// it, and lose it again; others stay.
func TestZed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ before, after, undone string }{
		"by its name": {
			`{"agent_servers": {"C": {"command": "claude-agent-acp", "args": [], "env": {"K": "v"}}}}`,
			`{"agent_servers": {"C": {"command": "sayso", "args": ["acp", "--", "claude-agent-acp"], "env": {"K": "v"}}}}`, "",
		},
		"without args": {
			`{"agent_servers": {"C": {"command": "/opt/claude-agent-acp"}}}`,
			`{"agent_servers": {"C": {"command": "sayso", "args": ["acp", "--", "/opt/claude-agent-acp"]}}}`,
			`{"agent_servers": {"C": {"command": "/opt/claude-agent-acp", "args": []}}}`,
		},
		"by npx": {
			`{"agent_servers": {"C": {"command": "npx", "args": ["-y", "@agentclientprotocol/claude-agent-acp@0.99.0", "--x"]}}}`,
			`{"agent_servers": {"C": {"command": "sayso", "args": ["acp", "--", "npx", "-y", "@agentclientprotocol/claude-agent-acp@0.99.0", "--x"]}}}`, "",
		},
		"by an older sayso": {
			`{"agent_servers": {"C": {"command": "/old/sayso", "args": ["--hub", "x", "acp", "--", "claude-agent-acp"]}}}`,
			`{"agent_servers": {"C": {"command": "sayso", "args": ["acp", "--", "claude-agent-acp"]}}}`,
			`{"agent_servers": {"C": {"command": "claude-agent-acp", "args": []}}}`,
		},
		"others": {
			`{"agent_servers": {"claude-acp": {"type": "registry"}, "D": {"command": "codex-acp"}}}`,
			`{"agent_servers": {"claude-acp": {"type": "registry"}, "D": {"command": "codex-acp"}, "Claude (sayso)": {"type": "custom", "command": "sayso", "args": ["acp", "--", "claude-agent-acp"]}}}`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := everything(t)
			plan, err := Named("claude-agent-acp").Plan(e)
			if err != nil {
				t.Fatal(err)
			}
			f := plan.Files[0]
			after, err := f.Add([]byte(tc.before))
			if err != nil || string(after) != tc.after {
				t.Errorf("got\n%s\nwant\n%s (%v)", after, tc.after, err)
			}
			want := tc.undone
			if want == "" {
				want = tc.before
			}
			undone, err := f.Remove(after)
			if err != nil || string(undone) != want {
				t.Errorf("undone\n%s\nwant\n%s (%v)", undone, want, err)
			}
		})
	}
}

// TestNoEditor: without an editor, setting up says what to write where.
func TestNoEditor(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "codex-acp")
	_, err := Look(e, Named("codex-acp"))
	var byHand *ByHand
	if !errors.As(err, &byHand) || !strings.Contains(byHand.Do, "sayso acp -- codex-acp") {
		t.Errorf("it says %v", err)
	}
}

// TestBothInZed: two adapters in the same file are undone in any order.
func TestBothInZed(t *testing.T) {
	t.Parallel()
	for _, order := range [][2]string{{"claude-agent-acp", "codex-acp"}, {"codex-acp", "claude-agent-acp"}} {
		e := everything(t)
		write(t, e, map[string]string{".config/zed/settings.json": "{\n  \"theme\": \"One\", // mine\n  \"agent_servers\": {\"C\": {\"command\": \"claude-agent-acp\", \"args\": []}},\n}\n"})
		before := snapshot(t, e)
		setUp(t, e, Named("claude-agent-acp"))
		setUp(t, e, Named("codex-acp"))
		undo(t, e, Named(order[0]))
		if b, _ := os.ReadFile(filepath.Join(e.Home, ".config/zed/settings.json")); strings.Contains(string(b), `"`+order[0]+`"]`) {
			t.Errorf("%s was undone: %s", order[0], b)
		}
		undo(t, e, Named(order[1]))
		same(t, "undone", snapshot(t, e), before)
	}
}

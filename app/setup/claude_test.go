package setup

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// claudeSettings are the edits of Claude Code's settings.
func claudeSettings(t testing.TB, o *ClaudeOptions, command ...string) File {
	t.Helper()
	p, err := claudePlan(&Env{Home: "/home/ann", Command: command, Getenv: func(string) string { return "" }}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p.Files[0]
}

// others are settings that somebody has already.
const others = `{
  "zeta": 1.50, "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "check <it> & 'that'", "timeout": 1e1}]},
      {"matcher": "AskUserQuestion", "hooks": [{"type": "command", "command": "/old/sayso hook claude"}, {"type": "command", "command": "beep"}]}
    ]
  },
  "permissions": {"allow": ["Bash(ls:*)"]}
}`

func TestClaude(t *testing.T) {
	t.Parallel()
	command := claudeSettings(t, &ClaudeOptions{}, "sayso")
	for name, tc := range map[string]struct {
		before string
		file   File
	}{
		"claude-empty":  {"", command},
		"claude-others": {others, claudeSettings(t, &ClaudeOptions{Defer: true, Wait: 30 * time.Second}, "/opt/my tools/sayso", "--hub", "https://hub.example")},
		"claude-http":   {"{}", claudeSettings(t, &ClaudeOptions{URL: "https://hub.example/", Defer: true, Wait: 30 * time.Second})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := tc.file.Add([]byte(tc.before))
			if err != nil {
				t.Fatal(err)
			}
			again, err := tc.file.Add(after)
			if err != nil || !bytes.Equal(again, after) {
				t.Errorf("done again it is another: %s, %v", again, err)
			}
			// Somebody else's hook behind ours changes nothing about ours.
			more := bytes.Replace(after, []byte("{\n"), []byte("{\n\"more\": true,\n"), 1)
			if again, err := tc.file.Add(more); err != nil || !bytes.Equal(again, more) {
				t.Errorf("done again it is another: %s, %v", again, err)
			}
			undone, err := tc.file.Remove(after)
			if err != nil {
				t.Fatal(err)
			}
			if twice, err := tc.file.Remove(undone); err != nil || !bytes.Equal(twice, undone) {
				t.Errorf("undone again it is another: %s, %v", twice, err)
			}
			got := txtar.Format(&txtar.Archive{Files: []txtar.File{
				{Name: "before", Data: []byte(tc.before + "\n")}, {Name: "after", Data: after}, {Name: "undone", Data: undone},
			}})
			file := filepath.Join("testdata", name+".txtar")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s (%v)", got, want, err)
			}
		})
	}
}

func TestClaudeRefuses(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		`[]`, `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"PreToolUse":[1]}}`, `{"hooks":{"PreToolUse":[{"hooks":{}}]}}`,
		`{"hooks":{},"hooks":{}}`, `{"a":1} x`, `{"a":1`, `// a comment`,
	} {
		if got, err := claudeSettings(t, &ClaudeOptions{}, "sayso").Add([]byte(settings)); err == nil {
			t.Errorf("%s: got %s", settings, got)
		}
	}
	for _, address := range []string{"hub.example", "ftp://hub.example", "https://ann@hub.example", "https://hub.example?x"} {
		if _, err := claudePlan(&Env{Getenv: func(string) string { return "" }}, &ClaudeOptions{URL: address}); err == nil {
			t.Errorf("%s: it is taken", address)
		}
	}
}

// FuzzClaude: whatever the settings are, everything but ours is there after they were
// written, and after ours was taken out again.
func FuzzClaude(f *testing.F) {
	f.Add([]byte(others))
	f.Add([]byte(`{"hooks":{"PreToolUse":[],"X":[{"matcher":"y"}]}}`))
	f.Add([]byte(`{"permissions":{"allow":["mcp__sayso__ask_user"],"deny":[]},/* c */}`))
	f.Fuzz(func(t *testing.T, settings []byte) {
		s := claudeSettings(t, &ClaudeOptions{}, "sayso")
		after, err := s.Add(settings)
		if err != nil {
			return
		}
		again, err := s.Add(after)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%s is not %s (%v)", again, after, err)
		}
		undone, err := s.Remove(after)
		if err != nil || strings.Count(string(undone), "sayso hook claude") > strings.Count(string(settings), "sayso hook claude") {
			t.Fatalf("%s: %v", undone, err)
		}
		clean, err := s.Remove(settings)
		if err != nil {
			t.Fatal(err)
		}
		var lines [2]string
		for i, text := range [][]byte{clean, undone} {
			v, err := decode("settings.json", text)
			if err != nil {
				return // numbers that are too large, for example
			}
			m := v.(map[string]any)
			delete(m, "hooks")
			if p, ok := m["permissions"].(map[string]any); ok {
				if l, ok := p["allow"].([]any); ok && len(l) == 0 {
					delete(p, "allow")
				}
				if len(p) == 0 {
					delete(m, "permissions")
				}
			}
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = string(b)
		}
		if lines[0] != lines[1] {
			t.Fatalf("%s became %s", lines[0], lines[1])
		}
	})
}

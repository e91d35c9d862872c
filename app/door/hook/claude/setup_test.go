package claude_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysohq/sayso/app/door/hook/claude"
)

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

func TestSetup(t *testing.T) {
	t.Parallel()
	command := &claude.Setup{Command: []string{"sayso"}}
	for name, tc := range map[string]struct {
		before string
		setup  *claude.Setup
	}{
		"setup-empty":  {"", command},
		"setup-others": {others, &claude.Setup{Command: []string{"/opt/my tools/sayso", "--hub", "https://hub.example"}, Defer: true, Wait: 30 * time.Second}},
		"setup-http":   {"{}", &claude.Setup{URL: "https://hub.example/", Defer: true, Wait: 30 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := claude.AddSetup([]byte(tc.before), tc.setup)
			if err != nil {
				t.Fatal(err)
			}
			again, err := claude.AddSetup(after, tc.setup)
			if err != nil || !bytes.Equal(again, after) {
				t.Errorf("done again it is another: %s, %v", again, err)
			}
			// Somebody else's hook behind ours changes nothing about ours.
			more := bytes.Replace(after, []byte("{\n"), []byte("{\n\"more\": true,\n"), 1)
			if again, err := claude.AddSetup(more, tc.setup); err != nil || !bytes.Equal(again, more) {
				t.Errorf("done again it is another: %s, %v", again, err)
			}
			undone, err := claude.RemoveSetup(after)
			if err != nil {
				t.Fatal(err)
			}
			if twice, err := claude.RemoveSetup(undone); err != nil || !bytes.Equal(twice, undone) {
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

func TestSetupRefuses(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		`[]`, `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"PreToolUse":[1]}}`, `{"hooks":{"PreToolUse":[{"hooks":{}}]}}`,
		`{"a":1,"a":2}`, `{"a":1} x`, `{"a":1`, `// a comment`,
	} {
		if got, err := claude.AddSetup([]byte(settings), &claude.Setup{Command: []string{"sayso"}}); err == nil {
			t.Errorf("%s: got %s", settings, got)
		}
	}
	for _, address := range []string{"hub.example", "ftp://hub.example", "https://ann@hub.example", "https://hub.example?x"} {
		if got, err := claude.AddSetup(nil, &claude.Setup{URL: address}); err == nil {
			t.Errorf("%s: got %s", address, got)
		}
	}
}

// FuzzSetup: whatever the settings are, everything but our hooks is there after
// they were written, and after they were taken out again.
func FuzzSetup(f *testing.F) {
	f.Add([]byte(others))
	f.Add([]byte(`{"hooks":{"PreToolUse":[],"X":[{"matcher":"y"}]}}`))
	f.Fuzz(func(t *testing.T, settings []byte) {
		s := &claude.Setup{Command: []string{"sayso"}}
		after, err := claude.AddSetup(settings, s)
		if err != nil {
			return
		}
		var whole map[string]json.RawMessage
		if err := json.Unmarshal(after, &whole); err != nil {
			t.Fatalf("%s: %v", after, err)
		}
		again, err := claude.AddSetup(after, s)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%s is not %s (%v)", again, after, err)
		}
		undone, err := claude.RemoveSetup(after)
		if err != nil || strings.Count(string(undone), "sayso hook claude") > strings.Count(string(settings), "sayso hook claude") {
			t.Fatalf("%s: %v", undone, err)
		}
		clean, err := claude.RemoveSetup(settings)
		if err != nil {
			t.Fatal(err)
		}
		var a, b map[string]any
		if len(bytes.TrimSpace(clean)) == 0 {
			clean = []byte("{}")
		}
		if json.Unmarshal(clean, &a) != nil || json.Unmarshal(undone, &b) != nil {
			t.Fatalf("%s or %s", clean, undone)
		}
		delete(a, "hooks")
		delete(b, "hooks")
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if !bytes.Equal(x, y) {
			t.Fatalf("%s became %s", x, y)
		}
	})
}

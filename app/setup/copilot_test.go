package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopilotFlag: extensions are turned on, and nothing else changes.
func TestCopilotFlag(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		`{}`:                                    "{\"feature_flags\": {\"enabled\": [\"EXTENSIONS\"]}}",
		`{"feature_flags": {"enabled": ["A"]}}`: `{"feature_flags": {"enabled": ["A", "EXTENSIONS"]}}`,
		`{"feature_flags": {"enabled": ["EXTENSIONS"]}}`: `{"feature_flags": {"enabled": ["EXTENSIONS"]}}`,
		`{"experimental": true}`:                         `{"experimental": true}`,
	} {
		got, err := addCopilotFlag([]byte(before))
		if err != nil || strings.Join(strings.Fields(string(got)), "") != strings.Join(strings.Fields(want), "") {
			t.Errorf("%s becomes %s, %v", before, got, err)
		}
	}
	if got, err := addCopilotFlag([]byte(`{"feature_flags": 3}`)); err == nil {
		t.Errorf("settings that cannot be read become %s", got)
	}
}

// TestCopilotOtherExtension: they stay turned on for another extension.
func TestCopilotOtherExtension(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"sayso", "mine"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		got, err := removeCopilotFlag([]byte(`{"feature_flags":{"enabled":["EXTENSIONS"]},"a":1}`), dir)
		if on := strings.Contains(string(got), copilotFlag); err != nil || on != (name == "mine") {
			t.Errorf("beside %s it becomes %s, %v", name, got, err)
		}
	}
}

func TestCopilotBypass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings, env string
		want          string
	}{
		{`{}`, "", ""},
		{``, "", ""},
		{`{"defaultPermissionMode": "manual"}`, "off", ""},
		{`{"defaultPermissionMode": "allow-all"}`, "", "allows everything"},
		{`{"defaultPermissionMode": "assisted"}`, "", "judges safe"},
		{`{}`, "Yes", "COPILOT_ALLOW_ALL=yes"},
	} {
		dir := t.TempDir()
		e := &Env{Home: dir, Getenv: func(name string) string {
			return map[string]string{"COPILOT_ALLOW_ALL": c.env, "COPILOT_HOME": filepath.Join(dir, "other")}[name]
		}}
		if c.settings != "" {
			if err := os.MkdirAll(filepath.Join(dir, "other"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "other", "settings.json"), []byte(c.settings), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := copilotBypass(e)
		if err != nil || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

package setup

import (
	"strings"
	"testing"
)

// TestOpencode: what is added to the settings of opencode, and that all of it goes.
func TestOpencode(t *testing.T) {
	t.Parallel()
	const schema = `"$schema": "https://opencode.ai/config.json"`
	for name, c := range map[string]struct {
		before string
		want   []string // in the file that is set up
		not    string
		left   string // of a file that somebody changed: what is left of it
	}{
		"no file": {"", []string{schema, `"timeout": 86400000`}, "permission", "{\n  " + schema + "\n}\n"},
		"comments and a trailing comma": {"{\n  // mine\n  \"theme\": \"x\",\n}\n", []string{"// mine", `"theme": "x"`, `"sayso": {`}, "permission",
			"{\n  // mine\n  \"theme\": \"x\",\n}\n"},
		"permissions": {`{"permission": {"bash": "ask", "edit": {"*": "deny"}}}`, []string{`"edit": {"*": "deny"}, "sayso_*": "allow"}`}, "xxx",
			`{"permission": {"bash": "ask", "edit": {"*": "deny"}}}`},
		"one permission for all":            {`{"permission": "ask"}`, []string{`"*": "ask"`, `"sayso_*": "allow"`}, "xxx", `{"permission": {"*": "ask"}}`},
		"our tools, as somebody wants them": {`{"permission": {"sayso_*": "ask"}}`, []string{`{"sayso_*": "ask"}`}, `"allow"`, `{"permission": {"sayso_*": "ask"}}`},
		"a server somewhere else":           {`{"mcp": {"sayso": {"type": "remote", "url": "https://hub.example/mcp"}}}`, []string{"hub.example"}, "local", `{"mcp": {"sayso": {"type": "remote", "url": "https://hub.example/mcp"}}}`},
		"an earlier entry":                  {`{"mcp": {"sayso": {"type": "local", "command": ["/old/sayso", "mcp"]}, "db": {"type": "local", "command": ["db"]}}}`, []string{`"db"`, `"enabled": true`}, "/old", `{"mcp": {"db": {"type": "local", "command": ["db"]}}}`},
	} {
		var before []byte
		if c.before != "" {
			before = []byte(c.before)
		}
		e := newEnv(t)
		after, err := addOpencode(before, e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(string(after), want) {
				t.Errorf("%s: %s is missing in\n%s", name, want, after)
			}
		}
		if strings.Contains(string(after), c.not) {
			t.Errorf("%s: it has %s:\n%s", name, c.not, after)
		}
		if again, err := addOpencode(after, e); err != nil || string(again) != string(after) {
			t.Errorf("%s: set up again, it is\n%s %v", name, again, err)
		}
		if left, err := removeOpencode(after); err != nil || string(left) != c.left {
			t.Errorf("%s: what is left is\n%q, want\n%q %v", name, left, c.left, err)
		}
	}
}

// TestOpencodeFiles: the file that counts is changed, wherever the settings are.
func TestOpencodeFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":  {nil, ".config/opencode/opencode.json"},
		"jsonc": {map[string]string{".config/opencode/opencode.jsonc": "{}", ".config/opencode/opencode.json": "{}"}, ".config/opencode/opencode.jsonc"},
		"older": {map[string]string{".config/opencode/config.json": "{}"}, ".config/opencode/config.json"},
	} {
		e := newEnv(t)
		write(t, e, c.files)
		if got := strings.TrimPrefix(opencodeSettings(e), e.Home+"/"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	e := newEnv(t)
	e.Getenv = func(name string) string { return map[string]string{"XDG_CONFIG_HOME": "/etc/xdg"}[name] }
	if got := opencodeSettings(e); got != "/etc/xdg/opencode/opencode.json" {
		t.Errorf("with XDG_CONFIG_HOME: %s", got)
	}
	plan, err := opencodePlan(e)
	if err != nil {
		t.Fatal(err)
	}
	text, err := plan.Files[1].Add(nil)
	if err != nil || !strings.Contains(string(text), `const words = ["sayso","bridge","opencode"]`) || strings.Count(string(text), "export ") != 1 {
		t.Errorf("the plugin is\n%s %v", text, err)
	}
}

func TestOpencodeBypass(t *testing.T) {
	t.Parallel()
	for text, asks := range map[string]bool{
		``: false, `{}`: false, `{"permission":"allow"}`: false, `{"permission":{"bash":"deny"}}`: false,
		`{"permission":"ask"}`: true, `{"permission":{"bash":{"*":"allow","rm *":"ask"}}}`: true, "{ // mine\n \"permission\": {\"edit\": \"ask\",}, }": true,
	} {
		e := newEnv(t)
		write(t, e, map[string]string{".config/opencode/opencode.json": text})
		if got, err := opencodeBypass(e); err != nil || (got == "") != asks {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func codexEnv(t *testing.T) *Env {
	t.Helper()
	return &Env{Home: t.TempDir(), Command: []string{"sayso"}, Getenv: func(string) string { return "" }}
}

// TestCodexHash: the hashes are those that Codex 0.166.0 tells (hooks/list) for the same
// hooks.
func TestCodexHash(t *testing.T) {
	t.Parallel()
	e := codexEnv(t)
	for want, h := range map[string]codexHook{
		"sha256:1d05a358c8c0dc32bd98bb9aae5d6e2553fdeedad7aa726d3e991328b12f79fb": {"PreToolUse", "pre_tool_use", "request_user_input", 86400},
		"sha256:f0019a790ab64bd8ba9bdaf6d4102490f1c15b0949efad059bbd379bc9356e5a": {"UserPromptSubmit", "user_prompt_submit", "", 600},
	} {
		if got, err := h.hash(e); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", h.event, got, err, want)
		}
	}
}

// TestCodexTrust: a hook is trusted by its place, behind those of the person.
func TestCodexTrust(t *testing.T) {
	t.Parallel()
	e := codexEnv(t)
	dir := filepath.Join(e.Home, ".codex")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hooks.json"), []byte(`{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"mine"}]}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := codexPlan(e)
	if err != nil {
		t.Fatal(err)
	}
	config, err := plan.Files[0].Add([]byte("model = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"[mcp_servers.sayso]\ncommand = \"sayso\"\nargs = [\"mcp\"]\n", `default_tools_approval_mode = "approve"`,
		"hooks.json:user_prompt_submit:1:0", "hooks.json:pre_tool_use:0:0",
	} {
		if !strings.Contains(string(config), want) {
			t.Errorf("%q is missing in\n%s", want, config)
		}
	}
	back, err := plan.Files[0].Remove(config)
	if err != nil || strings.Contains(string(back), "sayso") || !strings.Contains(string(back), `model = "x"`) {
		t.Errorf("%v\n%s", err, back)
	}
	elsewhere := "[mcp_servers.sayso]\nurl = \"https://hub.example/mcp\"\n"
	if config, err = plan.Files[0].Add([]byte(elsewhere)); err != nil || !strings.HasPrefix(string(config), elsewhere) || strings.Contains(string(config), "command =") {
		t.Errorf("%v\n%s", err, config)
	}
}

func TestCodexBypass(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"approval_policy = \"on-request\"\n": "",
		"approval_policy = \"never\"\n":      "approval_policy",
		"sandbox_mode = \"danger-full-access\"\n": "sandbox_mode",
		"[features]\nhooks = false\n":             "features.hooks",
		"approvals_reviewer = \"auto_review\"\n":  "approvals_reviewer",
	} {
		e := codexEnv(t)
		if err := os.Mkdir(filepath.Join(e.Home, ".codex"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(e.Home, ".codex/config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := codexBypass(e); err != nil || !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	if got := shellLine([]string{"/opt/my tools/sayso", "it's", "hook"}); got != `'/opt/my tools/sayso' 'it'\''s' hook` {
		t.Error(got)
	}
}

package doortest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// livedIn are settings that somebody has already, with secrets in them.
var livedIn = map[string]string{
	".claude/settings.json":          "{\n  \"env\": {\"KEY\": \"sekrit\"},\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
	".claude.json":                   `{"numStartups":5,"oauth":"sekrit","projects":{"/p":{"allowedTools":[]}}}`,
	".codex/config.toml":             "model = \"o5\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\nenv = { KEY = \"sekrit\" }\n",
	".config/opencode/opencode.json": "{\r\n\t// mine\r\n\t\"provider\": {\"x\": {\"options\": {\"apiKey\": \"sekrit\"}}},\r\n}\r\n",
	".config/zed/settings.json":      "// Zed settings\n{\n  \"theme\": \"One Dark\", // mine\n  \"agent_servers\": {\n    \"Claude\": { \"command\": \"claude-agent-acp\", \"args\": [], \"env\": { \"KEY\": \"sekrit\" } },\n  },\n}\n",
	".copilot/config.json":           "// This file is managed automatically.\n{\"token\": \"sekrit\"}",
	".gemini/settings.json":          "{\"security\":{\"auth\":{\"selectedType\":\"x\"}},\"token\":\"sekrit\"}",
	".qwen/settings.json":            "{\n    \"env\": { \"KEY\": \"sekrit\" }\n}",
	".pi/agent/settings.json":        "{\"token\": \"sekrit\"}\n",
}

// TestSetupAll: with all the programs installed and settings in all of their files, one
// command sets them all up, with one question for each, and shows no secret; another
// one takes everything back, byte for byte.
func TestSetupAll(t *testing.T) {
	t.Parallel()
	setupAll(t)
}

// TestFigure_SETUP measures it, with the answers typed ahead.
func TestFigure_SETUP(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	var longest time.Duration
	var agents int
	for range 5 {
		n, took := setupAll(t)
		agents, longest = n, max(longest, took)
	}
	t.Logf("FIGURE SETUP %d confirmations", agents)
	t.Logf("FIGURE SETUP-time %.2f s", longest.Seconds())
}

func setupAll(t *testing.T) (agents int, took time.Duration) {
	w := New(t)
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Programs {
		w.Install(p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(livedIn)) {
		w.Write(name, livedIn[name])
	}
	sayso := func(in string, args ...string) (out string, took time.Duration) {
		start := time.Now()
		p := w.Start(w.Env(), w.Sayso, args...)
		fmt.Fprint(p.Stdin, in)
		p.Stdin.Close()
		if code := p.Wait(); code != 0 {
			t.Errorf("sayso %s ended with %d", strings.Join(args, " "), code)
		}
		return p.Out() + p.Err(), time.Since(start)
	}
	before := w.snapshot()
	shown, took := sayso(strings.Repeat("y\n", len(all.Programs)), "setup")
	agents = strings.Count(shown, "[y/N]")
	if agents != len(all.Programs) {
		t.Errorf("%d questions for %d agents:\n%s", agents, len(all.Programs), shown)
	}
	checked, _ := sayso("", "setup", "--check")
	if n := strings.Count(checked, " set up\n"); n != len(all.Programs) {
		t.Errorf("%d of %d agents are set up:\n%s", n, len(all.Programs), checked)
	}
	for _, p := range all.Programs {
		if !strings.Contains(checked, p.Name+" ") {
			t.Errorf("%s is missing:\n%s", p.Name, checked)
		}
	}
	after := w.snapshot()
	for name, text := range livedIn {
		if strings.Count(after[filepath.Clean(name)], "sekrit") != strings.Count(text, "sekrit") {
			t.Errorf("%s has lost something:\n%s", name, after[name])
		}
	}
	undone, _ := sayso("", "setup", "--undo", "--yes")
	for name, text := range map[string]string{"setup": shown, "check": checked, "undo": undone} {
		if strings.Contains(text, "sekrit") {
			t.Errorf("%s shows a secret:\n%s", name, text)
		}
	}
	if now := w.snapshot(); !maps.Equal(now, before) {
		for name := range now {
			if now[name] != before[name] {
				t.Errorf("undone, and %s is %q, not %q", name, now[name], before[name])
			}
		}
		t.Errorf("the home is not what it was before")
	}
	return agents, took
}

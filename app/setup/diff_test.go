package setup

import (
	"strings"
	"testing"
)

// TestDiff: what is shown of settings that have something of an older version, among
// secrets.
func TestDiff(t *testing.T) {
	t.Parallel()
	e := everything(t)
	write(t, e, map[string]string{
		".claude/settings.json": `{"env":{"KEY":"` + secret + `"},"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"curl -H ` + secret + `"},{"type":"command","command":"K=` + secret + ` /old/sayso hook claude"}]}]},"permissions":{"allow":["` + secret + `"]}}`,
		".claude.json":          `{"mcpServers":{"sayso":{"command":"` + secret + `","args":["mcp"],"env":{"KEY":"` + secret + `"}}}}`,
	})
	c := mustLook(t, e, Named("claude"))
	got := strings.Join(c.Diff(), "\n")
	if strings.Contains(got, secret) {
		t.Errorf("a secret is shown:\n%s", got)
	}
	for _, want := range []string{
		"~/.claude/settings.json\n",
		"  - hooks.PreToolUse[].hooks[]\n",
		`  + hooks.PreToolUse[] = {"hooks":[{"command":"sayso hook claude"`,
		`  + permissions.allow[] = "mcp__sayso__ask_user"`,
		"~/.claude.json\n",
		"  - mcpServers.sayso.command\n  + mcpServers.sayso.command = \"sayso\"",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it shows\n%s\nwithout %q", got, want)
		}
	}
}

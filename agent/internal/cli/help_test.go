package cli

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/console"
)

// TestHelp: help is short and has an example.
func TestHelp(t *testing.T) {
	t.Parallel()
	root := (&program{World: &World{Getenv: func(string) string { return "" }}}).root()
	for _, cmd := range append(console.Commands(root), root) {
		text := console.Help(cmd)
		if lines := strings.Count(text, "\n"); lines >= 40 {
			t.Errorf("%s: the help has %d lines, at most 39 fit", cmd.CommandPath(), lines)
		}
		if words := len(strings.Fields(cmd.Short)); words > 8 || words == 0 || strings.ContainsAny(cmd.Short, ";:.") {
			t.Errorf("%s: Short is a verb phrase of at most 8 words: %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.Long == "" || strings.Count(cmd.Long, "\n") >= 12 || !strings.Contains(cmd.Example, "sayso-agent") {
			t.Errorf("%s: Long has at most 12 lines, and there is an example:\n%s", cmd.CommandPath(), text)
		}
	}
}

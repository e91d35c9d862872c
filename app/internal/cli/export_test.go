package cli

import (
	"flag"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

var update = flag.Bool("update", false, "rewrite golden files and the generated parts of the reference")

// Updating reports whether golden files are to be rewritten.
func Updating() bool { return *update }

// HelpExamples returns every line of the help's examples that a shell can run, once each.
func HelpExamples() []string {
	var lines []string
	for _, cmd := range everyCommand(testRoot()) {
		for _, line := range strings.Split(cmd.Example, "\n") {
			if line, ok := strings.CutPrefix(line, "  $ "); ok && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// CommandExists reports whether there is such a command, or a topic of the help.
func CommandExists(words []string) bool {
	root := testRoot()
	if len(words) > 1 && words[0] == "help" {
		return slices.ContainsFunc(topics(), func(t console.Topic) bool { return t.Name == words[1] }) || words[1] == "flags" || words[1] == "commands"
	}
	cmd, _, err := root.Find(words)
	return err == nil && (cmd != root || words[0] == "help")
}

// FlagExists reports whether any command has the flag.
func FlagExists(name string) bool {
	return slices.ContainsFunc(everyCommand(testRoot()), func(c *cobra.Command) bool {
		return name == "help" || c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil
	})
}

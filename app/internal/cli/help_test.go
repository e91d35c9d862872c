package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

func testRoot() *cobra.Command {
	return (&program{World: &World{World: console.World{Getenv: func(string) string { return "" }}}}).root()
}

// TestHelp: help is short, says what to type, and has no color.
func TestHelp(t *testing.T) {
	t.Parallel()
	root := testRoot()
	for _, cmd := range everyCommand(root) {
		path := cmd.CommandPath()
		text := console.Help(cmd)
		if lines := strings.Count(text, "\n"); lines >= 40 {
			t.Errorf("%s: the help has %d lines, at most 39 fit", path, lines)
		}
		if strings.Contains(text, "\x1b") || strings.Contains(text, "`") {
			t.Errorf("%s: the help has colors or Markdown in it", path)
		}
		for _, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > 110 {
				t.Errorf("%s: a line has %d columns: %s", path, n, line)
			}
		}
		if words := len(strings.Fields(cmd.Short)); words > 8 || words == 0 || strings.ContainsAny(cmd.Short, ";:.") {
			t.Errorf("%s: Short is a verb phrase of at most 8 words: %q", path, cmd.Short)
		}
		if lines := strings.Count(cmd.Long, "\n") + 1; lines > 12 || cmd.Long == "" {
			t.Errorf("%s: Long has %d lines, 1 to 12 are right", path, lines)
		}
		if cmd.Example == "" {
			t.Errorf("%s: has no example", path)
		}
		if cmd.HasParent() && !cmd.Parent().HasParent() && cmd.GroupID == "" {
			t.Errorf("%s: has no group", path)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "sayso") {
				t.Errorf("%s: an example is a command, indented by two spaces: %q", path, line)
			}
		}
	}
	if a, b := console.Help(root), console.Help(testRoot()); a != b {
		t.Errorf("the screen is not the same twice:\n%s\n%s", a, b)
	}
}

// TestCommandReference: docs/reference/cli.md and exit-codes.md are what the program
// says about itself.
func TestCommandReference(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"../../../docs/reference/cli.md":        commandReference(testRoot()),
		"../../../docs/reference/exit-codes.md": exitCodesPage().markdown(),
	} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the program says (%v); run: go test ./internal/cli -run TestCommandReference -update", name, err)
		}
	}
}

func commandReference(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Commands

Every command of `+"`sayso`"+`, as `+"`sayso <command> --help`"+` prints it. You can shorten the ID of a question to any unique prefix. [Exit codes and output](exit-codes.md) lists what a script can rely on, [Settings, files, environment](config.md) what you can configure, and [Connections and security log](security-log.md) what a server limits and records. This page is generated.

## Global flags

`+"```text\n%s\n```\n", console.FlagLines(root.PersistentFlags()))
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for _, top := range console.Commands(root) {
			if top.GroupID != g.ID {
				continue
			}
			for _, cmd := range everyCommand(top) {
				section(&b, cmd)
			}
		}
	}
	return b.String()
}

func section(b *strings.Builder, cmd *cobra.Command) {
	if cmd.HasParent() && cmd.Parent().Name() == "completion" {
		return // one for each shell
	}
	long := strings.ReplaceAll(cmd.Long, "\n\n", "\x00")
	var paragraphs []string
	for _, p := range strings.Split(long, "\x00") {
		if strings.Contains(p, "\n  ") { // a list, such as the topics of help
			first, rest, _ := strings.Cut(p, "\n")
			paragraphs = append(paragraphs, first+":", "```text\n"+rest+"\n```")
			continue
		}
		paragraphs = append(paragraphs, typed(strings.ReplaceAll(p, "\n", " ")))
	}
	use := strings.TrimPrefix(console.UsageLine(cmd), "Usage: ")
	if flags := console.FlagLines(console.OwnFlags(cmd)); flags != "" {
		use += "\n\n" + flags
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n```text\n%s\n```\n\nExamples:\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.Join(paragraphs, "\n\n"), use, unindent(cmd.Example))
}

// typed marks what is typed as code: commands in quotes, and flags.
func typed(s string) string {
	s = regexp.MustCompile(`"((?:sayso|claude)[^"]*)"`).ReplaceAllString(s, "`$1`")
	parts := strings.Split(s, "`")
	flag := regexp.MustCompile("(^|[ (])(--?[a-z][a-z-]*)")
	for i := 0; i < len(parts); i += 2 { // the others are code already
		parts[i] = flag.ReplaceAllString(parts[i], "$1`$2`")
	}
	return strings.Join(parts, "`")
}

func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

// TestTopics: every topic is there, and the screen names what there is.
func TestTopics(t *testing.T) {
	t.Parallel()
	var names []string
	for _, topic := range topics() {
		names = append(names, topic.Name)
		if topic.Text == "" || strings.Contains(topic.Text, "`") {
			t.Errorf("topic %s: %q", topic.Name, topic.Text)
		}
	}
	if want := []string{"config", "environment", "exit-codes"}; !slices.Equal(names, want) {
		t.Errorf("topics %q, want %q", names, want)
	}
	for _, row := range console.ExitCodes() {
		if !strings.Contains(exitCodesPage().text(), "\n  "+row[0]+" ") {
			t.Errorf("the topic has no exit code %s", row[0])
		}
	}
}

package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OffScreen marks a command that the first screen leaves out: an agent or a package
// runs it, or it is rarely needed. "help commands" lists it.
const OffScreen = "off-screen"

// Help returns what a command says about itself: what it does, how to call it, its
// commands, flags and examples. The order is that of the source, and there is no color.
// A root with groups is a list of commands.
func Help(cmd *cobra.Command) string {
	if len(cmd.Groups()) > 0 {
		return screen(cmd)
	}
	parts := []string{strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")), UsageLine(cmd)}
	if list := commandList(cmd, func(*cobra.Command) bool { return true }); list != "" {
		parts = append(parts, "Commands\n"+list)
	}
	if flags := FlagLines(OwnFlags(cmd)); flags != "" {
		parts = append(parts, "Flags\n"+flags)
	}
	if cmd.Example != "" {
		parts = append(parts, "Examples\n"+cmd.Example)
	}
	if names := globalNames(cmd); names != "" {
		parts = append(parts, fmt.Sprintf("Global flags: %s (see %q)", names, cmd.Root().Name()+" help flags"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func screen(root *cobra.Command) string {
	name := root.Name()
	parts := []string{root.Long + "\nUsage: " + name + " <command> [flags]"}
	for _, g := range root.Groups() {
		parts = append(parts, g.Title+"\n"+commandList(root, func(c *cobra.Command) bool {
			return c.GroupID == g.ID && c.Annotations[OffScreen] == ""
		}))
	}
	parts = append(parts, "Examples\n"+root.Example,
		fmt.Sprintf("All commands: %[1]s help commands. Details: %[1]s <command> --help. Exit codes: %[1]s help exit-codes.", name))
	return strings.Join(parts, "\n\n") + "\n"
}

// Add adds commands below another one, and keeps their order for the help.
func Add(cmd *cobra.Command, below ...*cobra.Command) {
	for i, c := range below {
		annotate(c, order, fmt.Sprintf("%03d", i))
	}
	cmd.AddCommand(below...)
}

const order = "order"

// KeepOffScreen leaves commands out of the first screen.
func KeepOffScreen(cmds ...*cobra.Command) {
	for _, c := range cmds {
		annotate(c, OffScreen, "yes")
	}
}

func annotate(c *cobra.Command, key, value string) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[key] = value
}

// Commands returns the commands below one that people are shown, in the order of
// [Add].
func Commands(cmd *cobra.Command) []*cobra.Command {
	all := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
	slices.SortStableFunc(all, func(a, b *cobra.Command) int {
		return strings.Compare(cmp.Or(a.Annotations[order], "~"), cmp.Or(b.Annotations[order], "~"))
	})
	return all
}

// commandList is a line for each command that is wanted.
func commandList(cmd *cobra.Command, want func(*cobra.Command) bool) string {
	var lines []string
	for _, c := range Commands(cmd) {
		if want(c) {
			lines = append(lines, fmt.Sprintf("  %-11s %s", c.Name(), c.Short))
		}
	}
	return strings.Join(lines, "\n")
}

// UsageLine says how a command is called.
func UsageLine(cmd *cobra.Command) string {
	line := "Usage: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
	if cmd.HasAvailableSubCommands() && !strings.Contains(cmd.Use, "[") {
		line += " [command]"
	}
	if !strings.Contains(line, "[flags]") {
		line += " [flags]"
	}
	if len(cmd.Aliases) > 0 {
		line += " (also: " + strings.Join(cmd.Aliases, ", ") + ")"
	}
	return line
}

// OwnFlags returns the flags of a command, in their order, without those of the whole
// program and without --help.
func OwnFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	own.SortFlags = false
	global := cmd.Root().PersistentFlags()
	add := func(f *pflag.Flag) {
		if global.Lookup(f.Name) == nil && f.Name != "help" && f.Name != "version" && own.Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	}
	cmd.Flags().SortFlags = false
	cmd.NonInheritedFlags().VisitAll(add)
	for up := cmd.Parent(); up != nil && up.HasParent(); up = up.Parent() {
		up.PersistentFlags().VisitAll(add)
	}
	return own
}

// FlagLines describes flags, folded at 90 columns.
func FlagLines(flags *pflag.FlagSet) string {
	return strings.TrimRight(flags.FlagUsagesWrapped(90), "\n")
}

func globalNames(cmd *cobra.Command) string {
	var names []string
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return strings.Join(names, ", ")
}

// Topic is a text of the help that is not about one command.
type Topic struct {
	Name  string
	Short string
	Text  string
}

// HelpCommand returns the command that shows the help of a command, or a topic. The
// topics flags and commands are there in any case.
func (w *World) HelpCommand(root *cobra.Command, topics ...Topic) *cobra.Command {
	topics = append(topics,
		Topic{"flags", "flags that every command takes", "These flags work with every command:\n\n" + FlagLines(root.PersistentFlags())},
		Topic{"commands", "every command", ""})
	var names, lines []string
	for _, t := range topics {
		names = append(names, t.Name)
		lines = append(lines, fmt.Sprintf("  %-11s %s", t.Name, t.Short))
	}
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Show help about a command or a topic",
		Long:  "Show help about a command or a topic.\n\nTopics\n" + strings.Join(lines, "\n"),
		Example: fmt.Sprintf("  $ %[1]s help exit-codes\n  $ %[1]s help flags",
			root.Name()),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			all := names
			for _, c := range Commands(root) {
				all = append(all, c.Name())
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // works with wrong settings, too
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				for _, t := range topics {
					if t.Name == "commands" && args[0] == t.Name {
						return w.Print(allCommands(root))
					}
					if t.Name == args[0] {
						return w.Print(t.Text)
					}
				}
			}
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return Usage("no command or topic %q", strings.Join(args, " ")).
					Next("%sCommands: %s --help. Topics: %s.", DidYouMean(args[0], append(names, commandNames(root)...)), root.Name(), strings.Join(names, ", "))
			}
			return w.Print(strings.TrimSuffix(Help(cmd), "\n"))
		},
	}
}

// allCommands lists every command of every group.
func allCommands(root *cobra.Command) string {
	var parts []string
	groups := root.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, g := range groups {
		parts = append(parts, g.Title+"\n"+commandList(root, func(c *cobra.Command) bool { return c.GroupID == g.ID }))
	}
	return strings.Join(parts, "\n\n")
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range Commands(cmd) {
		names = append(append(names, c.Name()), c.Aliases...)
	}
	return names
}

package console

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// Arg checks that a command has exactly one argument. What says what it is ("the id of
// a question"), and next where to find one, as a sentence; it may be empty.
func Arg(what, next string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usage("%s needs %s", below(cmd), what).Next("%s", strings.TrimSpace(UsageLine(cmd)+". "+next))
		}
		return atMost(cmd, args, 1)
	}
}

// MaybeArg checks that a command has at most one argument.
func MaybeArg(cmd *cobra.Command, args []string) error { return atMost(cmd, args, 1) }

// NoArgs checks that a command has no arguments. One that has commands of its own
// suggests the one that was meant.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.HasAvailableSubCommands() {
		what := "unknown command"
		if cmd.HasParent() {
			what = below(cmd) + ": unknown command"
		}
		list := cmd.CommandPath() + " --help"
		if !cmd.HasParent() {
			list = cmd.Name() + " help commands"
		}
		return Usage("%s %q", what, args[0]).Next("%sAll commands: %s.", DidYouMean(args[0], commandNames(cmd)), list)
	}
	return atMost(cmd, args, 0)
}

func atMost(cmd *cobra.Command, args []string, n int) error {
	if len(args) <= n {
		return nil
	}
	takes := "takes no argument"
	if n == 1 {
		takes = "takes one argument"
	}
	return Usage("%s %s; unexpected %q", below(cmd), takes, args[n]).Next("%s. Help: %s --help.", UsageLine(cmd), cmd.CommandPath())
}

// below is the name of a command without that of the program.
func below(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Name()
	}
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// UsageArgs makes what any check of arguments reports wrong usage. A nil check allows
// all arguments.
func UsageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if exit := (*ExitError)(nil); err == nil || errors.As(err, &exit) {
			return err
		}
		return Usage("wrong arguments for %s: %q", below(cmd), args).Next("%s. Help: %s --help.", UsageLine(cmd), cmd.CommandPath())
	}
}

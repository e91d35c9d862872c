package console

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Attach connects a root command with the world: its streams, its help, and wrong
// flags as wrong usage. Errors are left to [World.Report]. Commands and flags are
// listed in the order in which they were added.
func (w *World) Attach(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage, root.DisableAutoGenTag = true, true, true
	root.SetIn(w.In)
	root.SetOut(w.Out)
	root.SetErr(w.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.PersistentFlags().SortFlags = false
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(w.Out, Help(cmd)) })
	root.SetFlagErrorFunc(flagError)
}

// FlagError returns what makes wrong usage of a wrong flag.
func (w *World) FlagError() func(*cobra.Command, error) error { return flagError }

// flagError says what is wrong with a flag, and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	help := cmd.CommandPath() + " --help"
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return Usage("unknown flag \"-%s\" for %s", name, cmd.CommandPath()).Next("Flags: %s.", help)
		}
		return Usage("unknown flag \"--%s\" for %s", name, cmd.CommandPath()).
			Next("%sFlags: %s.", DidYouMean("--"+name, flagNames(cmd)), help)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return Usage("--%s needs a value", f.Name).Next("Example: %s. Flags: %s.", exampleOf(cmd, f), help)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		var of *ChoiceError
		if errors.As(err, &of) {
			return of.usage(f.Name)
		}
		return Usage("invalid value %q for --%s", invalid.GetValue(), f.Name).Next("%sExample: %s. Flags: %s.", whyInvalid(f, err), exampleOf(cmd, f), help)
	}
	return Usage("%v", err).Next("Flags: %s.", help)
}

// whyInvalid is what is expected, as a sentence.
func whyInvalid(f *pflag.Flag, err error) string {
	switch f.Value.Type() {
	case "duration":
		return "Use a duration such as 90s, 10m or 2h. "
	case "int", "float64":
		return "Use a number. "
	case "bool":
		return "Use the flag without a value. "
	}
	why := errors.Unwrap(err)
	if why == nil {
		return ""
	}
	text := strings.TrimSuffix(why.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:] + ". "
}

// exampleOf shows how a flag is given.
func exampleOf(cmd *cobra.Command, f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	switch f.Value.Type() {
	case "duration":
		value = "10m"
	case "int":
		value = "1"
	case "bool":
		return cmd.CommandPath() + " --" + f.Name
	default:
		value = strings.ToUpper(value)
	}
	return cmd.CommandPath() + " --" + f.Name + " " + value
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}

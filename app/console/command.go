package console

import "github.com/spf13/cobra"

// Attach connects a root command with the world: its streams, its version, and
// wrong flags as wrong usage. Errors are left to [World.Report].
func (w *World) Attach(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage, root.DisableAutoGenTag = true, true, true
	root.SetIn(w.In)
	root.SetOut(w.Out)
	root.SetErr(w.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Usage("%w", err) })
}

// UsageArgs makes what a check of arguments reports wrong usage. A nil check
// allows all arguments.
func UsageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return Usage("%w", err)
		}
		return nil
	}
}

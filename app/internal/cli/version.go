package cli

import (
	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: groupHelp,
		Short:   "Show the version",
		Long: `Show the version, the commit it was built from and the commit's date.
A build of "go install" knows only its version. Put the output of
"sayso version --json" into bug reports.`,
		Example: `  $ sayso version
  $ sayso version --json`,
		Args:              console.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // works with wrong settings, too
		RunE: func(*cobra.Command, []string) error {
			b := console.ThisBuild()
			if p.json {
				return p.PrintJSON(b)
			}
			return p.Print("sayso " + b.String())
		},
	}
}

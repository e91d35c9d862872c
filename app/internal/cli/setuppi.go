package cli

import (
	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/setup"
)

func (p *program) setupPiCommand() *cobra.Command {
	s, o := &settingUp{}, &setup.PiOptions{}
	cmd := &cobra.Command{
		Use:   "pi",
		Short: "Connect pi to sayso",
		Long: `Connect pi to sayso. sayso adds an extension, which gives pi's model the tool ask_user.
It shows what it adds, and writes it after you confirm.

pi uses its tools without asking. With --permissions, it asks before it uses any tool
but read, grep, find, ls and ask_user, in its terminal and in your inbox, and uses it
only if you allow it. --permissions=false changes that back.`,
		Example: `  $ sayso setup pi
  $ sayso setup pi --permissions
  $ sayso setup pi --undo`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := p.setupEnv()
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("permissions") {
				o = nil // as it was
			}
			return p.setupAll(e, s, []*setup.Agent{setup.Pi(o)})
		},
	}
	s.bind(cmd)
	cmd.Flags().BoolVar(&o.Permissions, "permissions", false, "ask before pi uses a tool that does more than read")
	return cmd
}

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/terminal"
)

func (p *program) inboxCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "inbox",
		Short:   "Answer open questions in the terminal",
		Long: `Answer open questions in the terminal, one after another. New questions appear while
the inbox is open. It needs a terminal; elsewhere use "sayso web" or "sayso answer".`,
		Example: "  $ sayso inbox",
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.inbox(cmd.Context()) },
	}
}

func (p *program) inbox(ctx context.Context) error {
	if p.dialog == "auto" {
		p.dialog = "always"
	}
	here, err := p.here()
	if err != nil {
		return noTerminal(err, "the inbox", "Use \"sayso list\" and \"sayso answer ID\", or open the browser inbox: sayso web.")
	}
	defer here.Close()
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	err = here.Inbox(ctx, c.Inbox(), p.Say)
	if errors.Is(err, terminal.ErrLater) {
		return &console.ExitError{Code: console.ExitLater}
	}
	return err
}

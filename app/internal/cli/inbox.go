package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/terminal"
)

func (p *program) inboxCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "inbox",
		Short:   "Answer everything that waits, one after another",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.inbox(cmd.Context()) },
	}
}

func (p *program) inbox(ctx context.Context) error {
	if p.dialog == "auto" {
		p.dialog = "always"
	}
	here, err := p.here()
	if err != nil {
		return fmt.Errorf("%w for an inbox; see what waits with: sayso list", err)
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

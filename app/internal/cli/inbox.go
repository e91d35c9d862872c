package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) inboxCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "inbox",
		Short: "Answer everything that waits, one after another",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.inbox(cmd.Context()) },
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
	if p.isPlain() {
		return p.plainInbox(ctx, here, c)
	}
	return tui.RunInbox(ctx, c.Inbox(), here.options(nil))
}

// plainInbox goes through what waits, oldest first, until nothing is left or the
// person leaves one for later.
func (p *program) plainInbox(ctx context.Context, here *here, c *client.Client) error {
	for {
		tickets, err := collect(ctx, c, &hub.Filter{})
		if err != nil {
			return err
		}
		if len(tickets) == 0 {
			p.Say("All caught up.")
			return nil
		}
		p.Say("Waiting for you: %d", len(tickets))
		got, err := here.ask(ctx, c, tickets[0])
		if err != nil {
			return err
		}
		if got.Open() {
			return &console.ExitError{Code: console.ExitLater}
		}
	}
}

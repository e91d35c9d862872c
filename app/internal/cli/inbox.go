package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/notify/tty"
	"github.com/saysohq/sayso/app/surface/terminal"
)

func (p *program) inboxCommand() *cobra.Command {
	alert := "auto"
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "inbox",
		Short:   "Answer open questions in the terminal",
		Long: `Answer open questions in the terminal, one after another. New questions appear while
the inbox is open. If you look elsewhere meanwhile, the terminal rings, or shows a
notification if it can, and its title has the number of questions.

It needs a terminal; elsewhere use "sayso web" or "sayso answer".`,
		Example: "  $ sayso inbox",
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.inbox(cmd.Context(), alert) },
	}
	bind(cmd.Flags(), "alert", &alert)
	return cmd
}

func (p *program) inbox(ctx context.Context, alert string) error {
	p.alert = p.alerting(alert)
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

// alerting returns what makes the terminal ring; nil: nothing does.
func (p *program) alerting(how string) func(waiting int) string {
	switch how {
	case "bell":
		return func(int) string { return "\a" }
	case "auto":
		here := tty.Of(p.Getenv)
		return func(waiting int) string {
			if waiting == 1 {
				return here.Alert("inbox", "sayso", "A question waits for you.")
			}
			return here.Alert("inbox", "sayso", fmt.Sprintf("%d questions wait for you.", waiting))
		}
	}
	return nil
}

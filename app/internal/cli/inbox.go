package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/notify/tty"
	"github.com/saysohq/sayso/app/surface/terminal"
)

func (p *program) inboxCommand() *cobra.Command {
	alert, grace := "auto", time.Duration(0)
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "inbox",
		Short:   "Answer open questions in the terminal",
		Long: `Answer open questions in the terminal, one after another. New questions appear while
the inbox is open. If you look elsewhere meanwhile, the terminal rings, or shows a
notification if it can, and its title has the number of questions.

An answer is held for 5 seconds, or as long as you chose in your settings, before the
agent gets it; u undoes it. Press ? for all keys.

It needs a terminal; elsewhere use "sayso web" or "sayso answer".`,
		Example: "  $ sayso inbox\n  $ sayso inbox --grace 0s",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if grace < 0 || grace > 30*time.Second {
				return console.Usage("--grace cannot be %s", grace).Next("Use a duration from 0s to 30s.")
			}
			if cmd.Flags().Changed("grace") && grace == 0 {
				grace = -1
			}
			p.grace = grace
			return p.inbox(cmd.Context(), alert)
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long an answer can be undone before the agent gets it, 0s to 30s (default: your setting, else 5s)")
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

package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) waitCommand() *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		GroupID: groupAsk,
		Use:     "wait ID",
		Short:   "Wait for the answer to an earlier question",
		Long: `Wait for the answer to an earlier question, and print it as "sayso ask" does. The
answer then counts as delivered: it can no longer be undone.`,
		Example: `  $ sayso wait ask_7f3
  $ sayso wait ask_7f3 --wait 10m`,
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error { return p.waitFor(ctx, c, t, limit) })
		},
	}
	cmd.Flags().Var(console.Positive(&limit), "wait", "exit with 75 after this time (default: no limit)")
	return cmd
}

func (p *program) waitFor(ctx context.Context, c *client.Client, t *hub.Ticket, limit time.Duration) error {
	run := &asking{wait: limit, tool: toolOf(t.Ask)}
	p.dialog = "never" // the asker waits, and does not answer
	return p.awaitAnswer(ctx, c, t, run)
}

func (p *program) withdrawCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		GroupID: groupAsk,
		Use:     "withdraw ID",
		Short:   "Withdraw a question",
		Long: `Withdraw a question that needs no answer any more. It is closed everywhere, and
nobody can answer it.`,
		Example:           `  $ sayso withdraw ask_7f3 --reason "Found it myself"`,
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				t, err := c.Withdraw(ctx, t.Handle, sayso.StatusCancelled, reason)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` that the person reads")
	return cmd
}

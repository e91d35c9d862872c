package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) waitCommand() *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		GroupID: groupAsk,
		Use:     "wait ID",
		Short:   "Wait for the answer to an earlier ask, and print it",
		Long: `Wait for the answer to an earlier ask, and print it as "sayso ask" would have.
This is for the asker: from then on the answer cannot be taken back.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error { return p.waitFor(ctx, c, t, limit) })
		},
	}
	cmd.Flags().DurationVar(&limit, "wait", 0, "wait at most this long, then exit with 75 (default: as long as it takes)")
	return cmd
}

func (p *program) waitFor(ctx context.Context, c *client.Client, t *hub.Ticket, limit time.Duration) error {
	run := &asking{wait: limit, tool: toolOf(t.Ask)}
	p.dialog = "never" // whoever waits is not who answers
	return p.awaitAnswer(ctx, c, t, run)
}

func (p *program) withdrawCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		GroupID:           groupAsk,
		Use:               "withdraw ID",
		Short:             "Take an ask back; it is no longer to be answered",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				t, err := c.Withdraw(ctx, t.Handle, sayso.StatusCancelled, reason)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the person")
	return cmd
}

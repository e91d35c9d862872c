package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) reaskCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "reask ID",
		Short:   "Ask a closed question again",
		Long: `Ask a question again that is closed: answered by somebody else, declined, expired or
withdrawn. It is a new question with the same text, for the same people, and has no
deadline. The agent gets the answer with its next prompt. The closed one stays as it is.

To change an answer that you gave yourself, use "sayso amend". You cannot ask a
permission request again: the call that it was about has ended.`,
		Example:           "  $ sayso reask ask_7f3",
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(closedIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				again, err := c.Inbox().(hub.Desk).AskAgain(ctx, t)
				switch {
				case errors.Is(err, hub.ErrOpen):
					return console.Fault("question %q is still open", t.Ask.ID).Next("Answer it: sayso answer %s.", t.Ask.ID)
				case err != nil:
					return refusal(err, "reask", t)
				case p.json:
					return p.PrintJSON(viewOf(again))
				}
				p.Say("Asked again as %s. Answer it: sayso answer %s", again.Ask.ID, again.Ask.ID)
				return nil
			})
		},
	}
}

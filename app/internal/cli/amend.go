package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) amendCommand() *cobra.Command {
	var g given
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "amend ID ANSWER...",
		Short:   "Change an answer that you gave",
		Long: `Change an answer that you gave. If the agent has the earlier one, it gets this one as a
late message that says so. An ANSWER is given as to "sayso answer".

You can change a permission request only until the agent has your decision: it goes by
it at once.`,
		Example: `  $ sayso amend ask_7f3 1
  $ sayso amend ask_7f3 --reply "Neither, let us talk first"`,
		ValidArgsFunction: p.complete(answeredIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usage("amend needs the id of a question").Next("Usage: sayso amend ID ANSWER. What you answered: sayso history.")
			}
			if g.words = args[1:]; min(len(g.words), 1)+min(len(g.list), 1)+min(len(g.reply), 1) != 1 {
				return console.Usage("amend needs one answer: as arguments, --answers or --reply").Next("Example: sayso amend %s \"your answer\".", args[0])
			}
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				o, err := sayso.ByAskKind(t.Ask, p.reply, p.decision)(ctx, c, t, &g)
				if err != nil {
					return err
				}
				changed, err := c.Amend(ctx, t, o)
				switch {
				case errors.Is(err, hub.ErrOpen) && t.Held != nil:
					return console.Fault("your answer was not changed: the agent does not have the earlier one yet").Next("Take it back and answer again: sayso undo %s.", t.Ask.ID)
				case errors.Is(err, hub.ErrOpen):
					return console.Fault("nothing to change: question %q is open", t.Ask.ID).Next("Answer it: sayso answer %s.", t.Ask.ID)
				case errors.Is(err, hub.ErrConsumed):
					return console.Fault("your decision was not changed: the agent has gone by it").Next("Details: sayso show %s.", t.Ask.ID)
				case closedElsewhere(err) != nil:
					return console.Fault("cannot change an answer of somebody else: %q was %s", t.Ask.ID, told(closedElsewhere(err))).Next("Details: sayso show %s.", t.Ask.ID)
				}
				return p.closed(changed, err)
			})
		},
	}
	cmd.Flags().StringVar(&g.list, "answers", "", "answers as a JSON `list`: a text, a list of texts or null for each question")
	cmd.Flags().StringVar(&g.reply, "reply", "", "`text` in reply to all questions instead of answers")
	cmd.Flags().BoolVar(&g.yes, "yes", false, "also choose options that are marked as dangerous")
	return cmd
}

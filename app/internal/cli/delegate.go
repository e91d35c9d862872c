package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) delegateCommand() *cobra.Command {
	var comment string
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "delegate [ID PERSON]",
		Short:   "Hand a question to another person",
		Long: `Hand a question to another person. They find it in their inbox, are notified of it
with your comment, and may answer it. You may still answer it, too. Without arguments,
it lists the people that your hub knows: those with a key, a browser that is signed in,
or notifications.`,
		Example: `  $ sayso delegate
  $ sayso delegate ask_7f3 bob --comment "You know this database better than I do"`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return p.people(cmd.Context())
			case 1:
				return console.Usage("delegate needs the id of a question and a person").Next("People: sayso delegate. Example: sayso delegate %s bob", args[0])
			}
			return p.delegate(cmd.Context(), args[0], args[1], comment)
		},
	}
	cmd.Flags().StringVar(&comment, "comment", "", "`text` for that person")
	return cmd
}

func (p *program) people(ctx context.Context) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Inbox().(hub.Desk).People(ctx)
	switch {
	case err != nil:
		return err
	case p.json:
		return p.PrintJSON(map[string]any{"people": append([]string{}, all...)})
	case len(all) == 0:
		p.Say("Nobody else uses this hub, so there is nobody to delegate to.")
		return nil
	}
	return p.Print(sayso.SafeText(strings.Join(all, "\n")) + "\n")
}

func (p *program) delegate(ctx context.Context, name, to, comment string) error {
	return p.withAsk(ctx, name, func(c *client.Client, t *hub.Ticket) error {
		passed, err := c.Inbox().(hub.Desk).Delegate(ctx, t, to, comment)
		if err != nil {
			return refusal(err, "delegate", t)
		}
		if p.json {
			return p.PrintJSON(viewOf(passed))
		}
		p.Say("Delegated to %s. You may still answer it: sayso answer %s", sayso.SafeLine(to), t.Ask.ID)
		return nil
	})
}

// refusal says what the hub has against it, and who was faster.
func refusal(err error, what string, t *hub.Ticket) error {
	if winner := closedElsewhere(err); winner != nil {
		return console.Fault("question %q was %s", t.Ask.ID, told(winner)).Next("Details: sayso show %s.", t.Ask.ID)
	}
	var bad *sayso.InvalidError
	if !errors.As(err, &bad) || len(bad.Problems) == 0 {
		return err
	}
	var each []string
	for _, one := range bad.Problems {
		each = append(each, strings.TrimSpace(one.Path+" "+one.Message))
	}
	return console.Fault("cannot %s question %q: %s", what, t.Ask.ID, strings.Join(each, "; ")).Next("Help: sayso %s --help.", what)
}

package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) historyCommand() *cobra.Command {
	f := &finder{}
	f.View, f.Limit, f.limited = hub.ViewClosed, 20, true
	cmd := &cobra.Command{
		Use:     "history",
		GroupID: groupAnswer,
		Short:   "List closed questions and their answers",
		Long: `List closed questions and their answers, newest first.

A secret answer is not shown. All of one question: sayso show ID.`,
		Example: `  $ sayso history
  $ sayso history --since 24h --limit 5
  $ sayso history --person ann --workspace shop`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(time.Now()); err != nil {
				return err
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.history(cmd.Context(), c, f) })
		},
	}
	p.findFlags(cmd, f)
	return cmd
}

func (p *program) history(ctx context.Context, c *client.Client, f *finder) error {
	tickets, total, err := f.find(ctx, c)
	if err != nil {
		return err
	}
	return p.printFound(tickets, total, p.showHistory, "No closed questions. Open ones: sayso list.")
}

// showHistory prints a table that fits a terminal, or for a program the same cells
// whole, with tabs between them.
func (p *program) showHistory(tickets []*hub.Ticket, now time.Time) error {
	c := &columns{
		head: []column{{title: "ID"}, {title: "CLOSED"}, {title: "STATUS"}, {title: "QUESTION", most: 40, least: 16}, {title: "ANSWER"}},
	}
	terminal := console.IsTerminal(p.Out)
	short := shortIDs(tickets)
	for i, t := range tickets {
		id := t.Ask.ID
		if terminal {
			id = short[i]
		}
		c.rows = append(c.rows, []string{id, age(t.Outcome.At, now) + " ago", string(t.Status()), sayso.Meta(t.Ask), answerLine(t)})
	}
	if terminal {
		return p.Print(c.fit(p.columns()))
	}
	return p.Print(c.tabs())
}

// answerLine is the answer of a closed question on one line, without secrets.
func answerLine(t *hub.Ticket) string {
	if _, secret := t.Ask.Marks(); secret && t.Status() == sayso.StatusAnswered {
		return "(secret)"
	}
	if t.Status() != sayso.StatusAnswered {
		return t.Outcome.Reason
	}
	return strings.ReplaceAll(plainAnswer(t.Ask, t.Outcome), "\n", ", ")
}

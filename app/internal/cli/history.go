package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/hub"
)

func (p *program) historyCommand() *cobra.Command {
	var limit int
	var since time.Duration
	cmd := &cobra.Command{
		Use:     "history",
		GroupID: groupAnswer,
		Short:   "List closed questions and their answers",
		Long: `List closed questions and their answers, newest first.

A secret answer is not shown. All of one question: sayso show ID.`,
		Example: `  $ sayso history
  $ sayso history --since 24h --limit 5`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case limit < 1 || limit > 1000:
				return console.Usage("--limit cannot be %d", limit).Next("Use a number from 1 to 1000.")
			case since < 0:
				return console.Usage("--since cannot be %q", since).Next("Use a duration such as 90m or 24h.")
			}
			return p.history(cmd.Context(), limit, since)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many questions")
	cmd.Flags().DurationVar(&since, "since", 0, "only questions that were closed within this time, for example 24h")
	return cmd
}

func (p *program) history(ctx context.Context, limit int, since time.Duration) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	now := time.Now()
	var newest []*hub.Ticket // at most twice the limit, so that a long history takes no memory
	err = hub.Each(ctx, c, &hub.Filter{Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		if t.Open() || since > 0 && now.Sub(t.Outcome.At) > since {
			return true
		}
		if newest = append(newest, t); len(newest) >= 2*limit {
			newest = newestFirst(newest)[:limit]
		}
		return true
	})
	if err != nil {
		return err
	}
	newest = newestFirst(newest)
	newest = newest[:min(limit, len(newest))]
	if p.json {
		return p.printTickets(newest)
	}
	if len(newest) == 0 {
		p.Say("No closed questions. Open ones: sayso list.")
		return nil
	}
	return p.showHistory(newest, now)
}

func newestFirst(all []*hub.Ticket) []*hub.Ticket {
	slices.SortStableFunc(all, func(a, b *hub.Ticket) int { return b.Outcome.At.Compare(a.Outcome.At) })
	return all
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

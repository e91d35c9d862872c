package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) listCommand() *cobra.Command {
	f := &hub.Filter{}
	var all bool
	var status string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List what waits, oldest first",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Status = sayso.Status(status)
			if all {
				f.Status = hub.AnyStatus
			}
			return p.list(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also what is closed")
	cmd.Flags().StringVar(&status, "status", "", "only with this status: pending, answered, declined, expired …")
	cmd.Flags().StringVar(&f.Conversation, "conversation", "", "only of this conversation")
	return cmd
}

func (p *program) list(ctx context.Context, f *hub.Filter) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	tickets, err := collect(ctx, c, f)
	if err != nil {
		return err
	}
	if p.json {
		views := []ticketJSON{}
		for _, t := range tickets {
			views = append(views, viewOf(t))
		}
		return p.PrintJSON(map[string]any{"asks": views})
	}
	if len(tickets) == 0 {
		p.Say("All caught up.")
		return nil
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	now := time.Now()
	for _, t := range tickets {
		o := &t.Ask.Origin
		row := []string{t.Ask.ID, age(t.Ask.AskedAt, now), who(o), place(o), string(t.Status()), sayso.Meta(t.Ask)}
		for i, cell := range row {
			row[i] = shorten(cell, 60)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// collect returns everything that the filter selects, oldest first.
func collect(ctx context.Context, c *client.Client, f *hub.Filter) ([]*hub.Ticket, error) {
	var all []*hub.Ticket
	err := hub.Each(ctx, c, f, func(t *hub.Ticket) bool { all = append(all, t); return true })
	slices.SortStableFunc(all, func(a, b *hub.Ticket) int {
		if d := a.Ask.AskedAt.Compare(b.Ask.AskedAt); d != 0 {
			return d
		}
		return strings.Compare(a.Ask.ID, b.Ask.ID)
	})
	return all, err
}

func (p *program) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show an ask and what became of it",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withAsk(cmd.Context(), args[0], func(_ *client.Client, t *hub.Ticket) error {
				if p.json {
					return p.PrintJSON(viewOf(t))
				}
				return p.Print(describe(t, time.Now()))
			})
		},
	}
}

// withAsk finds the ask that the person means and hands it on.
func (p *program) withAsk(ctx context.Context, name string, do func(*client.Client, *hub.Ticket) error) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	t, err := p.find(ctx, c, name)
	if err != nil {
		return err
	}
	return do(c, t)
}

// describe tells everything about an ask that a person wants to know. The lines
// of the asker are indented, so that none can pass for one of ours.
func describe(t *hub.Ticket, now time.Time) string {
	o := &t.Ask.Origin
	lines := []string{t.Ask.ID, "asked by " + sayso.SafeLine(who(o)) + " · " + sayso.SafeLine(place(o)) + " · " + age(t.Ask.AskedAt, now) + " ago"}
	if len(t.Ask.To) > 0 {
		lines = append(lines, "to "+sayso.SafeLine(strings.Join(t.Ask.To, ", ")))
	}
	if !t.Ask.Deadline.IsZero() {
		lines = append(lines, "until "+t.Ask.Deadline.Format(time.RFC3339))
	}
	lines = append(lines, "", indent(sayso.RenderCall(t.Ask)), "")
	if t.Open() {
		return strings.Join(append(lines, "open"), "\n")
	}
	return strings.Join(append(lines, told(t)+" at "+t.Outcome.At.Format(time.RFC3339), indent(sayso.RenderResult(t.Ask, t.Outcome))), "\n")
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

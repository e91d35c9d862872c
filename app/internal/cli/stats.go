package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/stats"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/client"
)

func (p *program) statsCommand() *cobra.Command {
	since := "30d"
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "stats",
		Short:   "Show what questions cost",
		Long: `Show for how long agents were blocked by questions and permission prompts, how soon
people answered, what was asked again, and which questions should have been asked
differently.

An agent counts as blocked from a question to its end. Questions that wait in one
conversation at the same time count once.`,
		Example: `  $ sayso stats
  $ sayso stats --since 7d --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := time.Now()
			from, err := moment("since", since, now)
			if err != nil {
				return err
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.stats(cmd.Context(), c, now, from) })
		},
	}
	cmd.Flags().StringVar(&since, "since", since, "from this `time` on: 24h, 30d, or a date")
	return cmd
}

func (p *program) stats(ctx context.Context, c *client.Client, now, since time.Time) error {
	r, err := stats.Make(ctx, c, &stats.Options{Now: now, Since: since, Zone: now.Location()})
	if err != nil {
		return err
	}
	if p.json {
		return p.PrintJSON(r)
	}
	if r.Asked+r.Open+r.Answered == 0 {
		p.Say("Nothing was asked since %s. A longer time: sayso stats --since 90d.", since.Format(time.DateOnly))
		return nil
	}
	return p.Print(p.statsText(r))
}

// statsText is a report for people.
func (p *program) statsText(r *stats.Report) string {
	w := words.English()
	var b strings.Builder
	fmt.Fprintf(&b, "Since %s: %s asked, %s answered, %s declined, %s expired, %s waiting now.\n",
		w.Date(r.Since, r.Until.Location()), w.Number(r.Asked), w.Number(r.Answered), w.Number(r.Declined), w.Number(r.Expired), w.Number(r.Open))
	fmt.Fprintf(&b, "Agents were blocked for %s.", w.Duration(r.Blocked.Duration()))
	if r.N > 0 {
		fmt.Fprintf(&b, " Half of the answers came within %s, 9 of 10 within %s.", w.Duration(r.P50.Duration()), w.Duration(r.P90.Duration()))
	}
	b.WriteString("\n")
	for _, part := range []struct {
		title, unnamed string
		kinds          bool
		groups         []stats.Group
	}{
		{"AGENT (AS IT SAYS)", "-", false, r.Agents}, {"ASKER", sayso.Unverified, false, r.Askers}, {"KIND", "-", true, r.Kinds}, {"ANSWERED BY", "you", false, r.People},
	} {
		c := &columns{head: []column{{title: part.title, most: 30, least: 12}, {title: "BLOCKED"}, {title: "ASKED"}, {title: "ANSWERED"}, {title: "DECLINED"}, {title: "EXPIRED"}, {title: "P50"}, {title: "P90"}}}
		for _, g := range part.groups[:min(len(part.groups), 12)] {
			name := g.Name
			switch {
			case name == "":
				name = part.unnamed
			case part.kinds:
				name = w.KindName(name)
			}
			row := []string{name, w.Duration(g.Blocked.Duration()), strconv.Itoa(g.Asked), strconv.Itoa(g.Answered), strconv.Itoa(g.Declined), strconv.Itoa(g.Expired), "-", "-"}
			if g.N > 0 {
				row[6], row[7] = w.Duration(g.P50.Duration()), w.Duration(g.P90.Duration())
			}
			c.rows = append(c.rows, row)
		}
		if len(c.rows) > 0 {
			fmt.Fprintf(&b, "\n%s\n", p.table(c))
		}
	}
	p.statsHints(&b, w, r)
	return strings.TrimSuffix(b.String(), "\n")
}

// statsHints says what was asked again, and what should have been asked differently.
func (p *program) statsHints(b *strings.Builder, w *words.Catalogue, r *stats.Report) {
	if len(r.Repeated) > 0 {
		c := &columns{head: []column{{title: "ASKED AGAIN"}, {title: "LAST ID"}, {title: "QUESTION"}}}
		for _, q := range r.Repeated[:min(len(r.Repeated), 10)] {
			c.rows = append(c.rows, []string{w.Count(w.Stats.Times, q.Asked), q.ID, q.Text})
		}
		fmt.Fprintf(b, "\n%s\n", p.table(c))
	}
	for _, found := range r.Rules {
		rule := w.Stats.Rule(string(found.Rule))
		fmt.Fprintf(b, "\n%s (%s): %s\n", rule.Name, w.Count(w.Stats.Found, found.Found), string(found.Rule))
		fmt.Fprintf(b, "  %s\n  Instead: %s\n", rule.Why, rule.Instead)
		n := 0
		for _, f := range r.Findings {
			if f.Rule == found.Rule && n < 3 {
				fmt.Fprintf(b, "  %s  %s\n", f.ID, sayso.SafeLine(f.Text))
				n++
			}
		}
	}
	if r.Cut {
		b.WriteString("\n" + w.Stats.OnlyPart + "\n")
	}
	if r.Damaged > 0 {
		b.WriteString("\n" + w.Count(w.Stats.Damaged, r.Damaged) + "\n")
	}
}

// table fits a table to the terminal; a program gets its cells with tabs between them.
func (p *program) table(c *columns) string {
	if console.IsTerminal(p.Out) {
		return c.fit(p.columns())
	}
	var titles []string
	for _, h := range c.head {
		titles = append(titles, h.title)
	}
	return strings.TrimSuffix(strings.Join(titles, "\t")+"\n"+c.tabs(), "\n")
}

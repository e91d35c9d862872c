package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) listCommand() *cobra.Command {
	f := &finder{}
	var all bool
	var status string
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List open questions",
		Long: `List open questions, oldest first, but not those that you have put off or delegated
(sayso search --view later). On a terminal the columns fit its width, and ids are
shortened. A pipe gets whole ids, and --json everything.`,
		Example: `  $ sayso list
  $ sayso list --agent planner --group
  $ sayso list --status answered
  $ sayso list --all --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.limited = cmd.Flags().Changed("limit")
			if err := f.read(time.Now()); err != nil {
				return err
			}
			wanted, err := statusOf(status, all)
			if err != nil {
				return err
			}
			if f.View = hub.ViewOpen; wanted != "" {
				f.View = hub.ViewAll
			}
			if wanted != hub.AnyStatus {
				f.Status = wanted
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.list(cmd.Context(), c, f) })
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also list closed questions")
	cmd.Flags().StringVar(&status, "status", "", "only questions with this `status`, for example answered")
	p.findFlags(cmd, f)
	return cmd
}

func (p *program) list(ctx context.Context, c *client.Client, f *finder) error {
	tickets, total, err := f.find(ctx, c)
	if err != nil {
		return err
	}
	if f.Order == "" && !f.limited {
		tickets = f.grouped(oldestFirst(tickets))
	}
	return p.printFound(tickets, total, p.showList, nothingListed(f))
}

// showList prints a table that fits a terminal, or the same cells for a program.
func (p *program) showList(tickets []*hub.Ticket, now time.Time) error {
	if console.IsTerminal(p.Out) {
		return p.Print(listColumns(tickets, now).fit(p.columns()))
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 4, 2, ' ', 0)
	for _, t := range tickets {
		row := []string{
			t.Ask.ID, age(t.Ask.AskedAt, now), string(t.Status()), "by " + t.Ask.Origin.Verified(),
			"says " + cmp.Or(t.Ask.Origin.Claim(), "nothing"), sayso.Meta(t.Ask), strings.Join(marks(t, now), ", "),
		}
		for i, cell := range row {
			row[i] = shorten(cell, 60)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	w.Flush()
	return p.Show(strings.TrimSuffix(table.String(), "\n"))
}

// statuses are what --status takes.
func statuses() []string { return namesOf(sayso.Statuses()) }

// statusOf returns what to list: the status that is named, also among closed
// questions, or all or the open ones if none is.
func statusOf(name string, all bool) (sayso.Status, error) {
	switch {
	case name == "" && all, name == string(hub.AnyStatus):
		return hub.AnyStatus, nil
	case name == "" || slices.Contains(statuses(), name):
		return sayso.Status(name), nil
	}
	return "", console.Usage("unknown status %q", name).Next("%sUse --status with one of %s.", console.DidYouMean(name, statuses()), strings.Join(statuses(), ", "))
}

// nothingListed says that the flags select nothing, and how to see more.
func nothingListed(f *finder) string {
	open := f.View == hub.ViewOpen || f.Status == sayso.StatusPending
	switch {
	case f.filters():
		return "No questions with these filters. All open questions: sayso list."
	case open && f.Conversation == "":
		return "All caught up."
	case open:
		return fmt.Sprintf("No open questions in the conversation %q. All open questions: sayso list.", f.Conversation)
	case f.Status == "":
		return "No questions yet."
	}
	return fmt.Sprintf("No questions with status %q. All questions: sayso list --all.", f.Status)
}

// listColumns is the list for a terminal. Who asks, as the hub knows it, stands
// apart from what the asker says about itself.
func listColumns(tickets []*hub.Ticket, now time.Time) *columns {
	c := &columns{
		head: []column{{title: "ID"}, {title: "AGE"}, {title: "STATUS"}, {title: "BY", most: 20, least: 10}, {title: "SAYS", most: 28, least: 10}, {title: "QUESTION"}},
	}
	short := shortIDs(tickets)
	for i, t := range tickets {
		question := sayso.Meta(t.Ask)
		if m := marks(t, now); len(m) > 0 {
			question = "[" + strings.Join(m, ", ") + "] " + question
		}
		by := strings.TrimSuffix(t.Ask.Origin.Verified(), " (a program on this machine)")
		c.rows = append(c.rows, []string{short[i], age(t.Ask.AskedAt, now), string(t.Status()), by, t.Ask.Origin.Claim(), question})
	}
	return c
}

// marks are what a person should know of an ask before they open it.
func marks(t *hub.Ticket, now time.Time) []string {
	var all []string
	if kind := permission(t.Ask); kind != "" {
		all = append(all, kind)
	}
	if !t.Open() {
		return all
	}
	danger, secret := t.Ask.Marks()
	if danger {
		all = append(all, "dangerous")
	}
	if secret {
		all = append(all, "secret")
	}
	if t.Ask.Warning() != "" {
		all = append(all, "asks for a secret")
	}
	if !t.Ask.Deadline.IsZero() {
		all = append(all, remaining(t.Ask.Deadline.Sub(now))+" left")
	}
	if held := t.Ask.HeldUp().Short(); held != "" {
		all = append(all, held)
	}
	return all
}

// collect returns everything that the filter selects, oldest first.
func collect(ctx context.Context, c *client.Client, f *hub.Filter) ([]*hub.Ticket, error) {
	var all []*hub.Ticket
	err := hub.Each(ctx, c, f, func(t *hub.Ticket) bool { all = append(all, t); return true })
	return oldestFirst(all), err
}

// oldestFirst sorts by when the questions were asked.
func oldestFirst(all []*hub.Ticket) []*hub.Ticket {
	slices.SortStableFunc(all, func(a, b *hub.Ticket) int {
		return cmp.Or(a.Ask.AskedAt.Compare(b.Ask.AskedAt), strings.Compare(a.Ask.ID, b.Ask.ID))
	})
	return all
}

func (p *program) showCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "show ID",
		Short:   "Show a question and its answer",
		Long: `Show a question and its answer: who asks, as far as the hub knows, what the asker says
about itself, the text, every option with its number, and what became of it.

A permission request is shown with everything that will run, however large it is.
The digest at its end says that you have been shown all of it.`,
		Example:           "  $ sayso show ask_7f3",
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				all, size, err := opened(ctx, c, t)
				if p.json {
					view := viewOf(all)
					if all != t {
						view.Digest, view.Whole = t.Digest, all.Digest
					}
					return p.PrintJSON(view)
				}
				return p.Show(describe(all, storedNote(t, size, err), time.Now()))
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

// describe tells everything about an ask that a person wants to know, and that the
// digest covers. The lines of the asker are indented, so that none can pass for one
// of ours.
func describe(t *hub.Ticket, stored string, now time.Time) string {
	a := t.Ask
	lines := []string{a.ID, "Asked by: " + a.Origin.Verified()}
	if claim := a.Origin.Claim(); claim != "" {
		lines = append(lines, "Says it is: "+claim)
	}
	lines = append(lines, "Asked: "+age(a.AskedAt, now)+" ago")
	if len(a.To) > 0 {
		lines = append(lines, "To: "+sayso.SafeLine(strings.Join(a.To, ", ")))
	}
	if t.Again != nil {
		line := "Asked again: repeats " + sayso.SafeLine(t.Again.Of)
		if t.Again.By != "" {
			line += ", by " + sayso.SafeLine(t.Again.By)
		}
		lines = append(lines, line)
	}
	for _, d := range t.Passed {
		line := "Delegated by " + sayso.SafeLine(d.From) + " to " + sayso.SafeLine(d.To)
		if d.Comment != "" {
			line += ": " + strconv.Quote(sayso.SafeLine(d.Comment))
		}
		lines = append(lines, line)
	}
	if !a.Deadline.IsZero() {
		lines = append(lines, "Deadline: "+a.Deadline.Format(time.RFC3339))
	}
	if held := a.HeldUp().String(); held != "" {
		lines = append(lines, "Held up until you answer: "+held)
	}
	for _, note := range []string{a.Needs(), a.Notice(), a.Warning(), stored} {
		if note != "" {
			lines = append(lines, note)
		}
	}
	if stored == "" {
		lines = append(lines, "Digest: "+t.Digest)
	}
	lines = append(lines, "")
	lines = append(lines, sayso.ByAskKind(a, questionLines, approvalLines)(a)...)
	if stored != "" { // it is for who has read all of it
		lines = append(lines, "Digest: "+t.Digest)
	}
	for _, e := range t.History {
		lines = append(lines, string(e.Why)+": "+told(&hub.Ticket{Outcome: e.Outcome})+" at "+e.Outcome.At.Format(time.RFC3339), indent(sayso.RenderResult(a, e.Outcome)))
	}
	if t.Held != nil {
		given := &hub.Ticket{Outcome: t.Held.Outcome}
		return strings.Join(append(lines, told(given)+" at "+given.Outcome.At.Format(time.RFC3339)+held(t), indent(sayso.RenderResult(a, given.Outcome)),
			"until then, take it back with: sayso undo "+a.ID), "\n")
	}
	if t.Open() {
		how := sayso.ByAskKind(a, "ANSWER", "allow, or deny --message TEXT")
		return strings.Join(append(lines, "open; answer with: sayso answer "+a.ID+" "+how), "\n")
	}
	return strings.Join(append(lines, told(t)+" at "+t.Outcome.At.Format(time.RFC3339), indent(sayso.RenderResult(a, t.Outcome))), "\n")
}

func questionLines(a *sayso.Ask) (lines []string) {
	for i := range a.Questions {
		lines = append(lines, indent(strings.TrimRight(sayso.RenderQuestion(a, i), "\n")), "")
	}
	return lines
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

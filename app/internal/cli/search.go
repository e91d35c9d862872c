package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// finder is what the flags of list, history and search select.
type finder struct {
	hub.Search
	since, before string
	kind, order   string
	group         bool
	limited       bool // --limit was given, or the command has one by default
}

func (p *program) searchCommand() *cobra.Command {
	f := &finder{}
	f.View, f.Limit, f.limited = hub.ViewAll, 20, true
	view := string(hub.ViewAll)
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "search WORDS...",
		Short:   "Search open and closed questions",
		Long: `Search open and closed questions, newest first. Every word has to be at the beginning
of a word of the question, its body, its options, the answer, a note, or a name: of an
agent, a workspace, a branch, a conversation or a person.

All of one question: sayso show ID.`,
		Example: `  $ sayso search database
  $ sayso search retry --agent planner --since 7d
  $ sayso search invoice --view closed --json`,
		RunE: func(cmd *cobra.Command, words []string) error {
			f.Text = strings.Join(words, " ")
			f.View = hub.View(view)
			if !slices.Contains(views(), view) {
				return console.Usage("unknown view %q", view).Next("%sUse --view with one of %s.", console.DidYouMean(view, views()), strings.Join(views(), ", "))
			}
			if err := f.read(time.Now()); err != nil {
				return err
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.search(cmd.Context(), c, f) })
		},
	}
	cmd.Flags().StringVar(&view, "view", view, "where to search: `VIEW` is "+strings.Join(views(), ", "))
	cmd.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(views(), cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	p.findFlags(cmd, f)
	return cmd
}

func views() []string { return namesOf(hub.Views()) }

// findFlags adds the filters that every list has.
func (p *program) findFlags(cmd *cobra.Command, f *finder) {
	flags := cmd.Flags()
	for _, one := range []struct {
		name  string
		to    *string
		usage string
	}{
		{"agent", &f.Agent, "only questions of this agent or program (`name`)"},
		{"asker", &f.Asker, "only questions asked with the key of this `name`"},
		{"workspace", &f.Workspace, "only questions from this workspace (`path`)"},
		{"branch", &f.Branch, "only questions from this branch (`name`)"},
		{"conversation", &f.Conversation, "only questions of this conversation (`name`)"},
		{"person", &f.Person, "only questions to this person, or answered by them (`name`)"},
	} {
		flags.StringVar(one.to, one.name, "", one.usage)
		cmd.RegisterFlagCompletionFunc(one.name, p.completeFacet(one.name))
	}
	// Settings of these names say what an agent asks as, and not what to look for. That
	// of list has been one from the beginning.
	notASetting(flags, "agent")
	if cmd.Name() != "list" {
		notASetting(flags, "conversation")
	}
	flags.StringVar(&f.kind, "kind", "", "only questions or only permission prompts (`KIND`: questions, approval)")
	cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{string(sayso.AskQuestions), string(sayso.AskApproval)}, cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVar(&f.Blocking, "blocking", false, "only questions that hold up other work")
	flags.StringVar(&f.since, "since", "", "only from this `time` on: 90m, 24h, 7d, or a date")
	flags.StringVar(&f.before, "before", "", "only from before this `time`: 90m, 24h, 7d, or a date")
	flags.StringVar(&f.order, "order", "", "`ORDER` is oldest, newest or blocking")
	cmd.RegisterFlagCompletionFunc("order", cobra.FixedCompletions(orders(), cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVar(&f.group, "group", false, "questions of one conversation together")
	flags.IntVar(&f.Limit, "limit", f.Limit, "how many questions")
}

func orders() []string { return namesOf(hub.Orders()) }

// namesOf are the values that a flag takes.
func namesOf[T ~string](all []T) (names []string) {
	for _, one := range all {
		names = append(names, string(one))
	}
	return names
}

// completeFacet completes the value of a filter with those that questions have.
func (p *program) completeFacet(name string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
		values := p.complete(func(ctx context.Context, c *client.Client) (all []string, err error) {
			found, err := c.Search(ctx, &hub.Search{View: hub.ViewAll, Facets: true, Limit: 1})
			if err != nil {
				return nil, err
			}
			for _, v := range found.Facets[name] {
				all = append(all, cobra.CompletionWithDesc(sayso.SafeLine(v.Value), strconv.Itoa(v.Count)))
			}
			return all, nil
		})
		return values(cmd, nil, begin)
	}
}

// read checks what the flags say.
func (f *finder) read(now time.Time) error {
	if f.limited && (f.Limit < 1 || f.Limit > 1000) {
		return console.Usage("--limit cannot be %d", f.Limit).Next("Use a number from 1 to 1000.")
	}
	var err error
	if f.After, err = moment("since", f.since, now); err != nil {
		return err
	}
	if f.Before, err = moment("before", f.before, now); err != nil {
		return err
	}
	kinds := []string{"", string(sayso.AskQuestions), string(sayso.AskApproval)}
	if !slices.Contains(kinds, f.kind) {
		return console.Usage("unknown kind %q", f.kind).Next("%sUse --kind questions or --kind approval.", console.DidYouMean(f.kind, kinds[1:]))
	}
	f.Kind = sayso.AskKind(f.kind)
	if f.order != "" && !slices.Contains(orders(), f.order) {
		return console.Usage("unknown order %q", f.order).Next("%sUse --order with one of %s.", console.DidYouMean(f.order, orders()), strings.Join(orders(), ", "))
	}
	f.Order = hub.Order(f.order)
	return nil
}

// filters reports whether anything but the view, the status and the conversation is
// searched for: what only a search can do.
func (f *finder) filters() bool {
	g := f.Search
	g.View, g.Status, g.Conversation, g.Limit, g.Order, g.Cursor = "", "", "", 0, "", ""
	return g != hub.Search{}
}

// find returns what the flags select, and how much there is in all. A key that may not
// answer cannot search; it lists.
func (f *finder) find(ctx context.Context, c *client.Client) (tickets []*hub.Ticket, total int, err error) {
	s := f.Search
	for {
		if s.Limit = 1000; f.limited {
			s.Limit = f.Limit - len(tickets)
		}
		page, err := c.Search(ctx, &s)
		if (errors.Is(err, hub.ErrNotAllowed) || errors.Is(err, errors.ErrUnsupported)) && !f.filters() && s.Cursor == "" {
			return f.list(ctx, c)
		}
		if err != nil {
			return nil, 0, cannotSearch(err, "search", ", or use sayso list without filters")
		}
		total = max(total, page.Total)
		for _, it := range page.Items {
			tickets = append(tickets, it.Ticket)
		}
		if s.Cursor = page.Next; s.Cursor == "" || f.limited && len(tickets) >= f.Limit {
			return f.grouped(tickets), total, nil
		}
	}
}

// cannotSearch says what to do about a key, or a hub, that cannot search.
func cannotSearch(err error, what, or string) error {
	switch {
	case errors.Is(err, hub.ErrNotAllowed):
		return console.Fault("this key cannot %s", what).Next("Use a key of the role answerer%s.", or)
	case errors.Is(err, errors.ErrUnsupported):
		return console.Fault("the hub cannot search: it is older than this program").Next("Update the hub%s.", or)
	}
	return err
}

// list is find for a key, or a hub, that knows nothing but lists.
func (f *finder) list(ctx context.Context, c *client.Client) (tickets []*hub.Ticket, total int, err error) {
	filter := &hub.Filter{Status: cmp.Or(f.Status, hub.AnyStatus), Conversation: f.Conversation}
	if f.View == hub.ViewOpen {
		filter.Status = sayso.StatusPending
	}
	tickets, err = collect(ctx, c, filter)
	if f.View == hub.ViewClosed {
		tickets = slices.DeleteFunc(tickets, (*hub.Ticket).Open)
		slices.SortStableFunc(tickets, func(a, b *hub.Ticket) int { return b.Outcome.At.Compare(a.Outcome.At) })
	}
	total = len(tickets)
	if f.limited {
		tickets = tickets[:min(len(tickets), f.Limit)]
	}
	return f.grouped(tickets), total, err
}

// grouped puts the questions of one conversation together, if that is wanted, in the
// place of the first of them.
func (f *finder) grouped(tickets []*hub.Ticket) []*hub.Ticket {
	if !f.group {
		return tickets
	}
	first := map[string]int{}
	for i, t := range tickets {
		if _, ok := first[t.Address.Conversation]; !ok {
			first[t.Address.Conversation] = i
		}
	}
	slices.SortStableFunc(tickets, func(a, b *hub.Ticket) int {
		return cmp.Compare(first[a.Address.Conversation], first[b.Address.Conversation])
	})
	return tickets
}

func (p *program) search(ctx context.Context, c *client.Client, f *finder) error {
	tickets, total, err := f.find(ctx, c)
	if err != nil {
		return err
	}
	return p.printFound(tickets, total, p.showList, "Nothing found. Words match from their beginning, and all of them have to.")
}

// printFound prints a part of what a finder has found, or says that it is nothing.
func (p *program) printFound(tickets []*hub.Ticket, total int, show func([]*hub.Ticket, time.Time) error, nothing string) error {
	switch {
	case p.json:
		return p.printTickets(tickets)
	case len(tickets) == 0:
		p.Say("%s", nothing)
		return nil
	}
	if err := show(tickets, time.Now()); err != nil {
		return err
	}
	if total > len(tickets) && console.IsTerminal(p.Out) {
		p.Say("%d of %d shown. More: --limit %d", len(tickets), total, min(total, 1000))
	}
	return nil
}

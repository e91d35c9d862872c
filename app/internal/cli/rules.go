package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "rules",
		Short:   "Let rules decide about permission prompts",
		Long: `Let rules decide about permission prompts that you would only repeat yourself for.

A rule that allows is made from one prompt that you allowed. It allows exactly that
call again: same agent, directory, tool and input, to the byte. It ends by itself.
Patterns can deny a prompt, or leave it to a named person; they never allow anything.

A rule sees only what the agent asks about. It saves work, it guards nothing: the
agent's own settings decide before. Its own "always allow" also works without a hub.`,
		Example: `  $ sayso rules list
  sayso rules add allow ask_7f3 --for 1h
  $ sayso rules add deny --tool Bash --contains "rm -rf" --message "Use trash." --yes`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.rulesList(), p.rulesAdd(), p.rulesRehearse(), p.rulesExplain(), p.rulesRevoke())
	return cmd
}

// withClient connects to the hub and hands it on.
func (p *program) withClient(ctx context.Context, do func(*client.Client) error) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

func (p *program) rulesList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules",
		Long: `List the rules that you may see: yours, and everybody's that deny or name a person.
How often a rule was used counts what it allowed. What every rule decided is in:
sayso approvals.`,
		Example: `  $ sayso rules list
  $ sayso rules list --all --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withClient(cmd.Context(), func(c *client.Client) error {
				list, err := c.Rules(cmd.Context())
				if err != nil {
					return err
				}
				return p.printRules(list, all)
			})
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also list rules that have ended")
	return cmd
}

func (p *program) printRules(list []hub.Rule, all bool) error {
	now := time.Now()
	shown := []hub.Rule{}
	for _, r := range list {
		if all || rules.Live(&r, now) {
			shown = append(shown, r)
		}
	}
	if p.json {
		return p.PrintJSON(api.RuleList{Rules: shown})
	}
	if len(shown) == 0 {
		p.Say("No rules. Make one: sayso rules add --help.")
		return nil
	}
	c := &columns{head: []column{{title: "ID"}, {title: "BY", most: 16, least: 4}, {title: "USED"}, {title: "RULE"}}}
	for _, r := range shown {
		used := ""
		if r.Act == hub.RuleAllow {
			used = fmt.Sprint(r.Used)
		}
		what := rules.Describe(&r, now)
		if r.Note != "" {
			what += " – " + r.Note
		}
		c.rows = append(c.rows, []string{r.ID, ruleMaker(r.By), used, what})
	}
	if console.IsTerminal(p.Out) {
		return p.Print(c.fit(p.columns()))
	}
	return p.Print(c.tabs())
}

func ruleMaker(by string) string {
	if by == "" {
		return "you"
	}
	return by
}

func (p *program) rulesRevoke() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a rule",
		Long: `Revoke a rule. When the command returns, the rule decides nothing any more, on any
node. A call that it allowed just before may still be on its way to the agent.`,
		Example: `  sayso rules revoke rule_7f3kq2v5xjd3ta
  $ sayso rules revoke --all`,
		Args:              console.MaybeArg,
		ValidArgsFunction: p.complete(ruleIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return console.Usage("rules revoke needs the id of one rule, or --all").Next("Rules: sayso rules list.")
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error {
				id := "all"
				if !all {
					var err error
					if id, err = findRule(cmd.Context(), c, args[0]); err != nil {
						return err
					}
				}
				ended, err := c.RevokeRule(cmd.Context(), id)
				if errors.Is(err, hub.ErrNotFound) {
					return console.Fault("no rule of yours with id %q", id).Next("Rules: sayso rules list.")
				}
				if err != nil {
					return err
				}
				if p.json {
					return p.PrintJSON(api.RuleList{Rules: ended})
				}
				p.Say("%d revoked", len(ended))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "revoke all of your rules")
	return cmd
}

// findRule returns the id that a person means by the beginning of it.
func findRule(ctx context.Context, c *client.Client, name string) (string, error) {
	list, err := c.Rules(ctx)
	if err != nil {
		return "", err
	}
	var ids, begin []string
	for _, r := range list {
		if r.ID == name {
			return name, nil
		}
		if hasPrefix(r.ID, name) {
			begin = append(begin, r.ID)
		}
		ids = append(ids, r.ID)
	}
	switch len(begin) {
	case 0:
		return "", console.Fault("no rule with id %q", name).Next("%sRules: sayso rules list.", console.DidYouMean(name, ids))
	case 1:
		return begin[0], nil
	}
	return "", console.Usage("%d rules have an id that begins with %q", len(begin), name).Next("Use more of the id: %s", begin[0])
}

// ruleIDs are the rules that still decide something.
func ruleIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	list, err := c.Rules(ctx)
	now := time.Now()
	for _, r := range list {
		if rules.Live(&r, now) {
			ids = append(ids, cobra.CompletionWithDesc(r.ID, shorten(rules.Describe(&r, now), 50)))
		}
	}
	return ids, err
}

func (p *program) rulesExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "Say which rule decided, or why none did",
		Long: `Say which rule decided about a permission prompt. If none did, list the nearest rules
and what is different. They are compared as they are now.`,
		Example:           "  sayso rules explain ask_7f3",
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withAsk(cmd.Context(), args[0], func(c *client.Client, t *hub.Ticket) error {
				e, err := c.ExplainRules(cmd.Context(), t.Handle)
				if err != nil {
					return err
				}
				if p.json {
					return p.PrintJSON(e)
				}
				return p.Show(sayso.SafeText(e.Text))
			})
		},
	}
}

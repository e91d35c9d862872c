package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func hasPrefix(id, name string) bool {
	return strings.HasPrefix(id, name) || strings.HasPrefix(id, "rule_"+name)
}

func (p *program) rulesAdd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Make a rule",
		Long: `Make a rule. Before it is saved, it is rehearsed: what would it have done to the
prompts that you decided? Then the command asks whether you want it.`,
		Example: `  sayso rules add allow ask_7f3 --count 5
  $ sayso rules add deny --tool Bash --contains "rm -rf" --yes`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.ruleAllow(true), p.ruleDeny(true), p.ruleRequire(true))
	return cmd
}

func (p *program) rulesRehearse() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Try a rule on what you decided before",
		Long: `Say what a rule would have done to the permission prompts that you decided, and make
none. It takes the same flags as "sayso rules add".`,
		Example: `  sayso rules rehearse allow ask_7f3 --for 1h
  $ sayso rules rehearse deny --tool Bash --contains "rm -rf"`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.ruleAllow(false), p.ruleDeny(false), p.ruleRequire(false))
	return cmd
}

// ruleFlags are those of one command that makes a rule, or rehearses it.
type ruleFlags struct {
	p       *program
	saves   bool
	request api.RuleRequest
	pattern hub.RulePattern
	kind    string
	length  time.Duration
	yes     bool
}

func (p *program) ruleFlags(cmd *cobra.Command, act hub.RuleAct, saves bool) *ruleFlags {
	f := &ruleFlags{p: p, saves: saves, request: api.RuleRequest{Act: act}}
	cmd.Flags().StringVar(&f.request.Note, "note", "", "`text` for yourself")
	if saves {
		cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "save it without asking")
	} else {
		cmd.Flags().IntVar(&f.request.Last, "last", rules.Last, "how many of your last decisions to look at")
	}
	if act == hub.RuleAllow {
		cmd.Flags().DurationVar(&f.length, "for", 0, "it ends after this time, at most 720h (30 days)")
		cmd.Flags().IntVar(&f.request.Count, "count", 0, "it ends after so many uses")
		cmd.Flags().BoolVar(&f.request.Session, "session", false, "it ends with the agent's session")
		return f
	}
	cmd.Flags().DurationVar(&f.length, "for", 0, "it ends after this time, at most 720h (30 days); without it, when you revoke it")
	cmd.Flags().StringVar(&f.pattern.Tool, "tool", "", "`name` of the tool; * stands for anything")
	cmd.Flags().Var(console.OneOf(&f.kind, "kind", kindWords()...), "kind", "what the prompt is about")
	cmd.Flags().StringVar(&f.pattern.Host, "program", "", "`name` of the agent's program, for example claude-code; * stands for anything")
	cmd.Flags().StringVar(&f.pattern.Agent, "subagent", "", "`name` of a sub-agent; * stands for anything")
	cmd.Flags().StringVar(&f.pattern.Workspace, "workspace", "", "`folder` of the project; * stands for anything")
	cmd.Flags().StringVar(&f.pattern.Cwd, "dir", "", "`folder` in which it runs; * stands for anything")
	cmd.Flags().StringVar(&f.pattern.Contains, "contains", "", "`text` in what runs, or in the path of a file")
	cmd.Flags().StringVar(&f.pattern.Regexp, "regexp", "", "regular `expression` that what runs, or a path, has to match")
	return f
}

func kindWords() (words []string) {
	for _, k := range sayso.ApprovalKinds() {
		words = append(words, string(k))
	}
	return words
}

func (p *program) ruleAllow(saves bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "allow ID",
		Short: "Allow exactly this call again",
		Long: `Allow again, without asking you, what you allowed once: the same call by the same agent
in the same directory, to the byte. Name the prompt by its id. The rule ends with the
first of --session, --for and --count, and after 30 days in any case.

You cannot make a rule of what you allowed unseen or with a changed input, nor of plans
and grants.`,
		Example: ruleExample(saves, "  sayso rules add allow ask_7f3 --for 1h\n  sayso rules add allow ask_7f3 --session --count 20"),
		Args:    console.Arg("the id of a prompt that you allowed", "Decided prompts: sayso approvals."),
	}
	f := p.ruleFlags(cmd, hub.RuleAllow, saves)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.length == 0 && f.request.Count == 0 && !f.request.Session {
			return console.Usage("a rule that allows has to end").Next("Use --for 1h, --count 5 or --session.")
		}
		return p.withAsk(cmd.Context(), args[0], func(c *client.Client, t *hub.Ticket) error {
			f.request.Ask = t.Handle
			if !p.json && t.Ask.Approval != nil {
				p.Say("%s", allowText(t))
			}
			return f.run(cmd.Context(), c)
		})
	}
	return cmd
}

// allowText says what exactly a rule would allow.
func allowText(t *hub.Ticket) string {
	a, o := t.Ask.Approval, t.Ask.Origin
	lines := []string{"Exactly this call:", "  " + a.Summary(), "  tool " + a.Tool + ", input " + a.Input.SHA256[:min(12, len(a.Input.SHA256))] + "…"}
	for _, f := range []struct{ name, value string }{{"directory", a.Cwd}, {"workspace", o.Workspace}, {"asked by", o.Verified()}, {"says it is", o.Claim()}} {
		if f.value != "" {
			lines = append(lines, "  "+f.name+" "+sayso.SafeLine(f.value))
		}
	}
	return strings.Join(lines, "\n")
}

func ruleExample(saves bool, text string) string {
	if saves {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, " rules add ", " rules rehearse "), " --yes", "")
}

func (p *program) ruleDeny(saves bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deny",
		Short: "Deny prompts that match a pattern",
		Long: `Deny permission prompts that match a pattern, with a message for the model. Every flag
that you give has to match. It denies only what you could answer yourself.

It is not a guard: a command can be written in many ways, and the agent runs what its own
settings allow without asking.`,
		Example: ruleExample(saves, `  $ sayso rules add deny --tool Bash --contains "rm -rf" --message "Move it to ./trash instead." --yes`),
		Args:    console.NoArgs,
	}
	f := p.ruleFlags(cmd, hub.RuleDeny, saves)
	cmd.Flags().StringVar(&f.request.Message, "message", "", "what the model is told (`text`)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return p.withClient(cmd.Context(), func(c *client.Client) error { return f.run(cmd.Context(), c) })
	}
	return cmd
}

func (p *program) ruleRequire(saves bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "require",
		Short: "Leave matching prompts to a named person",
		Long: `Leave permission prompts that match a pattern to named people: only they can answer in
the inbox. It holds for everybody at this hub, so it takes an admin key; at your own
hub you have all rights. The agent's own dialog, where it has one, stays as it is.`,
		Example: ruleExample(saves, `  $ sayso rules add require --tool 'mcp__db__*' --person ann --yes`),
		Args:    console.NoArgs,
	}
	f := p.ruleFlags(cmd, hub.RuleRequire, saves)
	cmd.Flags().StringSliceVar(&f.request.People, "person", nil, "`name` of who has to answer (repeatable)")
	var level int
	cmd.Flags().IntVar(&level, "assurance", 0, "how sure the hub must be of who answers: 1 is a key")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		f.request.Assurance = sayso.Assurance(level)
		if len(f.request.People) == 0 && level == 0 {
			return console.Usage("rules %s needs --person or --assurance", map[bool]string{true: "add require", false: "rehearse require"}[saves]).Next("Name who has to answer: --person ann.")
		}
		return p.withClient(cmd.Context(), func(c *client.Client) error { return f.run(cmd.Context(), c) })
	}
	return cmd
}

// run rehearses the rule, and saves it if it is to be saved and the person wants it.
func (f *ruleFlags) run(ctx context.Context, c *client.Client) error {
	p := f.p
	f.pattern.Kind = sayso.ApprovalKind(f.kind)
	f.request.Pattern = f.pattern
	if f.length < 0 || f.length > rules.LongestAllow || f.length > 0 && f.length < time.Second {
		return console.Usage("--for cannot be %s", f.length).Next("Use a duration from 1s to 720h (30 days).")
	}
	f.request.Seconds = int64(f.length / time.Second)
	h, err := c.RehearseRule(ctx, &f.request)
	switch {
	case errors.Is(err, hub.ErrNotAllowed) && f.saves:
		h = nil // an admin key does not read prompts
	case err != nil:
		return ruleFault(err)
	}
	if !p.json {
		if h == nil {
			p.Say("Not rehearsed: this key does not read permission prompts.")
		} else {
			p.Say("%s", rehearsalText(h))
		}
	}
	if !f.saves {
		if p.json {
			return p.PrintJSON(h)
		}
		return nil
	}
	if !f.yes && !p.confirm("Save this rule?") {
		return console.Fault("nothing was saved").Next("Without asking: add --yes.")
	}
	r, err := c.AddRule(ctx, &f.request)
	if err != nil {
		return ruleFault(err)
	}
	if p.json {
		return p.PrintJSON(map[string]any{"rule": r, "rehearsal": h})
	}
	p.Say("Saved: %s", rules.Describe(r, time.Now()))
	return p.Print(r.ID)
}

// rehearsalText is what a rehearsal found, with what the person decided otherwise.
func rehearsalText(h *api.Rehearsal) string {
	lines := []string{h.Text}
	if len(h.Other) > 1 {
		for _, d := range h.Other {
			what := "denied "
			if d.Allowed {
				what = "allowed "
			}
			lines = append(lines, "  "+what+shortTime(d.At)+"  "+shorten(d.Summary, 80))
		}
	}
	return strings.Join(lines, "\n")
}

// ruleFault says why a rule cannot be made.
func ruleFault(err error) error {
	var bad *sayso.InvalidError
	if !errors.As(err, &bad) || len(bad.Problems) == 0 {
		return err
	}
	var each []string
	for _, one := range bad.Problems {
		name := one.Path
		if name == "ask" {
			name = "this prompt"
		}
		each = append(each, strings.TrimSpace(name+" "+one.Message))
	}
	return console.Usage("not a rule: %s", strings.Join(each, "; ")).Next("Help: sayso rules add --help.")
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/conversation"
)

// opened is a command that works at a desk.
func (p *program) opened(use, short, long, example string, args cobra.PositionalArgs, run func(context.Context, *desk, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: "  " + example,
		Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := console.Interruptible(cmd.Context(), p.signals)
			defer stop()
			d, err := p.open(ctx)
			if err != nil {
				return err
			}
			defer d.close()
			return run(ctx, d, args)
		},
	}
}

func (p *program) sessionsCommand() *cobra.Command {
	return p.opened("sessions", "List the conversations", "List the conversations. Branches are indented below the one they come from.", "sayso-agent sessions", console.NoArgs,
		func(ctx context.Context, d *desk, _ []string) error {
			tree, err := d.tree(ctx)
			if err != nil {
				return err
			}
			return p.Print(strings.TrimSuffix(tree, "\n"))
		})
}

func (p *program) questionsCommand() *cobra.Command {
	return p.opened("questions", "List questions and answers", "List the questions of the conversation, with their numbers and answers.", "sayso-agent questions", console.NoArgs,
		func(ctx context.Context, d *desk, _ []string) error {
			c, err := p.current(ctx, d)
			if err != nil {
				return err
			}
			if p.json {
				return p.PrintJSON(map[string]any{"conversation": c.ID, "questions": d.Questions(c)})
			}
			return p.Print(strings.TrimSuffix(d.questions(c), "\n"))
		})
}

func (p *program) branchCommand() *cobra.Command {
	return p.opened("branch QUESTION", "Ask a question again in a new conversation", "Make a new conversation that ends before a question, and ask that question again.\nThe number is that of \"sayso-agent questions\".", "sayso-agent branch 2", console.Arg("the number of a question", "Questions: sayso-agent questions."),
		func(ctx context.Context, d *desk, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return console.Usage("invalid question number %q", args[0]).Next("Use a number of: sayso-agent questions.")
			}
			c, err := p.current(ctx, d)
			if err != nil {
				return err
			}
			id, err := d.Branch(ctx, c.ID, n, newID()[:4])
			if err != nil {
				return err
			}
			p.Say("conversation %s", id)
			if c, err = d.settle(ctx, id); err != nil {
				return console.Interrupted(ctx, err)
			}
			return p.withFiles(func(f *files) error { return p.rested(ctx, d, f, c) })
		})
}

func (p *program) compactCommand() *cobra.Command {
	return p.opened("compact", "Summarize the conversation", "Summarize the conversation for the model, so that it fits. Questions and answers stay as\nthey are.", "sayso-agent compact", console.NoArgs,
		func(ctx context.Context, d *desk, _ []string) error {
			c, err := p.current(ctx, d)
			if err != nil {
				return err
			}
			if err := d.Compact(ctx, c.ID); err != nil {
				return err
			}
			if c, err = d.Get(ctx, c.ID); err != nil {
				return err
			}
			return p.Print(c.Transcript[len(c.Transcript)-1].Text)
		})
}

func (p *program) purgeCommand() *cobra.Command {
	var force bool
	cmd := p.opened("purge CONVERSATION", "Remove a conversation for good", "Remove a conversation and its branches for good.", "sayso-agent purge c7qk2", console.Arg("the id of a conversation", "Conversations: sayso-agent sessions."),
		func(ctx context.Context, d *desk, args []string) error {
			purged, err := d.Purge(ctx, args[0], force)
			var busy *agent.BusyError
			if errors.As(err, &busy) {
				err = console.Fault("conversation %q is not finished (%s), and nothing was removed", busy.Conversation, busy.State).
					Next("Finish it, or withdraw its questions: sayso-agent purge %s --force.", args[0])
			}
			if err != nil {
				return console.Interrupted(ctx, err)
			}
			err = p.withFiles(func(f *files) error {
				for _, id := range purged {
					if _, _, err := f.write(ctx, &agent.Conversation{ID: id}); err != nil { // which waits for nothing
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if p.json {
				return p.PrintJSON(map[string]any{"purged": purged})
			}
			return p.Print(strings.Join(purged, "\n"))
		})
	cmd.Flags().BoolVar(&force, "force", false, "also remove an unfinished conversation, and withdraw its questions")
	return cmd
}

// current returns the conversation that is meant.
func (p *program) current(ctx context.Context, d *desk) (*agent.Conversation, error) {
	id, err := p.last(ctx, d)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, noConversation()
	}
	c, err := d.Get(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("conversation %s: %w", id, err)
	}
	return c, nil
}

func noConversation() error {
	return console.Fault("no conversation in this folder").Next("Start one: sayso-agent -p \"your message\".")
}

// questions lists what a conversation has asked.
func (d *desk) questions(c *agent.Conversation) string {
	var b strings.Builder
	for _, q := range d.Questions(c) {
		says := sayso.RenderCall(q.Ask) + "\n→ " + sayso.SafeLine(cmp.Or(q.Told, "waits"))
		if q.Outcome != nil {
			says = sayso.RenderResult(q.Ask, q.Outcome)
		}
		fmt.Fprintf(&b, "%d. %s\n", q.Number, strings.ReplaceAll(strings.TrimSpace(says), "\n", "\n   "))
	}
	for _, a := range c.Asks() {
		if len(a.Origin.Agents) > 0 {
			fmt.Fprintf(&b, "%s asks: %s\n   → waits\n", sayso.SafeLine(strings.Join(a.Origin.Agents, " ▸ ")), sayso.Title(a))
		}
	}
	if b.Len() == 0 {
		return "Nothing was asked.\n"
	}
	return b.String()
}

// tree lists the conversations, the last to change first, branches below their
// origin.
func (d *desk) tree(ctx context.Context) (string, error) {
	var all []agent.Summary
	if err := d.List(ctx, func(s agent.Summary) bool { all = append(all, s); return true }); err != nil {
		return "", err
	}
	slices.SortFunc(all, func(a, b agent.Summary) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.ID, b.ID))
	})
	known := map[string]bool{}
	for _, s := range all {
		known[s.ID] = true
	}
	var b strings.Builder
	var list func(parent string, depth int) error
	list = func(parent string, depth int) error {
		for _, s := range all {
			from := agent.ParentOf(s.ID)
			if !known[from] {
				from = ""
			}
			if from != parent {
				continue
			}
			title, err := d.title(ctx, s.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s%s  %s  %s\n", strings.Repeat("  ", depth), s.ID, s.State, title)
			if err := list(s.ID, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := list("", 0); err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "No conversations.\n", nil
	}
	return b.String(), nil
}

// title is the beginning of a conversation.
func (d *desk) title(ctx context.Context, id string) (string, error) {
	c, err := d.Get(ctx, id)
	if err != nil {
		return "", err
	}
	for _, e := range c.Transcript {
		if e.Role == conversation.RoleUser {
			if r := []rune(sayso.SafeLine(e.Text)); len(r) > 60 {
				return string(r[:59]) + "…", nil
			}
			return sayso.SafeLine(e.Text), nil
		}
	}
	return "", nil
}

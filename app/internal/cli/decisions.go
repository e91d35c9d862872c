package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// decisionFlags are what the flags of decisions say.
type decisionFlags struct {
	workspace, since, file string
	approvals              bool
}

func (p *program) decisionsCommand() *cobra.Command {
	f := &decisionFlags{}
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "decisions",
		Short:   "Write answered questions as Markdown",
		Long: `Write what people decided in a workspace as Markdown, by date: the question, its
options, the answer in the person's words, who gave it, and where it was asked.

With -o, decisions that the file does not have yet are added to it, each below its
date. Everything else in the file stays as it is, so you can edit it. Questions that
ask for a secret are left out, and permission prompts are unless --approvals is given.`,
		Example: `  $ sayso decisions
  $ sayso decisions --since 30d -o DECISIONS.md
  $ sayso decisions --workspace shop --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			after, err := moment("since", f.since, time.Now())
			if err != nil {
				return err
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.decisions(cmd.Context(), c, f, after) })
		},
	}
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "decisions of this workspace (`name`); default: the repository or folder you are in")
	cmd.RegisterFlagCompletionFunc("workspace", p.completeFacet("workspace"))
	cmd.Flags().StringVar(&f.since, "since", "", "only from this `time` on: 24h, 30d, or a date")
	cmd.Flags().StringVarP(&f.file, "output", "o", "", "add what is new to this `file` (default: print everything)")
	cmd.Flags().BoolVar(&f.approvals, "approvals", false, "also write permission prompts")
	return cmd
}

func (p *program) decisions(ctx context.Context, c *client.Client, f *decisionFlags, after time.Time) error {
	if f.workspace == "" {
		f.workspace = p.origin().Workspace
	}
	tickets, err := decided(ctx, c, f, after)
	if err != nil {
		return err
	}
	entries := decisionEntries(tickets)
	if f.file != "" {
		return p.writeDecisions(f, entries)
	}
	if p.json {
		return p.printTickets(tickets)
	}
	if len(entries) == 0 {
		p.Say("No decisions in the workspace %s. Another one: sayso decisions --workspace NAME.", sayso.SafeLine(f.workspace))
		return nil
	}
	text, _ := addDecisions("", f.workspace, entries)
	return p.Print(text)
}

// decided returns the asks that people answered, the oldest first.
func decided(ctx context.Context, c *client.Client, f *decisionFlags, after time.Time) (all []*hub.Ticket, err error) {
	s := hub.Search{View: hub.ViewClosed, Status: sayso.StatusAnswered, Workspace: f.workspace, After: after, Order: hub.OrderOldest, Limit: 1000}
	if !f.approvals {
		s.Kind = sayso.AskQuestions
	}
	for {
		page, err := c.Search(ctx, &s)
		if err != nil {
			return nil, cannotSearch(err, "read decisions", "")
		}
		for _, it := range page.Items {
			if isDecision(it.Ticket) {
				all = append(all, it.Ticket)
			}
		}
		if s.Cursor = page.Next; s.Cursor == "" {
			return all, nil
		}
	}
}

// isDecision reports whether a person answered, and nothing that asks for a secret.
func isDecision(t *hub.Ticket) bool {
	return t.Status() == sayso.StatusAnswered && t.Outcome.By.Kind.Human() && !t.Ask.WantsSecret()
}

// writeDecisions adds the entries to the file, and says what it did.
func (p *program) writeDecisions(f *decisionFlags, entries []decisionEntry) error {
	name := f.file
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a link stays one
	}
	mode := fs.FileMode(0o644)
	before, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if info, statErr := os.Stat(name); statErr == nil {
		mode = info.Mode().Perm()
	}
	if err != nil {
		return fmt.Errorf("reading the decisions: %w", err)
	}
	text, added := addDecisions(string(before), f.workspace, entries)
	if added > 0 {
		if err := replaceFile(name, text, mode); err != nil {
			return fmt.Errorf("writing the decisions: %w", err)
		}
	}
	if p.json {
		return p.PrintJSON(map[string]any{"file": f.file, "added": added, "decisions": len(entries)})
	}
	switch {
	case len(entries) == 0:
		p.Say("No decisions in the workspace %s: nothing was written.", sayso.SafeLine(f.workspace))
	case added == 0:
		p.Say("%s has all %d decisions: nothing was written.", f.file, len(entries))
	default:
		p.Say("Added %d of %d decisions to %s.", added, len(entries), f.file)
	}
	return nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(name, text string, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".decisions-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

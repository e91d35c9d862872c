package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) eraseCommand() *cobra.Command {
	var yes bool
	var e localhub.Erasure
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "erase",
		Short:   "Erase a conversation for good",
		Long: `Erase every question, answer and draft of a conversation from the hub, also those in
the archive. It shows how many there are and asks first. Open questions are withdrawn,
so agents that wait are told.

Backups and exported audits keep what they have: delete those files yourself. The hub's
own files are rewritten later. A question that is erased before it was exported has no
line in the audit. The security log has the number of questions and a hash of the
conversation's name.`,
		Example: `  sayso erase --conversation shop-4b1f`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Conversation == "" {
				return console.Usage("erase needs --conversation").Next("Conversations are in: sayso list --all --json.")
			}
			return p.erase(cmd.Context(), e, yes)
		},
	}
	cmd.Flags().StringVar(&e.Conversation, "conversation", "", "`name` of the conversation (required)")
	cmd.Flags().StringVar(&e.Tenant, "tenant", localhub.Tenant, "`tenant` of the conversation")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "erase without asking")
	return cmd
}

func (p *program) erase(ctx context.Context, e localhub.Erasure, yes bool) error {
	s, err := p.ownHub("erase")
	if err != nil {
		return err
	}
	if err := p.started(ctx, s); err != nil {
		return err
	}
	e.Look = true
	found, err := s.Erase(ctx, e)
	if err != nil {
		return p.operated(s, "erase the conversation", err)
	}
	if found.Nothing() {
		return console.Fault("tenant %q has no conversation %q", e.Tenant, e.Conversation).Next("Conversations are in: sayso list --all --json.")
	}
	if !p.json {
		p.Say("%s", erasureText("Conversation "+e.Conversation+" has", found))
	}
	if !yes && !p.confirm("Erase them for good?") {
		return console.Fault("nothing was changed").Next("Without asking: sayso erase --conversation %s --yes.", e.Conversation)
	}
	e.Look = false
	done, err := s.Erase(ctx, e)
	if err != nil {
		return p.operated(s, "erase the conversation", err)
	}
	if p.json {
		return p.PrintJSON(done)
	}
	return p.Print(erasureText("Erased", done) + "\nBackups and exported audits keep what they have.")
}

func erasureText(begin string, e *localhub.Erasure) string {
	return fmt.Sprintf("%s %s, %s and %s.", begin, amount(uint64(e.Open), "open question", "open questions"), amount(uint64(e.Closed), "closed question", "closed questions"), amount(uint64(e.Drafts), "draft", "drafts"))
}

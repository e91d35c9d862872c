package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) approvalsCommand() *cobra.Command {
	var since time.Duration
	var all bool
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "approvals",
		Short:   "List who allowed or denied what",
		Long: `List what was decided about permission prompts, oldest first: who or which rule allowed
or denied which call, and when. Decided prompts are kept for 90 days.

With --json it prints one object per line, with the digest of what was shown, the hash
of the input, a changed input, and when the agent received the decision.`,
		Example: `  $ sayso approvals --since 24h
  $ sayso approvals --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if since < 0 {
				return console.Usage("--since cannot be %q", since).Next("Use a duration such as 90m or 24h.")
			}
			return p.withClient(cmd.Context(), func(c *client.Client) error { return p.approvals(cmd.Context(), c, since, all) })
		},
	}
	cmd.Flags().DurationVar(&since, "since", 0, "only what was decided within this time, for example 24h")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also list prompts that are open, expired or withdrawn")
	return cmd
}

func (p *program) approvals(ctx context.Context, c *client.Client, since time.Duration, all bool) error {
	now := time.Now()
	list := []*approvalJSON{}
	err := hub.Each(ctx, c, &hub.Filter{Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		if t.Ask.Approval == nil {
			return true
		}
		a := approvalOf(t)
		if (all || a.Decision != "none") && (since == 0 || now.Sub(a.At) <= since) {
			list = append(list, a)
		}
		return true
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b *approvalJSON) int {
		if d := a.At.Compare(b.At); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	if p.json {
		for _, a := range list {
			if err := p.PrintJSON(a); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		p.Say("No decided permission prompts. Open questions and prompts: sayso list.")
		return nil
	}
	t := &columns{head: []column{{title: "TIME"}, {title: "DECISION"}, {title: "BY", most: 28, least: 10}, {title: "AGENT", most: 20, least: 8}, {title: "ID", most: shortID, least: 4}, {title: "WHAT"}}}
	for _, a := range list {
		t.rows = append(t.rows, []string{shortTime(a.At), a.word(), a.who(), a.agent(), a.ID, a.Summary})
	}
	if console.IsTerminal(p.Out) {
		return p.Print(t.fit(p.columns()))
	}
	return p.Print(t.tabs())
}

// approvalJSON is a line of the record. Its names are part of the format.
type approvalJSON struct {
	At       time.Time       `json:"at"` // of the decision; of the prompt, if there is none
	Decision string          `json:"decision"`
	Status   sayso.Status    `json:"status"`
	By       sayso.Responder `json:"by,omitzero"`
	Rule     string          `json:"rule,omitempty"` // that decided

	Offer   string `json:"offer,omitempty"` // the agent's choice that was taken
	Scope   string `json:"scope,omitempty"`
	Added   string `json:"agentRule,omitempty"` // what the agent was told to store
	Where   string `json:"agentRuleIn,omitempty"`
	Message string `json:"message,omitempty"`
	Changed string `json:"changedInput,omitempty"`
	Unseen  int    `json:"unseenBytes,omitempty"`

	ID        string             `json:"id"`
	Digest    string             `json:"digest"`
	Kind      sayso.ApprovalKind `json:"kind"`
	Tool      string             `json:"tool"`
	Summary   string             `json:"summary"`
	Input     string             `json:"inputSha256"`
	InputSize int                `json:"inputBytes"`

	Asker        string   `json:"asker,omitempty"`
	Via          string   `json:"via,omitempty"`
	Host         string   `json:"host,omitempty"`
	Agents       []string `json:"agents,omitempty"`
	Conversation string   `json:"conversation,omitempty"`
	ToolCall     string   `json:"toolCall,omitempty"`
	Workspace    string   `json:"workspace,omitempty"`
	Cwd          string   `json:"cwd,omitempty"`

	Asked    time.Time   `json:"asked"`
	Consumed time.Time   `json:"consumed,omitzero"` // when the agent got the decision
	History  []hub.Entry `json:"history,omitempty"` // decisions that were undone, or came late
}

func approvalOf(t *hub.Ticket) *approvalJSON {
	a, o := t.Ask.Approval, t.Ask.Origin
	v := &approvalJSON{
		At: t.Ask.AskedAt, Decision: "none", Status: t.Status(),
		ID: t.Ask.ID, Digest: t.Digest, Kind: a.Kind, Tool: a.Tool, Summary: a.Summary(), Input: a.Input.SHA256, InputSize: a.Input.Size,
		Asker: o.Asker, Via: o.Via, Host: o.Host, Agents: o.Agents, Conversation: o.Conversation, ToolCall: o.ToolCall,
		Workspace: o.Workspace, Cwd: a.Cwd, Asked: t.Ask.AskedAt, Consumed: t.Consumed, History: t.History,
	}
	if t.Open() {
		return v
	}
	v.At, v.By = t.Outcome.At, t.Outcome.By
	v.Rule, _ = rules.ByRule(t.Outcome)
	if d := t.Ask.Verdict(t.Outcome); d != nil {
		v.Decision = string(d.Offer.Act)
		v.Offer, v.Scope, v.Added, v.Where = d.Offer.ID, string(d.Offer.Scope), d.Offer.Rule, d.Offer.Where
		v.Message, v.Changed, v.Unseen = d.Message, d.Input, d.Unseen
	}
	return v
}

// word is the decision, with what is special about it.
func (a *approvalJSON) word() string {
	s := a.Decision
	if s == "none" {
		s = string(a.Status)
	}
	switch {
	case a.Unseen > 0:
		s += " unseen"
	case a.Changed != "":
		s += " changed"
	}
	return s
}

// who decided: a person and where, a rule, or the agent's own dialog.
func (a *approvalJSON) who() string {
	switch {
	case a.Rule != "":
		return a.Rule
	case a.By.Kind == sayso.ByProgram:
		return "in " + sayso.SafeLine(a.By.Surface)
	case a.By.Kind == sayso.ByPerson && a.By.ID == "":
		return "you, " + sayso.SafeLine(a.By.Surface)
	case a.By.Kind == sayso.ByPerson:
		return sayso.SafeLine(a.By.ID + ", " + a.By.Surface)
	case a.By.ID != "":
		return sayso.SafeLine(a.By.ID)
	}
	return string(a.By.Kind)
}

func (a *approvalJSON) agent() string {
	return sayso.SafeLine(strings.Join(append([]string{a.Host}, a.Agents...), "/"))
}

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/demo"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// demoConversation holds the questions of every demo, so that the next one finds
// what a killed one left open.
const demoConversation = "sayso-demo"

func (p *program) demoCommand() *cobra.Command {
	web := false
	cmd := &cobra.Command{
		Use:     "demo",
		GroupID: groupHelp,
		Short:   "Answer a scripted agent's three questions",
		Long: `Answer a scripted agent's three questions.

You need no API key, no agent and no network. Each question appears here, in
"sayso inbox" and in "sayso web" at the same time. Answer it anywhere and the
dialog closes everywhere. After each answer, the demo prints the exact text that
the agent's model receives.

The questions go through your own hub. Ctrl+C stops the demo and withdraws the
open question. Answered questions stay in the history for seven days.`,
		Example: `  $ sayso demo
  $ sayso demo --browser`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context(), web) },
	}
	cmd.Flags().BoolVar(&web, "browser", false, "also open the inbox in your browser")
	return cmd
}

func (p *program) demo(ctx context.Context, web bool) error {
	if p.hub == "none" {
		return console.Usage("the demo needs a hub, and --hub is \"none\"").Next("Run it with your own hub: sayso demo --hub \"\"")
	}
	if p.dialog != "never" {
		here, err := p.here()
		if errors.Is(err, errNobodyHere) {
			return console.Usage("the demo needs a terminal and this process has none").
				Next("Run it in a terminal window: sayso demo\nTo answer in another window only: sayso demo --dialog never")
		}
		if err != nil {
			return err
		}
		here.Close()
	}
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	where := "Answer here, or in another window with"
	if p.dialog == "never" {
		where = "Answer in another window with"
	}
	p.Tell("A scripted agent asks three questions. It needs no API key and no network.\n%s: sayso inbox, or sayso web", where)
	if web {
		if err := p.web(ctx, false, false); err != nil {
			return err
		}
	}
	return p.playDemo(ctx, c)
}

// demoResult is what --json prints of one question.
type demoResult struct {
	Kind    string       `json:"kind"`
	Status  sayso.Status `json:"status"`
	Text    string       `json:"text"` // what the model receives
	IsError bool         `json:"isError"`
}

func (p *program) playDemo(ctx context.Context, c *client.Client) error {
	if err := clearDemo(ctx, c); err != nil {
		return err
	}
	run, steps := strings.ToLower(rand.Text()[:8]), demo.Steps()
	var all []demoResult
	for i, step := range steps {
		p.Tell("\nAgent: %s\nIt calls AskUserQuestion, as Claude Code does (%d of %d: %s).\n", step.Says, i+1, len(steps), step.Kind)
		r, status, err := p.demoQuestion(ctx, c, fmt.Sprintf("demo-%s-%d", run, i+1), &step)
		if err != nil {
			return err
		}
		all = append(all, demoResult{step.Kind, status, r.Text, r.IsError})
		if err := p.showReceived(r.Text); err != nil {
			return err
		}
		if r.StopTurn { // as Ctrl+C in the dialog
			return console.ErrInterrupted
		}
	}
	p.Tell("\nAgent: %s\n\nThat was the demo. Connect your own agents with: sayso setup", demo.Last(all[len(all)-1].Text))
	if p.json {
		return p.PrintJSON(map[string]any{"results": all})
	}
	return nil
}

// showReceived prints what the model receives: to a terminal behind bars, to a pipe
// as it is.
func (p *program) showReceived(text string) error {
	switch {
	case p.json:
		return nil
	case !console.IsTerminal(p.Out):
		return p.Print(text)
	}
	p.Tell("The model receives:")
	return p.Show("  | " + strings.ReplaceAll(sayso.SafeText(text), "\n", "\n  | "))
}

// clearDemo withdraws what a demo that was killed left open.
func clearDemo(ctx context.Context, c *client.Client) error {
	var left []*hub.Ticket
	err := hub.Each(ctx, c, &hub.Filter{Conversation: demoConversation}, func(t *hub.Ticket) bool {
		left = append(left, t)
		return true
	})
	for _, t := range left {
		if err == nil {
			_, err = c.Withdraw(ctx, t.Handle, sayso.StatusCancelled, "another demo was started")
		}
	}
	if closedElsewhere(err) != nil {
		return nil
	}
	return err
}

// demoQuestion asks one question and returns what the model receives. A question
// that is still open when something fails is withdrawn: nobody waits for it.
func (p *program) demoQuestion(ctx context.Context, c *client.Client, id string, step *demo.Step) (_ *sayso.Result, _ sayso.Status, err error) {
	tool := demo.Tool()
	a, refusal := tool.Prepare(sayso.Call{ID: id, Conversation: demoConversation, Host: demo.Host, Workspace: demo.Workspace, Arguments: step.Call})
	if refusal != nil {
		return nil, "", errors.New(refusal.Text)
	}
	t, err := c.Submit(ctx, a)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if err == nil {
			return
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, gone := c.Withdraw(last, t.Handle, sayso.StatusCancelled, "the demo was stopped"); gone == nil {
			p.Tell("The question was withdrawn.")
		}
	}()
	got, err := p.attend(ctx, c, t, 0)
	if err != nil {
		return nil, "", err
	}
	if got.Open() {
		p.Tell("The question stays open. Answer it in another window: sayso inbox, or sayso web.\nCtrl+C stops the demo.")
		if got, err = c.Wait(ctx, t.Handle); err != nil {
			return nil, "", err
		}
		p.Tell("%s", told(got))
	}
	return p.demoResult(ctx, c, tool, got)
}

func (p *program) demoResult(ctx context.Context, c *client.Client, tool *sayso.Tool, t *hub.Ticket) (*sayso.Result, sayso.Status, error) {
	got, err := c.Await(ctx, t)
	if err != nil {
		return nil, "", err
	}
	r, err := tool.Finish(got.Ask, got.Outcome.Settled())
	return r, got.Outcome.Status, err
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/pendingfile"
)

func (p *program) answerCommand() *cobra.Command {
	var list, reply string
	cmd := &cobra.Command{
		Use:   "answer [ID|FILE] [ANSWER...]",
		Short: "Answer an ask: in the dialog, or with what the command line says",
		Long: `Answer an ask.

Without an answer it is shown on the terminal. An ANSWER that is exactly the label
of an option chooses it, anything else is your own words; there is one for each
question, in order, or several for a single question that allows several. An empty
one skips the question.

A FILE of questions (see "sayso questions") is answered with one text, which the
asking model reads as it is, or with --answers; without a name it is the first one.`,
		Example: `  sayso answer ask_7f3
  sayso answer ask_7f3 PostgreSQL "order-processor"
  sayso answer ask_7f3 --answers '["PostgreSQL", ["Auth", "REST API"], null]'
  sayso answer ask_7f3 --reply "none of these, let us talk first"`,
		ValidArgsFunction: p.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return console.Usage("name the ask: sayso list shows what waits")
			}
			if len(args) == 0 {
				args = []string{pendingfile.DefaultFile}
			}
			words := args[1:]
			if given := min(len(words), 1) + min(len(list), 1) + min(len(reply), 1); given > 1 {
				return console.Usage("give answers as arguments, with --answers or with --reply")
			}
			ctx := cmd.Context()
			if isFile(args[0]) {
				return p.answerFile(ctx, args[0], words, list, reply)
			}
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				o, err := outcomeOf(t.Ask, words, list, reply)
				if err != nil {
					return err
				}
				if o == nil {
					return p.answerHere(ctx, c, t)
				}
				t, err = c.Answer(ctx, t, o)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&list, "answers", "", "the answers as a JSON list, one for each question: a text, a list of texts, or null")
	cmd.Flags().StringVar(&reply, "reply", "", "a reply to the whole form instead of answers")
	return cmd
}

// outcomeOf makes an outcome of what the command line says, nil if it says
// nothing.
func outcomeOf(a *sayso.Ask, words []string, list, reply string) (*sayso.Outcome, error) {
	form := &pendingfile.Pending{Ask: a}
	switch {
	case reply != "":
		o := form.FromWords(reply)
		return o, saysSomething(o)
	case list == "" && len(words) == 0:
		return nil, nil
	case list == "" && len(words) > len(a.Questions):
		if len(a.Questions) != 1 || !a.Questions[0].Multi {
			return nil, console.Usage("the ask has %d questions, there are %d answers", len(a.Questions), len(words))
		}
		b, err := json.Marshal([][]string{words})
		if err != nil {
			return nil, err
		}
		list = string(b)
	case list == "":
		b, err := json.Marshal(words)
		if err != nil {
			return nil, err
		}
		list = string(b)
	}
	o, err := form.FromList([]byte(list))
	if err != nil {
		return nil, console.Usage("--answers: %w", err)
	}
	return o, saysSomething(o)
}

// saysSomething refuses an answer that says nothing: an empty variable in a script
// must not hand the form back.
func saysSomething(o *sayso.Outcome) error {
	if o.Status == sayso.StatusUnanswered {
		return console.Usage("that says nothing; to refuse, use: sayso decline")
	}
	return nil
}

// answerHere shows the ask on the terminal.
func (p *program) answerHere(ctx context.Context, c *client.Client, t *hub.Ticket) error {
	if !t.Open() {
		return p.closed(nil, fmt.Errorf("the ask is closed: %s", told(t)))
	}
	if p.dialog == "auto" {
		p.dialog = "always" // whoever says answer wants to
	}
	here, err := p.here()
	if err != nil {
		return fmt.Errorf("%w; give the answer on the command line", err)
	}
	defer here.Close()
	got, err := here.ask(ctx, c, t)
	if err != nil {
		return err
	}
	if got.Open() {
		return &console.ExitError{Code: console.ExitLater}
	}
	return p.closed(got, nil)
}

// closed reports what became of an ask that the person has closed. It is no
// result for a program to read, except with --json.
func (p *program) closed(t *hub.Ticket, err error) error {
	if winner := closedElsewhere(err); winner != nil {
		return fmt.Errorf("not taken: %s", told(winner))
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.PrintJSON(viewOf(t))
	}
	p.Say("%s", sayso.RenderResult(t.Ask, t.Outcome))
	return nil
}

func (p *program) declineCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:               "decline ID",
		Short:             "Decline to answer; the agent is told",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				t, err := c.Decline(ctx, t, reason)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the agent")
	return cmd
}

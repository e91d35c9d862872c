package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// asking is one run of ask.
type asking struct {
	question
	file, dialect string
	id            string
	conversation  string
	agents, to    []string
	expires, wait time.Duration
	assurance     int
	final         bool
	traceparent   string

	tool *sayso.Tool // nil: a question given by flags
}

func (p *program) askCommand() *cobra.Command {
	a := &asking{}
	cmd := &cobra.Command{
		GroupID: groupAsk,
		Use:     "ask [QUESTION]",
		Short:   "Ask a question and print the answer",
		Long: `Ask a question and print the answer.

QUESTION is the text. Without it, sayso reads an agent's tool call as JSON from
standard input or --file, and prints the result that this agent's model reads.

The command waits until somebody answers. If it is killed, the question stays open:
the same command in the same folder finds the question and its answer again. With
--id that works in any folder, and again after the answer was received.`,
		Example: `  $ sayso ask "Which database?" -o "PostgreSQL:proven" -o "SQLite:one file"
  $ sayso ask "Ship it?" -o Yes -o No --wait 10m
  $ sayso ask --dialect claude < call.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return console.Usage("ask takes one question; unexpected %q", args[1]).
					Next("Put the question in quotes: sayso ask %q", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.ask(cmd.Context(), a, args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&a.options, "option", "o", nil, "an option, as `label`[:description]; \\: is a colon")
	f.StringVar(&a.recommended, "recommend", "", "`label` of the option that is marked as recommended")
	f.BoolVar(&a.multi, "multi", false, "allow several options")
	f.StringVar(&a.header, "header", "", "short `name` of the question")
	f.StringVar(&a.body, "body", "", "Markdown `text` below the question")
	f.BoolVar(&a.secret, "secret", false, "hide the answer on screens")
	f.StringVarP(&a.file, "file", "f", "", "read a tool call from a `file`")
	f.StringVar(&a.dialect, "dialect", "", "`format` of the tool call (default: detected)")
	f.StringVar(&a.id, "id", "", "`id` of your own; the same id is the same question")
	f.StringVar(&a.conversation, "conversation", "", "`name` of the conversation (default: one for this folder)")
	f.StringArrayVar(&a.agents, "agent", nil, "`name` of the agent that asks, top agent first")
	f.StringArrayVar(&a.to, "to", nil, "`person` the question is for (default: everyone who can answer)")
	f.Var(console.Positive(&a.expires), "expires", "close the question after this time (default: never)")
	f.Var(console.Positive(&a.wait), "wait", "exit with 75 after this time, and leave it open (default: no limit)")
	f.IntVar(&a.assurance, "assurance", 0, "lowest assurance `level` of who answers, 0 to 3")
	f.BoolVar(&a.final, "final", false, "make the answer final while the command waits: no undo")
	f.StringVar(&a.traceparent, "traceparent", "", "W3C trace `context` of the question (default: $TRACEPARENT)")
	cmd.RegisterFlagCompletionFunc("dialect", completeDialects)
	return cmd
}

func (p *program) ask(ctx context.Context, a *asking, args []string) error {
	if a.assurance < 0 || a.assurance > 3 {
		return console.Usage("invalid value \"%d\" for --assurance", a.assurance).Next("Use --assurance 0, 1, 2 or 3.")
	}
	one, refusal, err := p.buildAsk(a, args)
	if err != nil {
		return err
	}
	if refusal != nil {
		return p.printRefusal(refusal)
	}
	c, err := p.connect(ctx)
	if err == nil {
		defer c.Close()
		var t *hub.Ticket
		if t, err = p.submit(ctx, c, one, a.id != ""); err == nil {
			return p.awaitAnswer(ctx, c, t, a)
		}
	}
	if errors.Is(err, sayso.ErrUnreachable) {
		return p.askWithoutHub(ctx, one, a.tool, err)
	}
	return err
}

// buildAsk makes the ask, or the refusal of a call that is not valid.
func (p *program) buildAsk(a *asking, args []string) (*sayso.Ask, *sayso.Result, error) {
	origin := p.origin()
	if a.conversation != "" {
		origin.Conversation = a.conversation
	}
	origin.Agents = a.agents
	if a.traceparent != "" && sayso.TraceID(a.traceparent) == "" {
		return nil, nil, console.Usage("invalid value %q for --traceparent", a.traceparent).
			Next("Use the form of W3C Trace Context: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.")
	}
	if origin.Traceparent = a.traceparent; origin.Traceparent == "" && sayso.TraceID(p.Getenv("TRACEPARENT")) != "" {
		origin.Traceparent = p.Getenv("TRACEPARENT")
	}
	var one *sayso.Ask
	if len(args) == 1 {
		if a.file != "" {
			return nil, nil, console.Usage("question %q and --file %q exclude each other", args[0], a.file).
				Next("Use one of them: sayso ask %q, or sayso ask --file %s.", args[0], a.file)
		}
		var err error
		if one, err = a.question.build(args[0]); err != nil {
			return nil, nil, err
		}
	} else {
		call, err := p.readCall(a.file)
		if err != nil {
			return nil, nil, err
		}
		d, err := speaks(a.dialect, call)
		if err != nil {
			return nil, nil, err
		}
		a.tool = &sayso.Tool{Dialect: d}
		var refusal *sayso.Result
		if one, refusal = a.tool.Prepare(sayso.Call{Arguments: call}); refusal != nil {
			return nil, refusal, nil
		}
	}
	one.Origin, one.To, one.MinAssurance, one.Final = origin, a.to, sayso.Assurance(a.assurance), a.final
	if a.expires > 0 {
		one.Deadline = time.Now().Add(a.expires)
	}
	one.ID = a.id
	one.Normalize()
	return one, nil, nil
}

// submit stores the ask. One without a name is the same as an earlier one with
// the same content in the same conversation, until the asker has had the answer:
// asked again after that, it is a new one.
func (p *program) submit(ctx context.Context, c *client.Client, a *sayso.Ask, named bool) (*hub.Ticket, error) {
	if named {
		return c.Submit(ctx, a)
	}
	return hub.SubmitSame(ctx, c, "cli", a)
}

// awaitAnswer waits for the outcome, here or wherever it is given, and prints it.
func (p *program) awaitAnswer(ctx context.Context, c *client.Client, t *hub.Ticket, a *asking) error {
	if t.Open() {
		var err error
		if t, err = p.attend(ctx, c, t, a.wait); err != nil {
			return err
		}
	}
	if t.Open() {
		p.sayLater(t)
		return p.finish(a.tool, t.Ask, &sayso.Outcome{Status: sayso.StatusPending})
	}
	has, err := c.Await(ctx, t)
	if err != nil {
		return err
	}
	return p.finish(a.tool, has.Ask, has.Outcome)
}

// finish prints an outcome as the asker wants to read it: the answer and nothing
// else, or what the model of the tool reads.
func (p *program) finish(tool *sayso.Tool, a *sayso.Ask, o *sayso.Outcome) error {
	o = o.Settled()
	if err := a.Check(o); err != nil {
		return fmt.Errorf("the answer does not fit the question: %w", err)
	}
	var r *sayso.Result
	var err error
	if tool != nil {
		if r, err = tool.Finish(a, o); err != nil {
			return err
		}
	}
	switch {
	case p.json:
		err = p.PrintJSON(resultOf(a, o, r))
	case r != nil:
		err = p.Print(r.Text)
	case o.Status == sayso.StatusAnswered:
		err = p.Print(plainAnswer(a, o))
	case o.Status != sayso.StatusPending:
		p.Say("%s", sayso.RenderResult(a, o))
	}
	if err != nil {
		return err
	}
	return console.Ended(o.Status)
}

// printRefusal prints what the model is told about a call that is not valid.
func (p *program) printRefusal(r *sayso.Result) error {
	if p.json {
		return console.Usage("%s", r.Text)
	}
	if err := p.Print(r.Text); err != nil {
		return err
	}
	return &console.ExitError{Code: console.ExitUsage}
}

func (p *program) sayLater(t *hub.Ticket) {
	// An agent that ran the command reads this, so it says how to wait and not how
	// to answer.
	p.Say("still open: %s\nwait for it with: sayso wait %s\nthe user answers with: sayso inbox", sayso.Title(t.Ask), t.Ask.ID)
}

// askWithoutHub asks on the terminal, where the answer has no way to get lost, or
// leaves the questions in a file of the workspace.
func (p *program) askWithoutHub(ctx context.Context, a *sayso.Ask, tool *sayso.Tool, why error) error {
	if !errors.Is(why, errNoHub) {
		p.SayError("sayso", explain(why))
	}
	here, err := p.here()
	switch {
	case errors.Is(err, errNobodyHere):
		if err := p.askInFile(ctx, a, tool); !errors.Is(err, sayso.ErrUnreachable) {
			return err
		}
		return why
	case err != nil:
		return err
	}
	defer here.Close()
	o, err := here.Ask(ctx, a)
	if err != nil {
		return err
	}
	return p.finish(tool, a, o)
}

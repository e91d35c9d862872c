package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/pendingfile"
)

func (p *program) answerCommand() *cobra.Command {
	var g given
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "answer [ID|FILE] [ANSWER...]",
		Short:   "Answer one question",
		Long: `Answer one question. Without an ANSWER, the terminal shows it.

The number or the label of an option, as "sayso show" prints them, chooses it; other text
is your answer in your own words. Give one ANSWER for each question, in order. An empty
one skips the question. With --hold, "sayso undo" takes it back until the agent gets it.

A permission request also takes "allow", "always", "session", "deny" or "stop". Other
text denies it and is what the agent is told. To allow what is stored beside it, add
the --digest at the end of "sayso show", or --unseen. A dangerous option needs --yes.

For questions in a FILE (see "sayso questions"), give one text or --answers.`,
		Example: `  $ sayso answer ask_7f3 2
  $ sayso answer ask_8b1 PostgreSQL "order-processor"
  $ sayso answer ask_9c4 --answers '["PostgreSQL", ["Auth", "REST API"], null]'
  $ sayso answer ask_2d8 --reply "None of these, let us talk first" --hold 10s
  $ sayso answer ask_5e6 deny --message "Publish from CI"`,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && g.list == "" {
				return console.Usage("answer needs the id of a question").Next("Usage: sayso answer ID [ANSWER...]. Open questions: sayso list.")
			}
			if len(args) == 0 {
				args = []string{pendingfile.DefaultFile}
			}
			g.words = args[1:]
			if n := min(len(g.words), 1) + min(len(g.list), 1) + min(len(g.reply), 1); n > 1 {
				return console.Usage("the answer is given in more than one way").
					Next("Use arguments, --answers or --reply: sayso answer %s \"your answer\"", args[0])
			}
			if g.hold < 0 || g.hold > hub.MaxHold {
				return console.Usage("invalid value %q for --hold", g.hold).Next("Use at most %v: sayso answer ID 1 --hold 5s.", hub.MaxHold)
			}
			ctx := cmd.Context()
			if isFile(args[0]) {
				return p.answerFile(ctx, args[0], g.words, g.list, g.reply)
			}
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				o, err := sayso.ByAskKind(t.Ask, p.reply, p.decision)(ctx, c, t, &g)
				if err != nil {
					return err
				}
				if o == nil {
					return p.answerHere(ctx, c, t)
				}
				if g.hold > 0 {
					t, err = c.Hold(ctx, shown(t, g.digest), o, g.hold)
				} else {
					t, err = c.Answer(ctx, shown(t, g.digest), o)
				}
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&g.list, "answers", "", "answers as a JSON `list`: a text, a list of texts or null for each question")
	cmd.Flags().StringVar(&g.reply, "reply", "", "`text` in reply to all questions instead of answers")
	cmd.Flags().StringVar(&g.digest, "digest", "", "`digest` that \"sayso show\" printed; a changed question is refused")
	cmd.Flags().StringVar(&g.message, "message", "", "`text` for the agent with your decision about a permission request")
	cmd.Flags().StringVar(&g.input, "input", "", "`file` with the changed input of the tool as JSON; - for standard input")
	cmd.Flags().BoolVar(&g.edit, "edit", false, "change the command, or the input, in $VISUAL or $EDITOR before you allow it")
	cmd.Flags().BoolVar(&g.unseen, "unseen", false, "allow a permission request without having opened it; recorded as such")
	cmd.Flags().BoolVar(&g.yes, "yes", false, "also choose options that are marked as dangerous")
	cmd.Flags().DurationVar(&g.hold, "hold", 0, "`time` before the agent gets the answer, at most 30s")
	return cmd
}

// given is what the command line says.
type given struct {
	words       []string
	list, reply string
	digest      string // of what was shown; empty: of what is stored
	yes         bool   // dangerous options are meant
	hold        time.Duration

	// Of a permission request:
	message string // with the decision
	input   string // the file with the changed input
	edit    bool   // it is changed in an editor
	unseen  bool   // it is allowed without being opened
}

// reply makes an outcome of what the command line says to questions, nil if it says
// nothing.
func (p *program) reply(_ context.Context, _ *client.Client, t *hub.Ticket, g *given) (*sayso.Outcome, error) {
	if g.unseen || g.edit || g.message != "" || g.input != "" {
		return nil, console.Usage("%q is not a permission request: --message, --input, --edit and --unseen are for those", t.Ask.ID).
			Next("Look at it: sayso show %s.", t.Ask.ID)
	}
	return g.answers(t.Ask)
}

// answers makes an outcome of what the command line says to questions, nil if it says
// nothing.
func (g *given) answers(a *sayso.Ask) (*sayso.Outcome, error) {
	if g.reply != "" {
		o := (&pendingfile.Pending{Ask: a}).FromWords(g.reply)
		return o, saysSomething(o)
	}
	texts, err := g.texts(a)
	if texts == nil || err != nil {
		return nil, err
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i, said := range texts {
		q := &a.Questions[i]
		ans, err := q.Match(said, &sayso.MatchOptions{Numbers: true, Joined: g.list == ""})
		if err != nil {
			return nil, console.Usage("%s", sayso.RenderError(err))
		}
		o.Answers = append(o.Answers, ans)
	}
	o = o.Settled()
	if err := saysSomething(o); err != nil {
		return nil, err
	}
	if err := a.Check(o); err != nil {
		return nil, console.Usage("%s", sayso.RenderError(err))
	}
	return o, g.dangerous(a, o)
}

// texts are what is said to each question, nil if nothing is.
func (g *given) texts(a *sayso.Ask) ([][]string, error) {
	var texts [][]string
	switch {
	case g.list != "":
		values, err := readList(g.list, len(a.Questions))
		if err != nil {
			return nil, console.Usage("invalid value %q for --answers: %w", g.list, err).Next("Example: sayso answer ID --answers '[\"first\", \"second\"]'.")
		}
		return values, nil
	case len(g.words) > len(a.Questions) && len(a.Questions) == 1 && a.Questions[0].Several():
		return [][]string{g.words}, nil
	case len(g.words) > len(a.Questions):
		return nil, console.Usage("%s but %s: %q", plural(len(g.words), "answer", "answers"), plural(len(a.Questions), "question", "questions"), g.words).
			Next("Put an answer of several words in quotes. The questions: sayso show %s.", a.ID)
	}
	for _, w := range g.words {
		texts = append(texts, []string{w})
	}
	return texts, nil
}

// readList reads a JSON list of texts, lists of texts, and null.
func readList(list string, most int) ([][]string, error) {
	v, err := sayso.ReadJSON([]byte(list))
	if err != nil {
		return nil, err
	}
	all, ok := v.([]any)
	switch {
	case !ok:
		return nil, errors.New("it is not a list")
	case len(all) > most:
		return nil, fmt.Errorf("%s but %s", plural(len(all), "answer", "answers"), plural(most, "question", "questions"))
	}
	texts := make([][]string, len(all))
	for i, value := range all {
		items, several := value.([]any)
		if !several {
			items = []any{value}
		}
		for _, item := range items {
			switch item := item.(type) {
			case nil:
			case string:
				texts[i] = append(texts[i], item)
			case bool, float64: // what a person meant who wrote 8080 or true without quotes
				text, _ := json.Marshal(item)
				texts[i] = append(texts[i], string(text))
			default:
				return nil, fmt.Errorf("value %d is an object, not a text, a list of texts or null", i+1)
			}
		}
	}
	return texts, nil
}

// dangerous wants a second word for an option that is marked as dangerous.
func (g *given) dangerous(a *sayso.Ask, o *sayso.Outcome) error {
	danger := a.Dangerous(o.Answers)
	if len(danger) == 0 || g.yes {
		return nil
	}
	what := strconv.Quote(danger[0].Label) + " is marked as dangerous"
	if d := danger[0].Description; d != "" {
		what += ": " + sayso.SafeLine(d)
	}
	return console.Usage("your answer was not sent: %s", what).Next("To send it, add --yes: sayso answer %s %d --yes.", a.ID, number(a, danger[0]))
}

// remark says which words were taken as the person's own although there are options.
func remark(t *hub.Ticket) string {
	for _, ans := range t.Outcome.Answers {
		q := t.Ask.Question(ans.QuestionID)
		if q == nil || !q.Chooses() || sayso.Blank(ans.Other) {
			continue
		}
		var options []string
		for i := range q.Options {
			options = append(options, strconv.Itoa(i+1)+" "+q.Options[i].Label)
		}
		return "(sent in your own words; the options are " + strings.Join(options, ", ") + ")"
	}
	return ""
}

// saysSomething refuses an answer that says nothing: an empty variable in a script
// must not hand the form back.
func saysSomething(o *sayso.Outcome) error {
	if o.Status == sayso.StatusUnanswered {
		return console.Usage("the answer \"\" is empty").Next("To refuse an answer: sayso decline ID.")
	}
	return nil
}

// number is the number of an option, as "sayso show" prints it.
func number(a *sayso.Ask, o *sayso.Option) int {
	for _, q := range a.Questions {
		for i := range q.Options {
			if q.Options[i].ID == o.ID {
				return i + 1
			}
		}
	}
	return 1
}

// answerHere shows the ask on the terminal.
func (p *program) answerHere(ctx context.Context, c *client.Client, t *hub.Ticket) error {
	if !t.Open() {
		return console.Fault("question %q is closed: %s", t.Ask.ID, told(t)).Next("Details: sayso show %s.", t.Ask.ID)
	}
	if p.dialog == "auto" {
		p.dialog = "always" // the person is here: they typed the command
	}
	here, err := p.here()
	if err != nil {
		return noTerminal(err, "the dialog", "Give the answer as an argument: sayso answer %s \"your answer\".", t.Ask.ID)
	}
	defer here.Close()
	got, err := here.Answer(ctx, c.Inbox(), t)
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
	var changed *hub.ChangedError
	switch winner := closedElsewhere(err); {
	case winner != nil:
		return console.Fault("your answer was not sent: this question was %s%s\n%s", told(winner), held(winner), indent(sayso.RenderResult(winner.Ask, winner.Outcome))).
			Next("Details: sayso show %s.", winner.Ask.ID)
	case errors.As(err, &changed):
		return console.Fault("your answer was not sent: the question is not the one that you were shown").
			Next("Look at it again: sayso show ID.")
	case err != nil:
		return err
	case p.json:
		return p.PrintJSON(viewOf(t))
	}
	text := ""
	if t.Held != nil {
		text = fmt.Sprintf("\nThe agent gets it at %s. Until then: sayso undo %s", t.Held.Until.Local().Format(time.TimeOnly), t.Ask.ID)
		given := *t
		given.Outcome = t.Held.Outcome
		t = &given
	}
	p.Say("%s", strings.TrimSpace(sayso.RenderResult(t.Ask, t.Outcome)+"\n"+remark(t))+text)
	return nil
}

// held says that an outcome does not count yet, if so.
func held(t *hub.Ticket) string {
	if t.Held == nil {
		return ""
	}
	return ", which the agent gets at " + t.Held.Until.Local().Format(time.TimeOnly)
}

// shown is the ticket with the digest of what the person was shown, if they name it.
func shown(t *hub.Ticket, digest string) *hub.Ticket {
	if digest == "" {
		return t
	}
	c := *t
	c.Digest = digest
	return &c
}

func (p *program) undoCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "undo ID",
		Short:   "Undo your answer",
		Long: `Undo your answer. The question is open again, and you can answer it again. You can undo
until the agent receives the answer, which takes less than a second if it waits. If the
agent has it, change it with "sayso amend".`,
		Example:           "  $ sayso undo ask_7f3",
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				open, err := c.Undo(ctx, t)
				switch {
				case errors.Is(err, hub.ErrConsumed):
					return console.Fault("cannot undo the answer to %q: the agent has the answer already", t.Ask.ID).Next("Send another one: sayso amend %s \"your answer\".", t.Ask.ID)
				case errors.Is(err, hub.ErrOpen):
					return console.Fault("nothing to undo: question %q is open", t.Ask.ID).Next("Answer it: sayso answer %s.", t.Ask.ID)
				case closedElsewhere(err) != nil:
					return console.Fault("cannot undo an answer of somebody else: %q was %s", t.Ask.ID, told(closedElsewhere(err))).Next("Details: sayso show %s.", t.Ask.ID)
				case err != nil:
					return err
				case p.json:
					return p.PrintJSON(viewOf(open))
				}
				p.Say("Undone: the question is open again. Answer it: sayso answer %s", open.Ask.ID)
				return nil
			})
		},
	}
}

func (p *program) declineCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "decline ID",
		Short:   "Tell the agent you will not answer",
		Long: `Tell the agent you will not answer. The question is closed, and the agent reads
that you declined, with your reason if you give one. To leave it open, do nothing.`,
		Example:           `  $ sayso decline ask_7f3 --reason "Ask me after the release"`,
		Args:              needsQuestion,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				t, err := c.Decline(ctx, t, reason)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` that the agent reads")
	return cmd
}

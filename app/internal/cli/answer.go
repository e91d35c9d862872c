package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
		Short:   "Answer an ask: in the dialog, or with what the command line says",
		Long: `Answer an ask.

Without an answer it is shown on the terminal. An ANSWER that is the number or the
label of an option, as "sayso show" prints them, chooses it; anything else is your
own words. There is one for each question, in order, or several for a single
question that allows several. An empty one skips the question. An option that is
marked as dangerous takes --yes.

A FILE of questions (see "sayso questions") is answered with one text, which the
asking model reads as it is, or with --answers; without a name it is the first one.`,
		Example: `  sayso answer ask_7f3
  sayso answer ask_7f3 2
  sayso answer ask_7f3 PostgreSQL "order-processor"
  sayso answer ask_7f3 --answers '["PostgreSQL", ["Auth", "REST API"], null]'
  sayso answer ask_7f3 --reply "none of these, let us talk first"`,
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && g.list == "" {
				return console.Usage("name the ask: sayso list shows what waits")
			}
			if len(args) == 0 {
				args = []string{pendingfile.DefaultFile}
			}
			g.words = args[1:]
			if n := min(len(g.words), 1) + min(len(g.list), 1) + min(len(g.reply), 1); n > 1 {
				return console.Usage("give answers as arguments, with --answers or with --reply")
			}
			ctx := cmd.Context()
			if isFile(args[0]) {
				return p.answerFile(ctx, args[0], g.words, g.list, g.reply)
			}
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				o, err := sayso.ByAskKind(t.Ask, g.answers)(t.Ask)
				if err != nil {
					return err
				}
				if o == nil {
					return p.answerHere(ctx, c, t)
				}
				t, err = c.Answer(ctx, shown(t, g.digest), o)
				return p.closed(t, err)
			})
		},
	}
	cmd.Flags().StringVar(&g.list, "answers", "", "the answers as a JSON list, one for each question: a text, a list of texts, or null")
	cmd.Flags().StringVar(&g.reply, "reply", "", "a reply to the whole form instead of answers")
	cmd.Flags().StringVar(&g.digest, "digest", "", "the digest of what you were shown; the answer is refused if it is another")
	cmd.Flags().BoolVar(&g.yes, "yes", false, "send options that are marked as dangerous")
	return cmd
}

// given is what the command line says.
type given struct {
	words       []string
	list, reply string
	digest      string // of what was shown; empty: of what is stored
	yes         bool   // dangerous options are meant
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
			return nil, console.Usage("--answers: %w", err)
		}
		return values, nil
	case len(g.words) > len(a.Questions) && len(a.Questions) == 1 && a.Questions[0].Several():
		return [][]string{g.words}, nil
	case len(g.words) > len(a.Questions):
		return nil, console.Usage("the ask has %d questions, there are %d answers", len(a.Questions), len(g.words))
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
		return nil, errors.New(`it is not a list; write ["first", "second"]`)
	case len(all) > most:
		return nil, fmt.Errorf("it has %d values, and there are %d questions", len(all), most)
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
				return nil, fmt.Errorf("value %d is an object; write a text, a list of texts, or null", i+1)
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
	return console.Usage("%s\n  It was not sent. To send it all the same, add --yes.", what)
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
		return "(taken as your own words; the options are " + strings.Join(options, ", ") + ")"
	}
	return ""
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
		return fmt.Errorf("your answer was not sent: this question was %s\n%s", told(winner), indent(sayso.RenderResult(winner.Ask, winner.Outcome)))
	case errors.As(err, &changed):
		return errors.New("your answer was not sent: the question is not the one that you were shown; look at it again with: sayso show")
	case err != nil:
		return err
	case p.json:
		return p.PrintJSON(viewOf(t))
	}
	p.Say("%s", strings.TrimSpace(sayso.RenderResult(t.Ask, t.Outcome)+"\n"+remark(t)))
	return nil
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
		Short:   "Undo your answer, until the agent has it",
		Long: `Undo your answer. The question is open again, and can be answered anew. This works
until the agent has received the answer; an agent that waits has it within a second.`,
		Example:           "  sayso undo ask_7f3",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.complete(openIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withAsk(ctx, args[0], func(c *client.Client, t *hub.Ticket) error {
				open, err := c.Undo(ctx, t)
				switch {
				case errors.Is(err, hub.ErrConsumed):
					return errors.New("the agent has the answer already, so it cannot be undone")
				case errors.Is(err, hub.ErrOpen):
					return errors.New("the question is open: there is no answer to undo")
				case closedElsewhere(err) != nil:
					return fmt.Errorf("this question was %s: only who answered it can undo that", told(closedElsewhere(err)))
				case err != nil:
					return err
				case p.json:
					return p.PrintJSON(viewOf(open))
				}
				p.Say("undone; the question is open again: sayso answer %s", open.Ask.ID)
				return nil
			})
		},
	}
}

func (p *program) declineCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		GroupID:           groupAnswer,
		Use:               "decline ID",
		Short:             "Decline to answer; the agent is told",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.complete(openIDs),
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

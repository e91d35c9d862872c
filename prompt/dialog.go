package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// dialog is one ask on the stream.
type dialog struct {
	r       *Resolver
	lines   *lines
	out     io.Writer
	ask     *sayso.Ask
	shown   *sayso.Ask     // with everything that is stored beside the ask
	opened  []string       // the hashes of that
	note    string         // what the person has to know of what is shown
	answers []sayso.Answer // by question; empty where not yet asked
}

// questions leads through the questions until there is an outcome, and tells the
// person what became of it.
func (d *dialog) questions(ctx context.Context) (*sayso.Outcome, error) {
	err := d.say(sayso.RenderIntroduction(d.ask))
	for i := 0; err == nil && i < len(d.ask.Questions); i++ {
		err = d.question(ctx, i)
	}
	for {
		if err == nil && len(d.answers) > 1 {
			err = d.review(ctx)
		}
		if err == nil {
			err = d.confirmDanger(ctx)
		}
		o, again, endErr := d.end(ctx, err)
		if !again {
			return o, endErr
		}
		err = nil
	}
}

// end turns the way in which the questions ended into the outcome. It asks again
// where the outcome could not be sent, and where the person thinks better of it.
func (d *dialog) end(ctx context.Context, err error) (o *sayso.Outcome, again bool, _ error) {
	o = &sayso.Outcome{By: d.r.by()}
	said := ""
	switch {
	case errors.Is(err, errChange):
		return nil, true, nil
	case err == nil:
		o.Status, o.Answers = sayso.StatusAnswered, d.answers
		o = o.Settled()
		said = sentText(d.ask, o)
	case errors.Is(err, errDeclined):
		o.Status, said = sayso.StatusDeclined, "Declined. The agent is told.\n"
	case errors.Is(err, errCancelled):
		o.Status, said = sayso.StatusCancelled, "Cancelled. The agent is told.\n"
	case errors.Is(err, errLater):
		return &sayso.Outcome{Status: sayso.StatusPending}, false, d.tell("Left for later. Nothing was sent.\n" + d.typed())
	case errors.Is(err, io.EOF):
		return &sayso.Outcome{Status: sayso.StatusPending}, false, d.tell("\nThe input has ended. Nothing was sent, the question stays open.\n" + d.typed())
	case ctx.Err() != nil:
		d.tell("\n" + farewell(ctx, d.ask) + "\n" + d.typed())
		return nil, false, context.Cause(ctx)
	default:
		return nil, false, fmt.Errorf("prompt: %w", err)
	}
	winner, again, err := d.send(ctx, o)
	switch {
	case again:
		return nil, true, nil
	case ctx.Err() != nil && err != nil:
		d.tell("\n" + farewell(ctx, d.ask) + "\n" + d.typed())
		return nil, false, context.Cause(ctx)
	case err != nil: // nobody is there to try again
		d.tell("Not sent. " + sentence(err) + "\n" + d.typed())
		return nil, false, fmt.Errorf("prompt: sending: %w", err)
	case winner != nil:
		d.tell(sayso.RenderClosed(d.ask, winner) + "\n" + d.typed())
		return winner, false, nil
	}
	return o, false, d.tell(said)
}

// tell says what became of the ask. That it cannot be told any more changes nothing
// about what was said.
func (d *dialog) tell(text string) error {
	_ = d.say(text)
	return nil
}

// send takes the outcome to where it counts, for as long as the person wants to try.
func (d *dialog) send(ctx context.Context, o *sayso.Outcome) (winner *sayso.Outcome, again bool, err error) {
	if d.r.Send == nil {
		return nil, false, nil
	}
	for {
		winner, err = d.r.Send(ctx, d.ask, o)
		if err == nil || ctx.Err() != nil {
			return winner, false, err
		}
		line, readErr := d.read(ctx, "Not sent, and nothing is lost. "+sentence(err)+"\n"+d.typed()+"Press Enter to try again, or type /later: ")
		switch {
		case readErr != nil && ctx.Err() != nil:
			return nil, false, readErr
		case readErr != nil:
			return nil, false, err
		case command(line) == "later":
			return nil, false, err
		}
	}
}

// question asks question i until there is an answer, or it is skipped.
func (d *dialog) question(ctx context.Context, i int) error {
	q := &d.ask.Questions[i]
	text := "\n" + questionText(d.shown, i) + d.note
	for {
		line, err := d.read(ctx, text+promptText(q))
		if err != nil {
			return err
		}
		text = ""
		switch command(line) {
		case "blank":
			text = "Nothing was typed. To leave the question out, type /skip.\n"
		case "help":
			text = helpText(q) + "\n" + questionText(d.shown, i) + d.note
		case "skip":
			d.answers[i] = sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped}
			return nil
		case "later":
			return errLater
		case "decline", "cancel":
			if err := d.leave(ctx, command(line)); err != nil {
				return err
			}
		default:
			ans, problem, err := sayso.ByKind(q, d.text, d.choice, d.choice)(ctx, q, unescaped(line))
			if err != nil {
				return err
			}
			if problem == "" {
				problem = d.decided(&ans)
			}
			if problem == "" {
				d.answers[i] = ans
				return nil
			}
			text = problem + "\n"
		}
	}
}

// text takes a line as it was typed.
func (d *dialog) text(ctx context.Context, q *sayso.Question, line string) (ans sayso.Answer, problem string, err error) {
	problem, err = d.long(ctx, line)
	return sayso.Answer{QuestionID: q.ID, Other: line}, problem, err
}

// choice reads a line as a choice, or as own words if the person says so.
func (d *dialog) choice(ctx context.Context, q *sayso.Question, line string) (ans sayso.Answer, problem string, err error) {
	c := readChoice(q, line)
	if c.problem != "" {
		return ans, c.problem, nil
	}
	if c.asksText {
		if c.Other, err = d.read(ctx, "In your own words: "); err != nil {
			return ans, "", err
		}
		if sayso.Blank(c.Other) {
			return ans, "Nothing was typed, so nothing is chosen.", nil
		}
	}
	if problem, err = d.long(ctx, c.Other); problem != "" || err != nil {
		return ans, problem, err
	}
	if ask := d.ownWords(); c.doubt && ask != "" {
		yes, err := d.yes(ctx, strconv.Quote(first(line, 60))+ask)
		if err != nil || !yes {
			return ans, "Not taken. Type the number or the label of an option.", err
		}
	}
	return c.Answer, "", nil
}

// long asks whether a long text is meant.
func (d *dialog) long(ctx context.Context, text string) (problem string, err error) {
	n := utf8.RuneCountInString(text)
	if n <= sayso.LongAnswer {
		return "", nil
	}
	line, err := d.read(ctx, fmt.Sprintf("This answer is long (%d characters). Continue anyway? (Enter or yes, no): ", n))
	if err == nil && command(line) == "no" {
		return "Not taken.", nil
	}
	return "", err
}

// yes asks a question of ours. Everything but a yes is a no.
func (d *dialog) yes(ctx context.Context, text string) (bool, error) {
	line, err := d.read(ctx, text)
	word := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (word == "yes" || word == "y"), err
}

// errChange says that the person wants to change the answers.
var errChange = errors.New("the answers are to be changed")

// confirmDanger asks once more, by name, before an option that is marked as
// dangerous is sent.
func (d *dialog) confirmDanger(ctx context.Context) error {
	for _, o := range d.ask.Dangerous(d.answers) {
		line := ""
		for sayso.Blank(line) { // Enter is a habit too
			var err error
			if line, err = d.read(ctx, dangerText(o)); err != nil {
				return err
			}
		}
		if strings.EqualFold(strings.TrimSpace(line), "yes") { // y is what sent a form before, by habit
			continue
		}
		if err := d.say("Not sent.\n"); err != nil {
			return err
		}
		if len(d.answers) > 1 {
			return errChange
		}
		if err := d.question(ctx, 0); err != nil {
			return err
		}
		return d.confirmDanger(ctx)
	}
	return nil
}

// review shows all answers and returns nil when they are to be sent.
func (d *dialog) review(ctx context.Context) error {
	text := "\n" + reviewText(d.ask, d.answers)
	for {
		line, err := d.read(ctx, text+"Send? (y to send, a number to change an answer, /help): ")
		if err != nil {
			return err
		}
		text = ""
		n, notNumber := strconv.Atoi(strings.TrimSpace(line))
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case word == "y" || word == "yes" || word == "send":
			return nil
		case command(line) == "help":
			text = reviewHelp + "\n" + reviewText(d.ask, d.answers)
			continue
		case command(line) == "later":
			return errLater
		case command(line) == "decline", command(line) == "cancel":
			if err := d.leave(ctx, command(line)); err != nil {
				return err
			}
			continue
		}
		if notNumber != nil || n < 1 || n > len(d.answers) {
			text = "Nothing was sent. Type y to send, or a number from 1 to " + strconv.Itoa(len(d.answers)) + " to change that answer.\n"
			continue
		}
		if err := d.question(ctx, n-1); err != nil {
			return err
		}
		text = "\n" + reviewText(d.ask, d.answers)
	}
}

// leave returns errDeclined or errCancelled, or nil if the person thinks better of
// it: answers that were given are not thrown away without asking.
func (d *dialog) leave(ctx context.Context, how string) error {
	given := 0
	for _, ans := range d.answers {
		if ans.Answered() {
			given++
		}
	}
	left := map[string]error{"decline": errDeclined, "cancel": errCancelled}[how]
	if given == 0 {
		return left
	}
	yes, err := d.yes(ctx, strings.ToUpper(how[:1])+how[1:]+", and discard "+count(given, "answer")+"? (yes or no): ")
	switch {
	case err != nil:
		return err
	case yes:
		return left
	}
	return d.say("Not " + map[string]string{"decline": "declined", "cancel": "cancelled"}[how] + ".\n")
}

// commands are the words that are no answers, behind a slash.
var commands = map[string]string{
	"/help": "help", "/?": "help", "/skip": "skip", "/later": "later", "/decline": "decline", "/cancel": "cancel",
}

// command returns what a line asks for besides an answer, or "". To our own
// questions, no is a word.
func command(line string) string {
	word := strings.ToLower(strings.TrimSpace(line))
	switch {
	case sayso.Blank(line):
		return "blank"
	case word == "no" || word == "n":
		return "no"
	}
	return commands[word]
}

// unescaped is a line without the slash that keeps it from being a command.
func unescaped(line string) string {
	if rest, ok := strings.CutPrefix(line, "/"); ok && commands[strings.ToLower(strings.TrimSpace(rest))] != "" {
		return rest
	}
	return line
}

// read writes the text and returns the next line.
func (d *dialog) read(ctx context.Context, text string) (string, error) {
	if err := d.say(text); err != nil {
		return "", err
	}
	line, err := d.lines.next(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("reading the answer: %w", err)
	}
	return line, err
}

func (d *dialog) say(text string) error {
	if d.r.Width != nil {
		text = sayso.Fold(text, d.r.Width())
	}
	if _, err := io.WriteString(d.out, text); err != nil {
		return fmt.Errorf("writing the question: %w", err)
	}
	return nil
}

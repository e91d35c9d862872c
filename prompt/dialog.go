package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// dialog is one ask on the stream.
type dialog struct {
	lines   *lines
	out     io.Writer
	ask     *sayso.Ask
	answers []sayso.Answer // by question; empty where not yet asked
}

// run leads through the questions. It returns nil when the answers are to be sent.
func (d *dialog) run(ctx context.Context) error {
	if err := d.say(introduction(d.ask)); err != nil {
		return err
	}
	for i := range d.ask.Questions {
		if err := d.question(ctx, i); err != nil {
			return err
		}
	}
	if len(d.ask.Questions) < 2 {
		return nil
	}
	return d.review(ctx)
}

// end turns the way in which run ended into the outcome, and tells the person.
// That they cannot be told any more changes nothing about what they said.
func (d *dialog) end(ctx context.Context, err error, by sayso.Responder) (*sayso.Outcome, error) {
	o := &sayso.Outcome{Status: sayso.StatusPending}
	switch {
	case err == nil:
		o = (&sayso.Outcome{Status: sayso.StatusAnswered, Answers: d.answers, By: by}).Settled()
		_ = d.say(sentText(d.ask, o))
	case errors.Is(err, errDeclined):
		o.Status, o.By = sayso.StatusDeclined, by
		_ = d.say("Declined. The agent will be told.\n")
	case errors.Is(err, errLater):
		_ = d.say("Left for later. Nothing was sent.\n")
	case errors.Is(err, io.EOF):
		_ = d.say("\nThe input has ended. Nothing was sent, the ask stays open.\n")
	case ctx.Err() != nil:
		_ = d.say("\n" + farewell(ctx, d.ask) + "\n")
		return nil, context.Cause(ctx)
	default:
		return nil, fmt.Errorf("prompt: %w", err)
	}
	return o, nil
}

// question asks question i until there is an answer, or it is skipped.
func (d *dialog) question(ctx context.Context, i int) error {
	q := &d.ask.Questions[i]
	text := "\n" + questionText(d.ask, i)
	for {
		line, err := d.read(ctx, text+promptText(q))
		if err != nil {
			return err
		}
		text = ""
		switch command(line) {
		case "blank":
			text = "Nothing was typed. To leave the question out, type - or skip.\n"
		case "help":
			text = helpText(q) + "\n" + questionText(d.ask, i)
		case "skip":
			d.answers[i] = sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped}
			return nil
		case "later":
			return errLater
		case "decline":
			if err := d.decline(ctx); err != nil {
				return err
			}
		default:
			ans, problem, err := d.answer(ctx, q, line)
			if err != nil {
				return err
			}
			if problem == "" {
				d.answers[i] = ans
				return nil
			}
			text = problem + "\n"
		}
	}
}

// answer reads a line as an answer to q. Own words are taken as they are typed.
func (d *dialog) answer(ctx context.Context, q *sayso.Question, line string) (ans sayso.Answer, problem string, err error) {
	ans.QuestionID = q.ID
	if len(q.Options) == 0 {
		ans.Other = line
		return ans, "", nil
	}
	c := readChoice(q, line)
	if c.problem != "" {
		return ans, c.problem, nil
	}
	if c.asksText {
		if c.other, err = d.read(ctx, "In your own words: "); err != nil {
			return ans, "", err
		}
		if sayso.Blank(c.other) {
			return ans, "Nothing was typed, so nothing is chosen.", nil
		}
	}
	ans.Selected, ans.Other = c.selected, c.other
	return ans, "", nil
}

// review shows all answers and returns nil when they are to be sent.
func (d *dialog) review(ctx context.Context) error {
	text := "\n" + reviewText(d.ask, d.answers)
	for {
		line, err := d.read(ctx, text+"Send? (y to send, a number to change an answer, ? for help): ")
		if err != nil {
			return err
		}
		text = ""
		n, numbered := number(strings.TrimSpace(line))
		switch command(line) {
		case "yes":
			return nil
		case "help":
			text = reviewHelp + "\n" + reviewText(d.ask, d.answers)
			continue
		case "later":
			return errLater
		case "decline":
			if err := d.decline(ctx); err != nil {
				return err
			}
			continue
		}
		if !numbered || n < 1 || n > len(d.answers) {
			text = "Nothing was sent. Type y to send, or a number from 1 to " + strconv.Itoa(len(d.answers)) + " to change that answer.\n"
			continue
		}
		if err := d.question(ctx, n-1); err != nil {
			return err
		}
		text = "\n" + reviewText(d.ask, d.answers)
	}
}

// decline returns errDeclined, or nil if the person thinks better of it: answers
// that were given are not thrown away without asking.
func (d *dialog) decline(ctx context.Context) error {
	given := 0
	for _, ans := range d.answers {
		if ans.Answered() {
			given++
		}
	}
	if given == 0 {
		return errDeclined
	}
	line, err := d.read(ctx, "Decline, and discard "+count(given, "answer")+"? (yes or no): ")
	if err != nil {
		return err
	}
	if command(line) != "yes" {
		return d.say("Not declined.\n")
	}
	return errDeclined
}

// command returns what a line asks for besides an answer, or "". Commands go
// before labels of the same name: they decide nothing, and a number chooses.
func command(line string) string {
	if sayso.Blank(line) {
		return "blank"
	}
	switch word := strings.ToLower(strings.TrimSpace(line)); word {
	case "?", "help":
		return "help"
	case "-", "skip":
		return "skip"
	case "y", "yes", "send":
		return "yes"
	case "later", "decline":
		return word
	}
	return ""
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
	if _, err := io.WriteString(d.out, text); err != nil {
		return fmt.Errorf("writing the question: %w", err)
	}
	return nil
}

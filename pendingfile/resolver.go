package pendingfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// Ask leaves the ask in a file and returns StatusPending, with how to wait for the
// answer as the reason: a model reads it. Where the ask is in a file already and has an
// outcome, or an answer to every question, it returns that: a person who has
// filled in a part may still be at it. The file stays; whoever has kept the
// outcome removes it with Clear.
func (d *Dir) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	o, _, err := d.TryAsk(ctx, a)
	return o, err
}

// TryAsk is Ask, which does not wait either, for [sayso.Try]. The handle is the name of
// the file.
func (d *Dir) TryAsk(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, string, error) {
	p, err := d.Write(ctx, a)
	if err != nil {
		return nil, "", err
	}
	o, err := p.FromFile()
	var invalid *sayso.InvalidError
	switch {
	case errors.As(err, &invalid): // the person's slip is no reason to give up
		return p.pending("What is in the file now does not fit:\n" + invalid.Error()), p.File, nil
	case err != nil:
		return nil, "", err
	case p.Outcome == nil && o.Status == sayso.StatusAnswered && !complete(o):
		return p.pending(""), p.File, nil
	}
	return o, p.File, nil
}

var _ sayso.Trier = (*Dir)(nil)

func complete(o *sayso.Outcome) bool {
	for _, ans := range o.Answers {
		if !ans.Answered() {
			return false
		}
	}
	return true
}

// wait says how to get the answer. It is for who asks, a model or a program, and so
// does not say how to give one.
func (p *Pending) wait() string {
	return fmt.Sprintf(`Questions pending. User input required.

The questions are in %s. The user sees them with: sayso questions
To wait for the answer, make the same call again later: it returns the answer once the user has given it. Do not answer for the user.`, p.File)
}

// Instructions tells the person how to answer, in the words of the command line.
// They are for a person alone: a model that reads them could answer itself.
func (p *Pending) Instructions() string {
	file := ""
	if !p.isDefault() {
		file = " " + p.File
	}
	return fmt.Sprintf(`Questions pending. User input required.

To answer in words, run:
  sayso answer %[1]s "your answers"

Or give one answer to each question, in order:
  sayso answer%[2]s --answers '["...", "..."]'

Or edit the JSON file and run:
  sayso continue%[2]s

Questions saved to: %[1]s`, p.File, file)
}

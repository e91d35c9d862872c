package pendingfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// Ask leaves the ask in a file and returns StatusPending, with the instructions
// for the person as the reason. Where the ask is in a file already and has an
// outcome, or an answer to every question, it returns that: a person who has
// filled in a part may still be at it. The file stays; whoever has kept the
// outcome removes it with Clear.
func (d *Dir) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	p, err := d.Write(ctx, a)
	if err != nil {
		return nil, err
	}
	o, err := p.FromFile()
	var invalid *sayso.InvalidError
	switch {
	case errors.As(err, &invalid): // the person's slip is no reason to give up
		return p.pending(p.Instructions() + "\n\nWhat is in it now does not fit:\n" + invalid.Error()), nil
	case err != nil:
		return nil, err
	case p.Outcome == nil && o.Status == sayso.StatusAnswered && !complete(o):
		return p.pending(p.Instructions()), nil
	}
	return o, nil
}

func complete(o *sayso.Outcome) bool {
	for _, ans := range o.Answers {
		if !ans.Answered() {
			return false
		}
	}
	return true
}

// Instructions tells the person how to answer, in the words of the command line.
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

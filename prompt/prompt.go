// Package prompt asks line by line on a plain stream: on dumb terminals, through
// pipes, for screen readers. It writes text from top to bottom and nothing else:
// no colour, no cursor movement, no redrawing.
//
// Most programs use it as their only resolver, or as the last of a Fallback:
//
//	person := &prompt.Resolver{In: os.Stdin, Out: os.Stderr}
//	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: person}
//
// Every line is an answer, but for commands, which begin with a slash: /help, /skip,
// /later, /decline, /cancel.
//
// What the package guarantees:
//
//   - Only a line that was ended with Enter says anything. A blank line asks
//     again. The end of the stream, even in the middle of a line or a form,
//     leaves the ask open and sends nothing.
//   - Nothing is chosen for the person. A line that names no option is sent as the
//     person's own words only after they said so, an option that is marked as
//     dangerous only after they confirmed it by name, several questions only after
//     a review.
//   - It says "sent" when the answer was taken, and not before. What was typed is
//     shown again when it could not be sent, or when somebody else was faster.
//   - No control character of the asker reaches the stream, and no line of the
//     asker can pass for an option: lines after the first begin with a bar. That
//     holds for lines that a terminal would fold too, if its Width is known.
//   - When the context ends, Ask returns at once, and a line that was typed for
//     that ask does not answer the next one.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/saysohq/sayso"
)

// Resolver asks on a pair of streams. In and Out must be set before the first
// Ask; a Resolver must not be copied after it. It may be used from several
// goroutines, and asks one thing at a time.
//
// A Read of In cannot be called back. When a context ends in the middle of one,
// Ask returns and the goroutine that reads stays, at most one for a Resolver. It
// ends with the next line, which is dropped unless a new question is on the
// stream by then, with the end of the stream, or when the owner of In closes it.
// Nothing else may read from In meanwhile.
type Resolver struct {
	In  io.Reader
	Out io.Writer

	// By is how the answers are signed. Default: a person, on the surface "prompt".
	By sayso.Responder

	// Send takes the outcome to where it counts, before the person is told that it
	// was sent. It returns the outcome of somebody who was faster, if there is one.
	// After an error the person may try again. Default: nothing; whoever called
	// Ask has it.
	Send func(ctx context.Context, a *sayso.Ask, o *sayso.Outcome) (winner *sayso.Outcome, err error)

	// Whole returns an approval with everything that is stored beside the ask, as
	// hub.Whole does. Default: the ask has all of it, because nobody has stored it yet;
	// what it does not have can be denied, or allowed unseen.
	Whole func(context.Context, *sayso.Ask) (*sayso.Ask, error)

	// Flush drops what was typed on In before the question appeared. It is for
	// terminals; what comes through a pipe was meant for it. Default: nothing.
	Flush func()

	// Width is how many columns the terminal has now. Lines that are wider are folded,
	// so that none of the asker goes on in the first column. Default: not known, and
	// lines are as long as they are.
	Width func() int

	once  sync.Once
	turn  chan struct{} // holds a token while somebody asks
	lines *lines        // of whoever has the turn
}

var _ sayso.Resolver = (*Resolver)(nil)

// The ways in which a person leaves the questions without answering them.
var (
	errLater     = errors.New("left for later")
	errDeclined  = errors.New("declined")
	errCancelled = errors.New("cancelled")
)

// Ask asks the questions one after another, and several of them with a review
// at the end.
func (r *Resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if r.In == nil || r.Out == nil {
		return nil, fmt.Errorf("prompt: there is no stream: %w", sayso.ErrUnreachable)
	}
	if by := r.by(); a.MinAssurance > by.Assurance {
		return nil, fmt.Errorf("prompt: the ask wants to know more surely who answers: %w", sayso.ErrUnreachable)
	}
	r.once.Do(func() { r.turn, r.lines = make(chan struct{}, 1), newLines(r.In) })
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if a.Approval != nil && len(a.Questions) == 0 { // its question is derived
		a = a.Clone()
		a.Normalize()
	}
	r.lines.dropStale()
	if r.Flush != nil {
		r.Flush()
	}
	d := &dialog{r: r, lines: r.lines, out: r.Out, ask: a, shown: a, answers: make([]sayso.Answer, len(a.Questions))}
	return sayso.ByAskKind(a, d.questions, d.approval)(ctx)
}

func (r *Resolver) by() sayso.Responder {
	if r.By == (sayso.Responder{}) {
		return sayso.Responder{Kind: sayso.ByPerson, Surface: "prompt"}
	}
	return r.By
}

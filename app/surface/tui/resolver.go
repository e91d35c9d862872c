package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// Resolver asks on the terminal of the process (/dev/tty), so that standard input
// and output stay free for data. Dialogs appear one after another.
//
// Without a terminal, in the background of one, on a dumb one, and where the ask
// wants to know more surely who answers, its error wraps [sayso.ErrUnreachable].
type Resolver struct {
	o    Options
	turn chan struct{} // holds a token while a dialog is on screen
}

var _ sayso.Resolver = (*Resolver)(nil)

// NewResolver returns a resolver. [Options.Expire] is always on: nobody else
// looks at the deadline.
func NewResolver(o *Options) *Resolver {
	r := &Resolver{o: o.withDefaults(), turn: make(chan struct{}, 1)}
	r.o.Expire = true
	return r
}

// Ask shows the dialog and leaves a one-line record of what came of it. When ctx
// ends, the dialog goes, the draft is kept, and the error is the cause of ctx; if
// another resolver was faster, the record says who answered. What was typed and
// could not be kept stays on the terminal, to be copied.
func (r *Resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if a.MinAssurance > r.o.By.Assurance {
		return nil, fmt.Errorf("tui: the ask wants to know more surely who answers: %w", sayso.ErrUnreachable)
	}
	if len(a.Questions) == 0 && a.Approval == nil { // the question of an approval is derived
		return nil, errors.New("tui: the ask has no questions")
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	in, out, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("tui: %w: %w", err, sayso.ErrUnreachable)
	}
	defer in.Close()
	if out != in {
		defer out.Close()
	}
	return runDialog(ctx, New([]*sayso.Ask{a}, &r.o), screenOn(in, out))
}

// runDialog runs the dialog on a screen until it is done or ctx ends, and leaves
// there what became of it.
func runDialog(ctx context.Context, m *Model, s *screen) (*sayso.Outcome, error) {
	err := s.run(ctx, m, func(func(tea.Msg)) {})
	m.life.end()
	m.look = look{} // colours are the program's, which has ended
	f, width := m.forms[0], s.width()-1
	var lost *sayso.SupersededError
	if f.outcome == nil && errors.As(context.Cause(ctx), &lost) {
		f.closed = lost.Winner
		if echo(lost.Winner, f.sending) { // it is the answer that was given here
			f.closed, f.outcome = nil, f.sending
		}
	}
	m.keepNow(f)
	switch {
	case f.outcome != nil:
		s.print(m.Record(0, width))
		s.print(m.leftBehind(f)...)
		return f.outcome, nil
	case f.closed != nil:
		s.print(cut(m.o.Words.Record(f.ask, f.closed, m.o.By), width))
		s.print(m.leftBehind(f)...)
		return nil, context.Cause(ctx)
	}
	s.print(m.leftBehind(f)...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("tui: running the dialog: %w", err)
	}
	return nil, errors.New("tui: the dialog ended without an outcome")
}

// keepNow keeps the draft before the program ends.
func (m *Model) keepNow(f *form) {
	if keep := m.keep(f); keep != nil {
		if msg, ok := keep().(keptMsg); ok && msg.err == nil {
			f.drafts.safe = max(f.drafts.safe, msg.changes)
		}
	}
}

// leftBehind is what the person had typed, for the terminal that they go back to:
// always if somebody else was faster, and else if it is kept nowhere. Its lines are
// not broken, so that they can be copied.
func (m *Model) leftBehind(f *form) []string {
	draft := f.draft()
	gone := f.discards && f.drafts.save == nil // as the person said
	if len(draft) == 0 || gone || f.closed == nil && f.drafts.isSafe() {
		return nil
	}
	title := m.o.Words.YouTyped
	if f.drafts.isSafe() {
		title = m.o.Words.DraftKept
	}
	lines := []string{"  " + title}
	for _, a := range draft {
		q := f.ask.Question(a.QuestionID)
		lines = append(lines, "", "  "+squeeze(q.Text))
		for _, id := range a.Selected {
			lines = append(lines, q.Option(id).Label)
		}
		for _, t := range []string{a.Other, a.Note} {
			if t != "" {
				lines = append(lines, sayso.SafeText(t))
			}
		}
	}
	return append(lines, "")
}

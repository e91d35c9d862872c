package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

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
// another resolver was faster, the record says who answered.
func (r *Resolver) Ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if a.MinAssurance > r.o.By.Assurance {
		return nil, fmt.Errorf("tui: the ask wants to know more surely who answers: %w", sayso.ErrUnreachable)
	}
	if len(a.Questions) == 0 {
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
	m := New([]*sayso.Ask{a}, &r.o)
	return runDialog(ctx, m, in, out)
}

// runDialog runs the dialog on a terminal until it is done or ctx ends.
func runDialog(ctx context.Context, m *Model, in, out *os.File) (*sayso.Outcome, error) {
	flush(in) // what was typed before was not meant for the dialog
	p := tea.NewProgram(&program{Model: m}, tea.WithInput(in), tea.WithOutput(out))
	gone := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(gone); p.Send(leaveMsg{}) })
	_, err := p.Run()
	if !stop() {
		<-gone
	}
	m.life.end()
	f := m.forms[0]
	if keep := m.keep(f); keep != nil && f.outcome == nil {
		keep()
	}
	width, _, sizeErr := term.GetSize(out.Fd())
	if sizeErr != nil {
		width = 80
	}
	var lost *sayso.SupersededError
	switch {
	case errors.As(context.Cause(ctx), &lost):
		m.printLost(out, lost.Winner, width-1)
		return nil, context.Cause(ctx)
	case f.outcome != nil:
		fmt.Fprintln(out, m.Record(0, width-1))
		return f.outcome, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("tui: running the dialog: %w", err)
	}
	return nil, errors.New("tui: the dialog ended without an outcome")
}

// printLost leaves the news that somebody else was faster, and the draft.
func (m *Model) printLost(out *os.File, winner *sayso.Outcome, width int) {
	m.look = look{} // colours are the program's, which has ended
	f := m.forms[0]
	fmt.Fprintln(out, cut(m.o.Words.Record(f.ask, winner, m.o.By), width))
	draft := f.draft()
	if len(draft) == 0 {
		return
	}
	fmt.Fprintln(out, "  "+m.o.Words.DraftKept)
	for _, l := range m.draftLines(f, draft, width) {
		fmt.Fprintln(out, l)
	}
}

package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// program runs a dialog or an inbox as a whole program: it ends when the person
// is done, or is told to.
type program struct {
	tea.Model
	width int
}

// leaveMsg asks the program to end because its context did.
type leaveMsg struct{}

// vanisher draws nothing any more when told so.
type vanisher interface{ vanish() }

func (m *Model) vanish() {
	m.at = len(m.forms)
	m.draw()
}

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case DoneMsg:
		if msg.Model == p.Model { // not that of a dialog inside an inbox
			return p, tea.Quit
		}
	case leaveMsg:
		p.Model.(vanisher).vanish()
		return p, tea.Quit
	case tea.WindowSizeMsg:
		_, cmd := p.Model.Update(msg)
		return p, tea.Batch(cmd, p.redraw(msg))
	}
	_, cmd := p.Model.Update(msg)
	return p, cmd
}

// redraw asks for one more full redraw after the terminal became wider. Right
// after that the renderer (ultraviolet 20260703) does not know what it drew beyond
// the old edge; the next change would then begin there, in the middle of a wide
// letter.
func (p *program) redraw(msg tea.WindowSizeMsg) tea.Cmd {
	wider := p.width > 0 && msg.Width > p.width
	p.width = msg.Width
	if !wider {
		return nil
	}
	return tea.Tick(40*time.Millisecond, func(time.Time) tea.Msg { return msg })
}

// screen is a terminal that a program runs on.
type screen struct {
	out     io.Writer
	width   func() int // in columns
	options []tea.ProgramOption
}

// screenOn returns the screen of a terminal. What was typed before was not meant
// for the program.
func screenOn(in, out *os.File) *screen {
	flush(in)
	return &screen{
		out:     out,
		options: []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(out)},
		width: func() int {
			w, _, err := term.GetSize(out.Fd())
			if err != nil {
				return 80
			}
			return w
		},
	}
}

// run runs a model until the person is done with it or ctx ends. started is told
// how to send it messages.
func (s *screen) run(ctx context.Context, m tea.Model, started func(send func(tea.Msg))) error {
	p := tea.NewProgram(&program{Model: m}, s.options...)
	started(p.Send)
	gone := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(gone); p.Send(leaveMsg{}) })
	_, err := p.Run()
	if !stop() {
		<-gone
	}
	return err
}

func (s *screen) print(lines ...string) {
	for _, l := range lines {
		fmt.Fprintln(s.out, l)
	}
}

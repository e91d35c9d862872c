package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
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

func (m *Model) vanish() { m.at = len(m.forms) }

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

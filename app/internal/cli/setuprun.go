package cli

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/setup"
)

// setupAll goes through agents. What goes wrong with one does not keep it from the
// next.
func (p *program) setupAll(e *setup.Env, s *settingUp, agents []*setup.Agent) error {
	s.in = bufio.NewReader(p.In)
	if s.undo {
		slices.Reverse(agents) // the last one that wrote to a file is the first to go
	}
	var failed []error
	declined := false
	for _, a := range agents {
		var done bool
		var err error
		switch {
		case s.check:
			done, err = p.checkOne(e, a)
		case s.undo:
			done, err = p.undoOne(e, s, a)
		default:
			done, err = p.setupOne(e, s, a)
		}
		var byHand *setup.ByHand
		if errors.As(err, &byHand) {
			if len(agents) == 1 {
				return console.Fault("%s: %s", a.Title, byHand.Why).Next("%s", byHand.Do)
			}
			p.Say("%s: %s. %s", a.Title, byHand.Why, byHand.Do)
			continue
		}
		if err != nil {
			err = console.Fault("%s: %w", a.Title, err).Next("Nothing of %s was changed. Correct that, then: sayso setup %s", a.Title, a.Name)
			if len(agents) > 1 {
				p.SayError("sayso", err)
			}
			failed = append(failed, err)
		}
		declined = declined || !done
	}
	switch {
	case len(failed) == 1 && len(agents) == 1:
		return failed[0]
	case len(failed) > 0:
		return &console.ExitError{Code: console.ExitFault}
	case declined:
		return &console.ExitError{Code: console.ExitDeclined}
	}
	return nil
}

func (p *program) checkOne(e *setup.Env, a *setup.Agent) (bool, error) {
	c, err := setup.Look(e, a)
	if err != nil {
		return false, err
	}
	if p.json {
		return c.Status == setup.SetUp, p.PrintJSON(map[string]any{"agent": a.Name, "status": c.Status.String()})
	}
	return c.Status == setup.SetUp, p.Print(fmt.Sprintf("%-17s %s", a.Name, c.Status))
}

func (p *program) setupOne(e *setup.Env, s *settingUp, a *setup.Agent) (bool, error) {
	c, err := setup.Look(e, a)
	if err != nil {
		return false, err
	}
	if c.Status == setup.SetUp {
		p.Say("%s: nothing to do, it is set up.", a.Title)
		return true, nil
	}
	if err := p.Print(a.Title + "\n" + indentLines(c.Diff())); err != nil {
		return false, err
	}
	if !s.yes && !p.confirmIn(s.in, "Set up "+a.Title+"?") {
		p.Say("%s: nothing was written.", a.Title)
		return false, nil
	}
	if err := c.Write(); err != nil {
		return false, err
	}
	p.Say("%s: set up. %s", a.Title, c.After)
	return true, nil
}

func (p *program) undoOne(e *setup.Env, s *settingUp, a *setup.Agent) (bool, error) {
	u, err := setup.LookUndo(e, a)
	if errors.As(err, new(*setup.ByHand)) {
		p.Say("%s: nothing to undo.", a.Title)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if !u.Changes() {
		p.Say("%s: nothing to undo.", a.Title)
		return true, u.Write()
	}
	if err := p.Print(a.Title + "\n" + indentLines(u.Diff())); err != nil {
		return false, err
	}
	if !s.yes && !p.confirmIn(s.in, "Undo the setup of "+a.Title+"?") {
		p.Say("%s: nothing was written.", a.Title)
		return false, nil
	}
	if err := u.Write(); err != nil {
		return false, err
	}
	p.Say("%s: undone.", a.Title)
	return true, nil
}

func indentLines(lines []string) string { return "  " + strings.Join(lines, "\n  ") }

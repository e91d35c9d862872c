package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/terminal"
)

// here is the terminal at which a person may sit.
type here struct {
	*terminal.Terminal
	tty *os.File
}

func (h *here) Close() { h.tty.Close() }

var errNobodyHere = errors.New("there is no terminal")

// here returns the terminal of the process, whatever its standard streams are.
//
// An agent that runs us with all three streams as pipes may share its terminal
// with us, and draws on it itself: there we ask only when told to.
func (p *program) here() (*here, error) {
	switch p.dialog {
	case "never":
		return nil, errNobodyHere
	case "auto":
		if !console.IsTerminal(p.In) && !console.IsTerminal(p.Out) && !console.IsTerminal(p.Err) {
			return nil, errNobodyHere
		}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNobodyHere, err)
	}
	if !foreground(tty) {
		tty.Close()
		return nil, fmt.Errorf("%w for a process in the background", errNobodyHere)
	}
	return &here{tty: tty, Terminal: terminal.New(&terminal.Options{TTY: tty, Plain: p.isPlain(), Locale: p.Locale(), Dir: p.Dir, Alert: p.alert, Grace: p.grace})}, nil
}

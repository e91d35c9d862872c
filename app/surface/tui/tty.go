package tui

import (
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

// openTerminal opens the terminal of the process, whatever its standard input
// and output are.
func openTerminal() (in, out *os.File, err error) {
	if t := os.Getenv("TERM"); t == "dumb" {
		return nil, nil, errors.New("a dumb terminal cannot draw a dialog")
	}
	in, out, err = tea.OpenTTY()
	if err != nil {
		return nil, nil, fmt.Errorf("there is no terminal: %w", err)
	}
	if !foreground(in) {
		in.Close()
		out.Close()
		return nil, nil, errors.New("the process is in the background of its terminal")
	}
	return in, out, nil
}

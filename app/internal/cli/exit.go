package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// The exit codes. Scripts and agents read them; they do not change.
const (
	exitAnswered    = 0
	exitFault       = 1
	exitUsage       = 2
	exitUnreachable = 3 // nobody could be asked now
	exitDeclined    = 4
	exitExpired     = 5
	exitLater       = 75 // left open; EX_TEMPFAIL
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted")

// exitError ends the program with a code. Without an error nothing is said: what
// happened is the result, and was printed.
type exitError struct {
	Code int
	Err  error
}

func (e *exitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *exitError) Unwrap() error { return e.Err }

// usage says that the command was called wrongly.
func usage(format string, args ...any) error {
	return &exitError{Code: exitUsage, Err: fmt.Errorf(format, args...)}
}

// codeOf returns the exit code of an outcome.
func codeOf(s sayso.Status) int {
	switch s {
	case sayso.StatusAnswered:
		return exitAnswered
	case sayso.StatusExpired:
		return exitExpired
	case sayso.StatusPending:
		return exitLater
	case sayso.StatusUnreachable:
		return exitUnreachable
	}
	return exitDeclined // declined, cancelled, superseded, unanswered: nobody decided, and nobody will
}

// ended returns what a command returns after an outcome.
func ended(s sayso.Status) error {
	if code := codeOf(s); code != exitAnswered {
		return &exitError{Code: code}
	}
	return nil
}

// report tells the person or program what went wrong, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitAnswered
	}
	code := exitFault
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		code = exit.Code
		if exit.Err == nil {
			return code
		}
	case errors.Is(err, context.Canceled):
		code, err = exitInterrupted, errInterrupted
	case errors.Is(err, sayso.ErrUnreachable):
		code = exitUnreachable
	}
	if p.json {
		line, _ := json.Marshal(map[string]any{"error": err.Error(), "exit": code})
		p.Err.Write(append(escape(line), '\n'))
		return code
	}
	p.say("sayso: %s", strings.TrimPrefix(err.Error(), "sayso: "))
	return code
}

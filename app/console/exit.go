package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// The exit codes. Scripts and agents read them; they do not change.
const (
	ExitAnswered    = 0   // answered, or done
	ExitFault       = 1   // something broke
	ExitUsage       = 2   // the command was called wrongly
	ExitUnreachable = 3   // nobody could be asked now
	ExitDeclined    = 4   // declined, cancelled, withdrawn, or handed back without an answer
	ExitExpired     = 5   // the deadline passed
	ExitLater       = 75  // still open; EX_TEMPFAIL
	ExitInterrupted = 130 // a signal ended the run
)

// ExitCodes returns every exit code in order, with what it means.
func ExitCodes() [][2]string {
	var rows [][2]string
	for _, c := range []struct {
		code  int
		means string
	}{
		{ExitAnswered, "answered, or done"},
		{ExitFault, "something failed"},
		{ExitUsage, "wrong usage, or a tool call that is not valid"},
		{ExitUnreachable, "nobody could be asked now: the hub cannot be reached"},
		{ExitDeclined, "declined, cancelled, withdrawn, or closed without an answer"},
		{ExitExpired, "the deadline passed"},
		{ExitLater, "still open, nobody has answered yet"},
		{ExitInterrupted, "interrupted by a signal; the question is still open"},
	} {
		rows = append(rows, [2]string{strconv.Itoa(c.code), c.means})
	}
	return rows
}

// ErrInterrupted says that a signal ended the run.
var ErrInterrupted = errors.New("interrupted")

// ExitError ends the program with a code. Err says what happened, with the value,
// and Hint what to do next: a command that can be pasted. Without an Err, Report
// stays silent: what happened is the result, and was printed.
type ExitError struct {
	Code int
	Err  error
	Hint string
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Usage returns an error that says that the command was called wrongly.
func Usage(format string, args ...any) *ExitError {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Fault returns an error that says that something broke, or is not there.
func Fault(format string, args ...any) *ExitError {
	return &ExitError{Code: ExitFault, Err: fmt.Errorf(format, args...)}
}

// Next returns the error with the next step: whole sentences with the command that
// the person can paste.
func (e *ExitError) Next(format string, args ...any) *ExitError {
	return &ExitError{Code: e.Code, Err: e.Err, Hint: fmt.Sprintf(format, args...)}
}

// Hint returns the next step that an error names, or "".
func Hint(err error) string {
	for exit := (*ExitError)(nil); errors.As(err, &exit); err = exit.Err {
		if exit.Hint != "" {
			return exit.Hint
		}
	}
	return ""
}

// Ended returns what a command returns after it has printed an outcome: nil if
// there is an answer, and otherwise an error that only carries the code.
func Ended(s sayso.Status) error {
	code := ExitDeclined // declined, cancelled, superseded, unanswered: nobody decided, and nobody will
	switch s {
	case sayso.StatusAnswered:
		return nil
	case sayso.StatusExpired:
		code = ExitExpired
	case sayso.StatusPending:
		code = ExitLater
	case sayso.StatusUnreachable:
		code = ExitUnreachable
	}
	return &ExitError{Code: code}
}

// Code returns the exit code of a program that ends with this error.
func Code(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return ExitAnswered
	case errors.As(err, &exit):
		return exit.Code
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, sayso.ErrUnreachable):
		return ExitUnreachable
	}
	return ExitFault
}

// Report tells what went wrong, on standard error, and returns the exit code. For a
// person it is a line that begins with the name of the program, and below it,
// indented, the next step. For a program it is a JSON object with the fields "error"
// and "exit", and "hint" if there is a next step.
func (w *World) Report(program string, asJSON bool, err error) int {
	code := Code(err)
	var exit *ExitError
	switch {
	case err == nil, errors.As(err, &exit) && exit.Err == nil:
		return code
	case exit == nil && code == ExitInterrupted:
		err = ErrInterrupted // whatever it broke off
	}
	if asJSON {
		line, _ := json.Marshal(struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitempty"`
			Exit  int    `json:"exit"`
		}{err.Error(), Hint(err), code})
		w.Err.Write(append(escape(line), '\n'))
		return code
	}
	w.SayError(program, err)
	return code
}

// SayError tells the person what went wrong, and the next step, where the program goes
// on.
func (w *World) SayError(program string, err error) {
	text := program + ": " + strings.TrimPrefix(err.Error(), program+": ")
	if hint := Hint(err); hint != "" {
		text += "\n  " + strings.ReplaceAll(hint, "\n", "\n  ")
	}
	w.Say("%s", text)
}

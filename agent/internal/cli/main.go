package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"github.com/saysohq/sayso"
)

// World is what a run touches.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Dir      string // the working folder
}

// System is the world of the process.
func System() *World {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return &World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir}
}

// Main runs the command that the arguments name and returns its exit code. It ends
// early when ctx does, or upon an interrupt.
func Main(ctx context.Context, w *World, args []string) int {
	p := &program{World: w, signals: make(chan os.Signal, 1)}
	signal.Notify(p.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(p.signals)
	root := p.root()
	root.SetArgs(args)
	return p.report(root.ExecuteContext(ctx))
}

// program is one run.
type program struct {
	*World
	signals chan os.Signal

	config       string
	state        string
	hub          string
	json         bool
	conversation string
	model        struct{ provider, name, baseURL string }
}

// interruptible returns a context that ends with a signal.
func (p *program) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-p.signals:
			cancel(errInterrupted)
		case <-stop:
		}
	}()
	return ctx, func() { close(stop); <-done; cancel(nil) }
}

// say speaks to the person: one paragraph on standard error.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.Err, sayso.SafeText(fmt.Sprintf(format, args...)))
}

// print writes a text result. A pipe gets it as it is; a terminal gets it without
// what could do something to the terminal.
func (p *program) print(text string) error {
	if isTerminal(p.Out) {
		text = sayso.SafeText(text)
	}
	_, err := fmt.Fprintln(p.Out, text)
	return err
}

func (p *program) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("spelling the result: %w", err)
	}
	_, err = p.Out.Write(append(b, '\n'))
	return err
}

// isTerminal reports whether the stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// The exit codes, which are those of sayso.
const (
	exitFault       = 1
	exitUsage       = 2
	exitLater       = 75 // questions wait; EX_TEMPFAIL
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted")

// exitError ends the program with a code. Without an error nothing more is said.
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

// report tells the person what went wrong, and returns the exit code.
func (p *program) report(err error) int {
	code := exitFault
	var exit *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if code = exit.Code; exit.Err == nil {
			return code
		}
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		code, err = exitInterrupted, errInterrupted
	}
	p.say("sayso-agent: %v", err)
	return code
}

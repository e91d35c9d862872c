package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// World is what a run touches.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Dir      string // the working folder

	// Self starts this program again, in the background: its name, as the first
	// argument. Empty: no hub is started.
	Self string
}

// System is the world of the process.
func System() *World {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return &World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Self: os.Args[0]}
}

// Main runs the command that the arguments name and returns its exit code. It
// ends early when ctx does, or upon an interrupt.
func Main(ctx context.Context, w *World, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	stop := make(chan struct{})
	done := make(chan struct{})
	defer func() { close(stop); <-done }()
	go func() {
		defer close(done)
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-stop:
		}
	}()

	p := &program{World: w}
	root := p.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	p.json = p.json || slices.Contains(args, "--json") // it may stand behind what is wrong
	if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), errInterrupted) {
		err = &exitError{Code: exitInterrupted, Err: errInterrupted}
	}
	return p.report(err)
}

// program is one run.
type program struct {
	*World
	json    bool
	plain   bool
	hub     string
	keyFile string
	dialog  string
}

// isTerminal reports whether the stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

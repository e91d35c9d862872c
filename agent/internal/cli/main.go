package cli

import (
	"context"
	"os"

	"github.com/saysohq/sayso/app/console"
)

// World is what a run touches.
type World = console.World

// System is the world of the process.
func System() *World { return console.System() }

// Main runs the command that the arguments name and returns its exit code. It ends
// early when ctx does, or upon an interrupt.
func Main(ctx context.Context, w *World, args []string) int {
	signals, release := console.Signals()
	defer release()
	p := &program{World: w, signals: signals}
	root := p.root()
	root.SetArgs(args)
	return p.report(root.ExecuteContext(ctx))
}

// program is one run.
type program struct {
	*World
	signals <-chan os.Signal // at a terminal they stop the agent's turn; elsewhere they end the run

	config       string
	state        string
	hub          string
	json         bool
	conversation string
	model        struct{ provider, name, baseURL string }
}

// report tells the person what went wrong, and returns the exit code. A hub that
// cannot be reached is a fault like any other: no question is lost by it.
func (p *program) report(err error) int {
	if console.Code(err) == console.ExitUnreachable {
		err = &console.ExitError{Code: console.ExitFault, Err: err}
	}
	return p.Report("sayso-agent", false, err)
}

package cli

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// World is what a run touches.
type World struct {
	console.World

	// Self starts this program again, in the background: its name, as the first
	// argument. Empty: no hub is started.
	Self string

	// Now is the wall clock of a hub that is served. Default: time.Now.
	Now func() time.Time
}

// System is the world of the process.
func System() *World { return &World{World: *console.System(), Self: os.Args[0]} }

// Main runs the command that the arguments name and returns its exit code. It
// ends early when ctx does, or upon an interrupt.
func Main(ctx context.Context, w *World, args []string) int {
	all, release := console.Signals()
	defer release()
	sorted := sortSignals(all)
	defer sorted.stop()
	ctx, stop := console.Interruptible(ctx, sorted.ends)
	defer stop()
	p := &program{World: w, signals: sorted}
	root := p.root()
	root.SetArgs(args)
	err := console.Interrupted(ctx, root.ExecuteContext(ctx))
	p.nameOtherBuild(ctx)
	p.json = p.json || slices.Contains(args, "--json") // it may stand behind what is wrong
	return p.Report("sayso", p.json, explain(err))
}

// program is one run.
type program struct {
	*World
	json    bool
	plain   bool
	hub     string
	keyFile string
	dialog  string
	grace   time.Duration            // how long the inbox holds answers; 0: as the person chose, negative: not at all
	alert   func(waiting int) string // how the inbox makes itself noticed; nil: it does not

	signals *signals          // nil: the process gets none
	own     *localhub.Starter // of the hub that the run used, if it is the person's own
}

// Package ownhub is your hub, for programs other than sayso itself: the one that
// "sayso inbox" shows. A program calls [Main] first thing, then [Open], and asks
// through the client that [Hub.Connect] returns.
//
// It uses the hub that sayso's settings name. Without such a setting it is your own
// hub on this machine, which is started in the background where it does not run, as
// sayso does. The program needs no sayso binary for that: it starts itself again, and
// [Main] is then the hub.
package ownhub

import (
	"context"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/client"
)

// self is the name under which the program is started again as the hub.
const self = "sayso-hub"

// Main runs the hub if this process was started as one, and returns its exit code.
// In all other processes ok is false and nothing happened. args are those of the
// process with its name, os.Args.
func Main(ctx context.Context, args []string) (code int, ok bool) {
	if len(args) == 0 || args[0] != self {
		return 0, false
	}
	return cli.Main(ctx, world(console.System()), args[1:]), true
}

// Hub is the hub that sayso's commands use.
type Hub struct{ h *cli.Hub }

// Open reads sayso's settings. It neither connects nor starts anything.
func Open(w *console.World) (*Hub, error) {
	h, err := cli.HubOf(world(w))
	if err != nil {
		return nil, err
	}
	return &Hub{h}, nil
}

func world(w *console.World) *cli.World { return &cli.World{World: *w, Self: self} }

// Off reports whether the settings turn the hub off (hub = "none").
func (h *Hub) Off() bool { return h.h.Off() }

// Connect returns a client of the hub and starts the hub where it does not run, now
// and whenever a connection is made later. A person who answers through the client
// does so on the surface, as in "terminal". If there is no hub and none can be
// started, the error is a [sayso.ErrUnreachable].
func (h *Hub) Connect(ctx context.Context, surface string) (*client.Client, error) {
	return h.h.Connect(ctx, surface)
}

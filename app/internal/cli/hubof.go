package cli

import (
	"context"

	"github.com/saysohq/sayso/client"
)

// Hub is the hub that all commands use: the one that the settings name, or your
// own, which is started where it does not run.
type Hub struct{ p *program }

// HubOf reads the settings.
func HubOf(w *World) (*Hub, error) {
	p := &program{World: w}
	return &Hub{p}, p.configure(p.root().PersistentFlags())
}

// Off reports whether the settings turn the hub off.
func (h *Hub) Off() bool { return h.p.hub == "none" }

// Connect returns a client. A person who answers through it does so on the surface.
func (h *Hub) Connect(ctx context.Context, surface string) (*client.Client, error) {
	return h.p.connectAs(ctx, surface)
}

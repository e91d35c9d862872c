package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/mcptools"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// tenant is whose everything is on one's own machine.
const tenant = "local"

// desk is a host with everything around it, for one run.
type desk struct {
	*agent.Host
	config *Config
	hub    *hub.Hub                                // the one beside the conversations; nil: it is elsewhere
	asks   hub.Asker                               // where they wait
	inbox  func(surface string) (hub.Inbox, error) // what the person may answer
	closed []func()                                // in the order they are called
}

// open starts everything.
func (p *program) open(ctx context.Context) (_ *desk, err error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	d := &desk{config: c}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	o := c.options()
	o.Workspace = sayso.SafeLine(filepath.Base(p.workspace()))
	if err := d.openEngine(ctx, p, &o); err != nil {
		return nil, err
	}
	d.asks = o.Asks
	if o.Model, err = model.Open(ctx, c.Model.Config); err != nil {
		return nil, err
	}
	tools, err := mcptools.Connect(ctx, c.MCP)
	if err != nil {
		return nil, err
	}
	d.closing(func() { tools.Close() })
	o.Tools = tools.Tools()
	if d.Host, err = agent.Open(ctx, &o); err != nil {
		return nil, err
	}
	d.closing(d.Host.Stop)
	return d, nil
}

// openEngine opens the place that conversations are kept in, and the hub: beside
// them, or elsewhere.
func (d *desk) openEngine(ctx context.Context, p *program, o *agent.Options) error {
	dir := d.config.State
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of conversations: %w", err)
	}
	key, err := console.Secret(filepath.Join(dir, "handle.key"))
	if err != nil {
		return fmt.Errorf("reading the key of the handles: %w", err)
	}
	e, err := engine.Start(ctx, filepath.Join(dir, "engine"), &engine.Options{Tenant: tenant, Hub: &hub.Options{Key: key}})
	var locked *natsserver.LockedError
	if errors.As(err, &locked) {
		return fmt.Errorf("another sayso-agent (process %d) works with %s: end it, or give --state", locked.PID, dir)
	}
	if err != nil {
		return err
	}
	d.closing(func() { e.Close(ctx) })
	o.Journal = e.Journal
	if d.config.Hub != "" {
		return d.attach(p, o)
	}
	d.hub, o.Asks = e.Hub, e.Hub.Asker(tenant, sayso.Responder{})
	d.inbox = func(surface string) (hub.Inbox, error) {
		return d.hub.Inbox(tenant, sayso.Responder{Kind: sayso.ByPerson, Surface: surface}), nil
	}
	return nil
}

// attach uses a hub of another process.
func (d *desk) attach(p *program, o *agent.Options) error {
	variable := d.config.HubKeyEnv
	if variable == "" {
		variable = "SAYSO_KEY"
	}
	open := func(surface string) (*client.Client, error) {
		c, err := client.New(d.config.Hub, &client.Options{Key: p.Getenv(variable), Surface: surface})
		if err != nil {
			return nil, console.Usage("--hub: %w", err)
		}
		return c, nil
	}
	c, err := open("")
	if err != nil {
		return err
	}
	d.closing(c.Close)
	o.Asks = c
	d.inbox = func(surface string) (hub.Inbox, error) {
		c, err := open(surface)
		if err != nil {
			return nil, err
		}
		return c.Inbox(), nil
	}
	return nil
}

func (d *desk) closing(f func()) { d.closed = append([]func(){f}, d.closed...) }

// close stops everything, the host first.
func (d *desk) close() {
	for _, f := range d.closed {
		f()
	}
}

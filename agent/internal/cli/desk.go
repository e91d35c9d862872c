package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/mcptools"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/ownhub"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// tenant is whose everything is on one's own machine.
const tenant = "local"

// desk is a host with everything around it, for one run.
type desk struct {
	*agent.Host
	config *Config
	hub    *hub.Hub                                // the one beside the conversations; nil: it is another process
	asks   hub.Asker                               // where they wait
	inbox  func(surface string) (hub.Inbox, error) // what the person may answer
	closed []func()                                // in the order they are called
}

// open starts everything as the settings say.
func (p *program) open(ctx context.Context) (*desk, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	o := c.options()
	o.Workspace = sayso.SafeLine(filepath.Base(p.workspace()))
	if o.Model, err = model.Open(ctx, c.Model.Config); err != nil {
		return nil, err
	}
	return p.openWith(ctx, c, &o)
}

// openWith starts everything. The options lack what the host works on.
func (p *program) openWith(ctx context.Context, c *Config, o *agent.Options) (_ *desk, err error) {
	d := &desk{config: c}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if err := d.openEngine(ctx, p, o); err != nil {
		return nil, err
	}
	d.asks = o.Asks
	tools, err := mcptools.Connect(ctx, c.MCP)
	if err != nil {
		return nil, err
	}
	d.closing(func() { tools.Close() })
	o.Tools = tools.Tools()
	if d.Host, err = agent.Open(ctx, o); err != nil {
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
		return fmt.Errorf("cannot make the folder of the conversations: %w", err)
	}
	key, err := console.Secret(filepath.Join(dir, "handle.key"))
	if err != nil {
		return fmt.Errorf("reading the key of the handles: %w", err)
	}
	e, err := engine.Start(ctx, filepath.Join(dir, "engine"), &engine.Options{Tenant: tenant, Hub: &hub.Options{Key: key}})
	var locked *natsserver.LockedError
	if errors.As(err, &locked) {
		return console.Fault("another sayso-agent (process %d) uses %s", locked.PID, dir).Next("Stop that process, or use another folder with --state.")
	}
	if err != nil {
		return err
	}
	d.closing(func() { e.Close(ctx) })
	o.Journal = e.Journal
	attached, err := d.attach(ctx, p, o)
	if attached || err != nil {
		return err
	}
	d.hub, o.Asks = e.Hub, e.Hub.Asker(tenant, sayso.Responder{})
	d.inbox = func(surface string) (hub.Inbox, error) {
		return d.hub.Inbox(tenant, sayso.Responder{Kind: sayso.ByPerson, Surface: surface}), nil
	}
	return nil
}

// attach uses a hub of another process: the one that is named, or the person's own.
// It reports whether there is one. Without one, questions wait beside the
// conversations.
func (d *desk) attach(ctx context.Context, p *program, o *agent.Options) (bool, error) {
	connect := d.named(p)
	switch d.config.Hub {
	case "none":
		return false, nil
	case "":
		own, err := ownhub.Open(p.World)
		if err != nil || own.Off() {
			return false, err
		}
		connect = func(surface string) (*client.Client, error) { return own.Connect(ctx, surface) }
	}
	c, err := connect("")
	if d.config.Hub == "" && errors.Is(err, sayso.ErrUnreachable) {
		p.Say("sayso-agent: cannot use your hub: %v\n  Its questions are asked here only, and not in your inbox. To turn the hub off: --hub none", err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d.closing(c.Close)
	o.Asks = c
	surfaces := &clients{connect: connect, all: map[string]*client.Client{}}
	d.closing(surfaces.close)
	d.inbox = surfaces.inbox
	return true, nil
}

// named connects to the hub that the settings of the agent name.
func (d *desk) named(p *program) func(surface string) (*client.Client, error) {
	return func(surface string) (*client.Client, error) {
		key := p.Getenv(cmp.Or(d.config.HubKeyEnv, "SAYSO_KEY"))
		c, err := client.New(d.config.Hub, &client.Options{Key: key, Surface: surface})
		if err != nil {
			return nil, console.Usage("invalid value for --hub: %w", err).Next("Use a URL, the absolute path of a socket, or --hub none.")
		}
		return c, nil
	}
}

// clients are those of a hub, one for each surface.
type clients struct {
	connect func(surface string) (*client.Client, error)
	mu      sync.Mutex
	all     map[string]*client.Client
}

func (s *clients) inbox(surface string) (hub.Inbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[surface]
	if c == nil {
		var err error
		if c, err = s.connect(surface); err != nil {
			return nil, err
		}
		s.all[surface] = c
	}
	return c.Inbox(), nil
}

func (s *clients) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		c.Close()
	}
}

func (d *desk) closing(f func()) { d.closed = append([]func(){f}, d.closed...) }

// close stops everything, the host first.
func (d *desk) close() {
	for _, f := range d.closed {
		f()
	}
}

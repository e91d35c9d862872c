package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// errNoHub says that the person wants none.
var errNoHub = fmt.Errorf("%w: --hub is \"none\"", sayso.ErrUnreachable)

// firstConnection is how long a command tries to reach a hub elsewhere that has not
// answered yet. Once it has, a restart of that hub is waited for.
const firstConnection = time.Second

// connect returns a client of the hub for a person at this terminal. The person's
// own hub is started where it does not run, now and whenever a connection is made
// later.
func (p *program) connect(ctx context.Context) (*client.Client, error) {
	return p.connectAs(ctx, "terminal")
}

// connectAs is connect for a person who answers somewhere else.
func (p *program) connectAs(ctx context.Context, surface string) (*client.Client, error) {
	opts := &client.Options{Surface: surface}
	var err error
	if opts.Key, err = p.key(); err != nil {
		return nil, err
	}
	switch p.hub {
	case "none":
		return nil, errNoHub
	case "":
		return p.connectLocal(ctx, opts)
	}
	if surface == "terminal" { // and not a server that an agent keeps running
		opts.Connect = firstConnection
	}
	c, err := client.New(p.hub, opts)
	if err != nil {
		return nil, wrongHub(p.hub)
	}
	return c, nil
}

func (p *program) connectLocal(ctx context.Context, opts *client.Options) (*client.Client, error) {
	starter, err := p.starter()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sayso.ErrUnreachable, err)
	}
	// Connected at once, so that a hub which cannot start is told of and not
	// tried again and again.
	first, err := starter.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sayso.ErrUnreachable, err)
	}
	p.own = starter
	var ready atomic.Pointer[net.Conn]
	ready.Store(&first)
	opts.Dial = func(ctx context.Context) (net.Conn, error) {
		if conn := ready.Swap(nil); conn != nil {
			return *conn, nil
		}
		return starter.Dial(ctx)
	}
	return client.New(starter.Places.Socket(), opts)
}

func (p *program) starter() (*localhub.Starter, error) {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil {
		return nil, err
	}
	s := &localhub.Starter{Places: places}
	if p.Self != "" {
		s.Command = []string{p.Self, "serve", "--background"}
	}
	return s, nil
}

// key returns the credential, which no command line shows.
func (p *program) key() (string, error) {
	if p.keyFile == "" {
		return p.Getenv("SAYSO_KEY"), nil
	}
	b, err := os.ReadFile(p.keyFile)
	if err != nil {
		return "", console.Usage("cannot read the key in %q: %s", p.keyFile, reason(err)).Next("Check --key-file (or SAYSO_KEY_FILE). Keys of your own hub: sayso keys list.")
	}
	return strings.TrimSpace(string(b)), nil
}

// find returns the ask that a person means: by its id, by the beginning of it, or by
// its handle. If two could be meant, open or closed, neither is: what was shown may
// be the other one.
func (p *program) find(ctx context.Context, c *client.Client, name string) (*hub.Ticket, error) {
	var exact, begin []*hub.Ticket
	var ids []string
	err := hub.Each(ctx, c, &hub.Filter{Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		switch {
		case t.Handle == name:
			exact = []*hub.Ticket{t}
			return false
		case t.Ask.ID == name:
			exact = append(exact, t)
		case strings.HasPrefix(t.Ask.ID, name), strings.HasPrefix(t.Ask.ID, "ask_"+name):
			begin = append(begin, t)
		}
		ids = append(ids, t.Ask.ID)
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1:
		return nil, console.Usage("%d questions have the id %q", len(exact), name).Next("Use the handle of one: %s", handles(exact))
	case len(begin) == 1:
		return begin[0], nil
	case len(begin) > 1:
		return nil, console.Usage("%d questions have an id that begins with %q", len(begin), name).Next("Use more of the id, for example: sayso show %s\n%s", begin[0].Ask.ID, candidates(begin))
	}
	return nil, console.Fault("no question with id %q", name).
		Next("%sOpen questions: sayso list. Closed ones too: sayso list --all.", console.DidYouMean(name, ids))
}

// handles lists asks by their handles, with what tells them apart.
func handles(all []*hub.Ticket) string {
	var each []string
	for _, t := range all {
		each = append(each, fmt.Sprintf("%s (%s, %s)", t.Handle, t.Ask.Origin.Verified(), t.Status()))
	}
	return strings.Join(each, ", ")
}

// candidates lists asks by their ids, with what tells them apart.
func candidates(all []*hub.Ticket) string {
	const most = 5
	c := &columns{head: []column{{}, {}, {}}}
	for _, t := range all[:min(len(all), most)] {
		c.rows = append(c.rows, []string{t.Ask.ID, string(t.Status()), sayso.Meta(t.Ask)})
	}
	text := c.fit(100)
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return text
}

// closedElsewhere returns the ticket of the outcome that was faster, if that is
// what the error says.
func closedElsewhere(err error) *hub.Ticket {
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return closed.Ticket
	}
	return nil
}

package tty

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	// Patience is how long a terminal may take to accept what is written to it. One
	// that has been stopped, with ctrl+s, takes nothing. Default: 2 s.
	Patience time.Duration
}

// Channel tells terminals.
type Channel struct{ o Options }

var _ notify.Channel = (*Channel)(nil)

// New returns the channel.
func New(o *Options) *Channel {
	c := &Channel{}
	if o != nil {
		c.o = *o
	}
	if c.o.Patience == 0 {
		c.o.Patience = 2 * time.Second
	}
	return c
}

// Limits say that a terminal shows a title and a line.
func (c *Channel) Limits() notify.Limits { return notify.Limits{} }

// Put rings, or withdraws what kitty shows. A note that only changed is not worth the
// noise.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	a := &Address{}
	if err := json.Unmarshal(to.Address, a); err != nil {
		return "", &notify.RetryError{Never: true, Err: fmt.Errorf("reading the address of a terminal: %w", err)}
	}
	what := ""
	switch {
	case n.Over:
		what = a.Withdraw(n.Key)
	case n.Alert:
		what = a.Alert(n.Key, n.Title, n.Body)
	}
	if what != "" {
		if err := c.write(ctx, a, what); err != nil {
			return "", err
		}
	}
	if n.Over {
		return "", nil
	}
	return n.Key, nil
}

func (c *Channel) write(ctx context.Context, a *Address, what string) error {
	if err := checkPath(a.Path); err != nil {
		return &notify.RetryError{Never: true, Err: err}
	}
	if host, err := os.Hostname(); err == nil && a.Host != "" && a.Host != host {
		return &notify.RetryError{Err: fmt.Errorf("the terminal %s is on %s, and this hub runs on %s", a.Path, a.Host, host)}
	}
	until := time.Now().Add(c.o.Patience)
	if d, ok := ctx.Deadline(); ok && d.Before(until) {
		until = d
	}
	return writeTo(a.Path, what, until)
}

// paths are where systems have their terminals. Opening another device may do
// something.
var paths = regexp.MustCompile(`^/dev/(pts/[0-9]{1,9}|tty[A-Za-z0-9]{1,16})$`)

func checkPath(path string) error {
	if !paths.MatchString(path) {
		return fmt.Errorf("%q is not a terminal: use one such as /dev/pts/3, which the command tty prints", path)
	}
	return nil
}

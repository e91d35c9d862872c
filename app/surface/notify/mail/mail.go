package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are those of a channel. Server and From must be set.
type Options struct {
	Server string // host and port of the mail server; at port 465 it speaks TLS from the first byte
	From   string // the address that mail comes from, with or without a name
	User   string // at the server; empty: it asks for none
	Pass   string

	Roots *x509.CertPool                                              // default: those of the system
	Dial  func(ctx context.Context, address string) (net.Conn, error) // default: TCP
	Limit time.Duration                                               // for one mail; default: 30 s
	Now   func() time.Time                                            // default: time.Now
}

// Check says what is wrong with the options.
func (o *Options) Check() error {
	if host, port, err := net.SplitHostPort(o.Server); err != nil || host == "" || port == "" {
		return fmt.Errorf("%q is not a mail server such as smtp.example.com:587", o.Server)
	}
	if _, err := parse(o.From); err != nil {
		return err
	}
	if strings.ContainsAny(o.User+o.Pass, "\x00\r\n") {
		return errors.New("the name and the password of the mail server's user must not have line ends")
	}
	return nil
}

// Channel sends mail.
type Channel struct {
	opts Options
	from *mail.Address
	bad  error
}

// New returns a channel. What [Options.Check] refuses is the error of every Put.
func New(o *Options) *Channel {
	c := &Channel{opts: *o, bad: o.Check()}
	if c.bad == nil {
		c.from, c.bad = parse(o.From)
	}
	if c.opts.Dial == nil {
		c.opts.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		}
	}
	if c.opts.Limit == 0 {
		c.opts.Limit = 30 * time.Second
	}
	if c.opts.Now == nil {
		c.opts.Now = time.Now
	}
	return c
}

// Limits are those of mail: a link, and nothing to press.
func (c *Channel) Limits() notify.Limits { return notify.Limits{} }

// Put sends a mail if the person is to notice something. What was sent stays: a note
// that is over, or only changed, sends nothing. Where is the id of the last mail.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	switch {
	case n.Over:
		return "", nil
	case !n.Alert:
		return where, nil
	case c.bad != nil:
		return where, fmt.Errorf("mail: %w", c.bad)
	}
	address, err := parseAddress(to.Address)
	if err != nil {
		return where, err
	}
	l := write(c.from, address, n, c.opts.Now())
	if err := c.send(ctx, l); err != nil {
		return where, err
	}
	return l.id, nil
}

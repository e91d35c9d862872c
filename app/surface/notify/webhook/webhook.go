package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// Options are those of a channel; nil means the defaults.
type Options struct {
	Client *http.Client             // default: that of package outbound, for public addresses only
	Handle func(hub.Address) string // names an ask to receivers: [hub.Hub.Handle]; default: the handle that a ticket has
	Now    func() time.Time         // default: time.Now
}

// Channel sends webhooks.
type Channel struct{ opts Options }

// New returns a channel.
func New(o *Options) *Channel {
	c := &Channel{}
	if o != nil {
		c.opts = *o
	}
	if c.opts.Client == nil {
		c.opts.Client = outbound.Client(nil)
	}
	return c
}

// Limits are those of a program: it has no screen.
func (c *Channel) Limits() notify.Limits { return notify.Limits{Machine: true, Again: true} }

func (c *Channel) now() time.Time {
	if c.opts.Now == nil {
		return time.Now()
	}
	return c.opts.Now()
}

// Put sends what has become of the ask. Where is the id of the message that was sent
// last: what it says already is not sent again.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	a, keys, err := parseAddress(to.Address)
	if err != nil {
		return where, &notify.RetryError{Never: true, Err: err}
	}
	id, m := c.message(n)
	if id != where {
		if err := c.post(ctx, a, keys, id, m.bytes()); err != nil {
			return where, err
		}
	}
	if n.Over {
		return "", nil
	}
	return id, nil
}

func (c *Channel) post(ctx context.Context, a *Address, keys [][]byte, id string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, bytes.NewReader(body))
	if err != nil {
		return &notify.RetryError{Never: true, Err: errors.New("webhook: the address is not a URL: remove the contact and add it again")}
	}
	now := c.now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "sayso")
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("webhook-signature", sign(keys, id, now, body))
	res, err := c.opts.Client.Do(req)
	if err != nil {
		return fmt.Errorf("webhook: %s: %w", a.Name(), bare(err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 4<<10)) // so that the connection can be used again
	return judge(a, res, now)
}

// judge says what an answer means. What a receiver refuses is tried again too: receivers
// are repaired.
func judge(a *Address, res *http.Response, now time.Time) error {
	switch {
	case res.StatusCode/100 == 2:
		return nil
	case res.StatusCode == http.StatusGone:
		return fmt.Errorf("%w: %s answered 410 Gone", notify.ErrGone, a.Name())
	}
	return &notify.RetryError{
		After: outbound.RetryAfter(res.Header, now),
		Err:   fmt.Errorf("webhook: %s answered %d %s, and 2xx is needed", a.Name(), res.StatusCode, http.StatusText(res.StatusCode)),
	}
}

// bare takes the URL out of an error of the client: its path may be a secret.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

package ntfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are those of a channel; nil means the defaults.
type Options struct {
	Client *http.Client // publishes; default: that of package outbound
	Stream *http.Client // follows topics, so it has no time limit; default: that of package outbound

	Ready time.Duration    // how long a note with buttons waits until the topic for answers is followed; default: 5 s
	Now   func() time.Time // default: time.Now
	Log   *slog.Logger     // default: none
}

// Channel publishes notes, and takes answers.
type Channel struct {
	opts Options

	mu      sync.Mutex
	follows map[string]*follow // by account
	wake    chan struct{}      // a follow is new
	often   time.Duration      // between two replies to presses that were of no use
}

// New returns a channel.
func New(o *Options) *Channel {
	c := &Channel{follows: make(map[string]*follow), wake: make(chan struct{}, 1), often: time.Minute}
	if o != nil {
		c.opts = *o
	}
	if c.opts.Client == nil {
		c.opts.Client = outbound.Client(nil)
	}
	if c.opts.Stream == nil {
		c.opts.Stream = outbound.Client(&outbound.Options{Stream: true})
	}
	if c.opts.Ready == 0 {
		c.opts.Ready = 5 * time.Second
	}
	if c.opts.Now == nil {
		c.opts.Now = time.Now
	}
	if c.opts.Log == nil {
		c.opts.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Limits are those of a message. A tap on the message opens the inbox, so two of the
// buttons of a note need no room: only three are drawn.
func (c *Channel) Limits() notify.Limits {
	return notify.Limits{Buttons: maxActions + 2, Text: maxMessage - 96, Size: func(s string) int { return len(s) }, Again: true}
}

// Put publishes the note in place of the last one. A note that is over is deleted.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	a, err := parseAddress(to.Address)
	if err != nil {
		return where, err
	}
	if n.Over {
		if where == "" {
			return "", nil
		}
		return c.withdraw(ctx, a, where)
	}
	answers := to.Account != "" && to.Account == a.account() && posts(n)
	if answers && n.Test {
		if err := c.try(ctx, a); err != nil {
			return where, err
		}
	}
	if answers {
		answers = c.followed(ctx, a)
	}
	body, err := json.Marshal(draw(a, n, answers))
	if err != nil {
		return where, err
	}
	if _, err := c.request(ctx, a, http.MethodPost, "/", body); err != nil {
		return where, err
	}
	return n.Key, nil
}

func posts(n *notify.Note) bool {
	for _, b := range n.Buttons {
		if b.Data != "" {
			return true
		}
	}
	return false
}

// withdraw deletes a message. Servers before 2.16 cannot do that.
func (c *Channel) withdraw(ctx context.Context, a *Address, where string) (string, error) {
	status, err := c.request(ctx, a, http.MethodDelete, "/"+a.Topic+"/"+url.PathEscape(where), nil)
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return "", nil
	}
	if err != nil {
		return where, err
	}
	return "", nil
}

// try looks whether the hub may read the topic for answers, so that a test says so and
// not the first answer.
func (c *Channel) try(ctx context.Context, a *Address) error {
	_, err := c.request(ctx, a, http.MethodGet, "/"+a.Answers+"/json?poll=1&since="+strconv.FormatInt(c.opts.Now().Unix(), 10), nil)
	if err != nil {
		return fmt.Errorf("%w; the hub must be able to read the topic for answers", err)
	}
	return nil
}

// request makes one request. The status is zero if there was no answer.
func (c *Channel) request(ctx context.Context, a *Address, method, path string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.Server+path, bytes.NewReader(body))
	if err != nil {
		return 0, &notify.RetryError{Never: true, Err: errors.New("ntfy: the server's address is not a URL: remove the contact and add it again")}
	}
	c.sign(req, a)
	res, err := c.opts.Client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("ntfy: %w", bare(err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	return res.StatusCode, judge(a, res, c.opts.Now())
}

func (c *Channel) sign(req *http.Request, a *Address) {
	req.Header.Set("User-Agent", "sayso")
	if a.Token != "" {
		req.Header.Set("Authorization", "Bearer "+a.Token)
	}
}

// judge says what an answer means.
func judge(a *Address, res *http.Response, now time.Time) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	err := fmt.Errorf("ntfy: %s answered %d %s", a.Server, res.StatusCode, http.StatusText(res.StatusCode))
	switch res.StatusCode {
	case http.StatusUnauthorized:
		err = fmt.Errorf("%w: the token is not known there", err)
	case http.StatusForbidden:
		err = fmt.Errorf("%w: the server's access control does not allow it", err)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return &notify.RetryError{Never: true, Err: err}
	}
	return &notify.RetryError{After: outbound.RetryAfter(res.Header, now), Err: err}
}

// bare takes the URL out of an error of the client: a topic may be a secret.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

package webpush

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// Project is what push services are told about who sends, unless the operator says
// something else. Apple wants an address that exists.
const Project = "https://github.com/saysohq/sayso"

// Options are the options of [New].
type Options struct {
	Key     *ecdsa.PrivateKey // required; see [SharedKey]
	Subject string            // an https or mailto address of whoever runs the hub. Default: [Project]
	Allow   []string          // hosts to send to beside the push services of browsers, with or without a port
	Client  *http.Client      // default: a client with a time limit that follows no redirects
	Now     func() time.Time  // default: time.Now

	// Handle names an ask in the address of its page, for hubs without an address that
	// others can reach. Default: such a notification leads to the inbox.
	Handle func(hub.Address) string

	// Holds reports whether a session of a person holds. A contact whose session has
	// ended is told nothing any more. Default: all do.
	Holds func(ctx context.Context, tenant, person, session string) (bool, error)
}

// Channel sends to browsers. It is safe for concurrent use.
type Channel struct {
	opts   Options
	public string
}

var _ notify.Channel = (*Channel)(nil)

// The life of a message at the push service.
const maxTTL = 24 * time.Hour

// New returns the channel.
func New(opts *Options) *Channel {
	c := &Channel{opts: *opts}
	c.opts.Subject = cmp.Or(c.opts.Subject, Project)
	if c.opts.Now == nil {
		c.opts.Now = time.Now
	}
	if c.opts.Client == nil {
		c.opts.Client = &http.Client{
			Timeout:       15 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if b, err := c.opts.Key.PublicKey.Bytes(); err == nil {
		c.public = b64.EncodeToString(b)
	}
	return c
}

// PublicKey is the applicationServerKey of PushManager.subscribe.
func (c *Channel) PublicKey() string { return c.public }

// Limits implements notify.
func (c *Channel) Limits() notify.Limits {
	return notify.Limits{Buttons: 2, Picks: true, Again: true}
}

// Put implements [notify.Channel].
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	var a address
	if err := json.Unmarshal(to.Address, &a); err != nil {
		return "", notify.ErrGone
	}
	u, k, err := c.check(&a)
	if err != nil {
		return "", fmt.Errorf("%w: %w", notify.ErrGone, err)
	}
	if !n.Over && to.Session != "" && c.opts.Holds != nil {
		holds, err := c.opts.Holds(ctx, to.Tenant, to.Person, to.Session)
		if err != nil {
			return "", err
		}
		if !holds {
			return "", fmt.Errorf("%w: the browser is signed out", notify.ErrGone)
		}
	}
	if n.URL == "" && len(n.Asks) == 1 && c.opts.Handle != nil {
		local := *n
		local.URL = "/ask/" + c.opts.Handle(n.Asks[0].Address)
		n = &local
	}
	if n.Over && where == "" && a.apple() {
		return "", nil // it would be the first that the person sees of it
	}
	body, err := seal(payload(&a, to.Detail, n), k)
	if err != nil {
		return "", &notify.RetryError{Never: true, Err: err}
	}
	if err := c.post(ctx, u, n, body); err != nil {
		return "", err
	}
	if n.Over {
		return "", nil
	}
	return n.Key, nil
}

// post gives a message to the push service.
func (c *Channel) post(ctx context.Context, u *url.URL, n *notify.Note, body []byte) error {
	now := c.opts.Now()
	token, err := vapid(c.opts.Key, u.Scheme+"://"+u.Host, c.opts.Subject, now)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	h := req.Header
	h.Set("Authorization", token)
	h.Set("Content-Encoding", "aes128gcm")
	h.Set("Content-Type", "application/octet-stream")
	h.Set("TTL", strconv.Itoa(int(ttl(n, now)/time.Second)))
	h.Set("Urgency", "normal")
	if n.Alert && !n.Over {
		h.Set("Urgency", "high") // the phone may sleep
	}
	if n.Key != "" {
		h.Set("Topic", n.Key) // takes the place of what was not delivered yet
	}
	resp, err := c.opts.Client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the address, which lets anybody send to the browser
		}
		return fmt.Errorf("cannot reach the push service %s: %w", u.Host, err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return c.judge(u, resp, said)
}

// ttl is how long the push service keeps a message: until it is of no use, at most a
// day.
func ttl(n *notify.Note, now time.Time) time.Duration {
	if n.Over || n.Until.IsZero() {
		return maxTTL
	}
	return min(max(n.Until.Sub(now), time.Minute), maxTTL)
}

// judge says what a reply means (RFC 8030, 5 and 7.2).
func (c *Channel) judge(u *url.URL, resp *http.Response, said []byte) error {
	code := resp.StatusCode
	err := fmt.Errorf("the push service %s refused the notification: %s", u.Host, resp.Status)
	if words := sayso.SafeLine(strings.TrimSpace(string(said))); words != "" {
		err = fmt.Errorf("%w: %s", err, cut(words, 200))
	}
	switch {
	case code == http.StatusOK, code == http.StatusCreated, code == http.StatusAccepted, code == http.StatusNoContent:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return fmt.Errorf("%w: the browser has ended the subscription", notify.ErrGone)
	case code == http.StatusRequestEntityTooLarge:
		return &notify.RetryError{Never: true, Err: err}
	case code == http.StatusTooManyRequests, code >= 500:
		return &notify.RetryError{After: outbound.RetryAfter(resp.Header, c.opts.Now()), Err: err}
	}
	return err
}

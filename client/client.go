package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	// Key is the credential. Default: none; a socket knows its callers.
	Key string

	// Surface says where a person who answers through this client is: terminal,
	// slack. Default: the hub says "api".
	Surface string

	// Dial makes the connections in place of the network. Default: it dials what
	// the URL names.
	Dial func(ctx context.Context) (net.Conn, error)

	// Transport makes the requests in place of one of the client's own, for a
	// proxy or a certificate say. Dial does not apply to it. Default: none.
	Transport http.RoundTripper

	// Patience is how long a request is tried again while the hub cannot be
	// reached or has no time. A hub with a fault (see [hub.Fault]) is asked once. An
	// ask that was stored is waited for beyond it, for as long as its context
	// lasts. Default: 15 s; negative: a request is tried once.
	Patience time.Duration

	// Connect is Patience for as long as the hub has not answered any request: an
	// address that nobody serves is told of sooner than a hub that restarts.
	// Default: Patience.
	Connect time.Duration

	// Pause is how long to wait before a request is tried again: at first Min,
	// then twice as long each time, up to Max, and each time a random part of
	// that. Default: 50 ms to 5 s.
	Pause struct{ Min, Max time.Duration }

	// Poll is how long the hub may hold a request that waits. Default: 60 s.
	Poll time.Duration

	// Silence is how long a stream of events may be silent before it is taken
	// for dead; the hub sends a sign of life every 15 s. Default: 45 s.
	Silence time.Duration
}

// Client speaks to one hub. All methods may be called from several goroutines.
type Client struct {
	base string // without a slash at the end
	http *http.Client
	opts Options

	answered atomic.Bool            // the hub has answered a request
	version  atomic.Pointer[string] // of the hub, as it told last
}

var (
	_ sayso.Resolver = (*Client)(nil)
	_ hub.Asker      = (*Client)(nil)
)

// New returns a client of the hub at the address: a URL with http or https, or
// the absolute path of a Unix socket, which may have "unix:" before it. It does
// not connect yet.
func New(address string, opts *Options) (*Client, error) {
	c := &Client{}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
	o.Patience = cmp.Or(o.Patience, 15*time.Second)
	o.Connect = cmp.Or(o.Connect, o.Patience)
	o.Pause.Min = cmp.Or(o.Pause.Min, 50*time.Millisecond)
	o.Pause.Max = max(cmp.Or(o.Pause.Max, 5*time.Second), o.Pause.Min)
	o.Poll = cmp.Or(o.Poll, time.Minute)
	o.Silence = cmp.Or(o.Silence, 45*time.Second)

	path, isSocket := strings.CutPrefix(address, "unix:")
	if isSocket || filepath.IsAbs(address) {
		if path = strings.TrimPrefix(path, "//"); !filepath.IsAbs(path) {
			return nil, fmt.Errorf("client: %q is not the absolute path of a socket", address)
		}
		if o.Dial == nil {
			o.Dial = func(ctx context.Context) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, "unix", path)
			}
		}
		address = "http://localhost"
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("client: the address of a hub is a URL with http or https, or the absolute path of a socket")
	}
	c.base = strings.TrimRight(u.String(), "/")
	c.http = &http.Client{
		Transport: o.Transport,
		// A redirect would take the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.Transport == nil {
		c.http.Transport = transport(o.Dial)
	}
	return c, nil
}

func transport(dial func(context.Context) (net.Conn, error)) *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
	}
	if dial != nil {
		t.Proxy = nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	}
	return t
}

// Ready asks the hub, once, whether it can do its work, and needs no key for it. The
// error of a hub that cannot store anything wraps a [*hub.StorageError]; one that
// wraps [sayso.ErrUnreachable] alone says that no hub answered.
func (c *Client) Ready(ctx context.Context) error {
	err := c.try(ctx, &request{method: http.MethodGet, path: "/readyz"}, nil)
	var again *againError
	if errors.As(err, &again) {
		return fmt.Errorf("client: asking whether it is ready: %w: %w", sayso.ErrUnreachable, again.err)
	}
	return err
}

// Version returns the version of the hub's program, as its last response told it,
// and "" if none has.
func (c *Client) Version() string {
	if v := c.version.Load(); v != nil {
		return *v
	}
	return ""
}

// heard notes what every response says about the hub.
func (c *Client) heard(resp *http.Response) {
	c.answered.Store(true)
	if v := sayso.SafeLine(resp.Header.Get(api.VersionHeader)); v != "" {
		c.version.Store(&v)
	}
}

// patience is how long a request is tried again.
func (c *Client) patience() time.Duration {
	if c.answered.Load() {
		return c.opts.Patience
	}
	return c.opts.Connect
}

// Close closes the connections that are idle. The client may still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }

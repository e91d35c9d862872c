package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// The limits of an answer.
const (
	maxHeader = 16 << 10
	maxBody   = 1 << 20
)

// Options are those of a client; nil means the defaults.
type Options struct {
	// Allow has the hosts, addresses and networks that the operator allows although
	// they are not public, such as "gotify.lan:8080" or "10.1.0.0/16". They may be
	// spoken to without TLS. A host that is allowed may have any address. Entries that
	// [CheckAllow] refuses allow nothing. Default: none.
	Allow []string

	// Stream is for answers that do not end: only their beginning has a time limit,
	// and their length has none. Default: 15 seconds and 1 MiB for the whole answer.
	Stream bool

	Roots    *x509.CertPool // default: those of the system
	Resolver *net.Resolver  // default: that of the system

	dialed func(address string) error
}

// Client returns a client for addresses that people typed in.
func Client(o *Options) *http.Client {
	if o == nil {
		o = &Options{}
	}
	g := &guard{allow: newAllowed(o.Allow), resolver: o.Resolver, dialed: o.dialed}
	inner := func(plain bool) *http.Transport {
		return &http.Transport{
			Proxy:                  nil, // one of the environment would be dialled in place of what was judged
			DialContext:            g.dialer(plain),
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
			TLSHandshakeTimeout:    5 * time.Second,
			ResponseHeaderTimeout:  10 * time.Second,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
			MaxIdleConns:           32,
			ForceAttemptHTTP2:      true,
		}
	}
	t := &transport{guard: g, secure: inner(false), plain: inner(true), body: maxBody}
	c := &http.Client{Transport: t, Timeout: 15 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	if o.Stream {
		t.body, c.Timeout = 0, 0
	}
	return c
}

// CheckURL says what is wrong with an address before anything is sent there: only
// what can be seen without looking its name up.
func CheckURL(address string, o *Options) error {
	if o == nil {
		o = &Options{}
	}
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%q is not an address of the form https://HOST/PATH", shorten(address))
	}
	return (&guard{allow: newAllowed(o.Allow)}).url(u)
}

type transport struct {
	guard         *guard
	secure, plain *http.Transport
	body          int64 // at most; zero: no limit
}

// CloseIdleConnections makes that of the client work.
func (t *transport) CloseIdleConnections() {
	t.secure.CloseIdleConnections()
	t.plain.CloseIdleConnections()
}

var errTooLong = errors.New("outbound: the answer is too long")

// bounded ends a body that is too long with an error. Nobody takes a part of it for
// the whole.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errTooLong
	}
	return n, err
}

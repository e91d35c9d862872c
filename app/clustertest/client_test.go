package clustertest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/client"
)

// route makes the requests of clients: to one hub, or to one of several until it fails.
type route struct {
	hosts []string // host:port
	base  http.RoundTripper
	saw   *statuses
	now   atomic.Int64         // which host
	life  func() time.Duration // of a response, after which it is cut; nil: for ever
}

// newRoute returns a route to the hubs whose certificates the authority has signed.
func newRoute(t testing.TB, certs string, saw *statuses, hosts ...string) *route {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(certs, "ca.pem"))
	must(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	base := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		TLSHandshakeTimeout: 2 * time.Second,
		MaxIdleConnsPerHost: 4096,
	}
	t.Cleanup(base.CloseIdleConnections)
	return &route{hosts: hosts, base: base, saw: saw}
}

// RoundTrip makes a request. After one that fails, the next goes to another hub.
func (r *route) RoundTrip(req *http.Request) (*http.Response, error) {
	at := r.now.Load()
	out := req.Clone(req.Context())
	out.URL.Host = r.hosts[at%int64(len(r.hosts))]
	out.Host = ""
	var cancel context.CancelFunc = func() {}
	if r.life != nil {
		var ctx context.Context
		ctx, cancel = context.WithTimeout(out.Context(), r.life())
		out = out.WithContext(ctx)
	}
	resp, err := r.base.RoundTrip(out)
	r.saw.note(resp, err)
	if err != nil {
		cancel()
		r.now.CompareAndSwap(at, at+1)
		return nil, err
	}
	if resp.StatusCode >= 500 {
		r.now.CompareAndSwap(at, at+1)
	}
	resp.Body = &body{resp.Body, func(err error) {
		if err != nil { // the hub went away in the middle
			r.now.CompareAndSwap(at, at+1)
		}
		cancel()
	}}
	return resp, nil
}

// body tells how a response ended.
type body struct {
	io.ReadCloser
	end func(error)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.end(err)
	}
	return n, err
}

func (b *body) Close() error {
	b.end(nil)
	return b.ReadCloser.Close()
}

// client returns a client with a key.
func (r *route) client(t testing.TB, key string, change ...func(*client.Options)) *client.Client {
	t.Helper()
	o := &client.Options{Key: key, Transport: r, Patience: time.Minute, Poll: 30 * time.Second}
	o.Pause.Max = 250 * time.Millisecond
	for _, c := range change {
		c(o)
	}
	c, err := client.New("https://"+r.hosts[0], o)
	must(t, err)
	return c
}

// fork is a route over the same connections that begins at another hub.
func (r *route) fork(at int64) *route {
	f := &route{hosts: r.hosts, base: r.base, saw: r.saw}
	f.now.Store(at)
	return f
}

// wandering is a route that takes another hub each time, and is cut after a while.
func (r *route) wandering(random *rand.Rand) *route {
	var mu sync.Mutex
	w := &route{hosts: slices.Clone(r.hosts), base: r.base, saw: &statuses{}}
	w.life = func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		w.now.Store(random.Int64N(int64(len(w.hosts))))
		return 200*time.Millisecond + time.Duration(random.Int64N(int64(4*time.Second)))
	}
	return w
}

// statuses counts what clients see.
type statuses struct {
	mu   sync.Mutex
	seen map[string]int
}

func (s *statuses) note(resp *http.Response, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.seen[outcome(resp, err)]++
}

// outcome names what became of a request.
func outcome(resp *http.Response, err error) string {
	var op *net.OpError
	switch {
	case err == nil:
		return fmt.Sprint(resp.StatusCode)
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "server closed"):
		return "cut"
	case errors.Is(err, syscall.EPIPE):
		return "cut"
	case errors.As(err, &op) && op.Timeout(), strings.Contains(err.Error(), "TLS handshake timeout"):
		return "no connection"
	}
	return "other: " + err.Error()
}

// take returns what was seen since the last time.
func (s *statuses) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for what, n := range s.seen {
		all = append(all, fmt.Sprintf("%s ×%d", what, n))
	}
	slices.Sort(all)
	s.seen = nil
	return strings.Join(all, ", ")
}

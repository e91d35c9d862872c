package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrRefused is what errors.Is finds in the error of a request that the client does
// not make.
var ErrRefused = errors.New("outbound: refused")

// refused says which address, why, and what to do about it.
type refused struct{ what string }

func (e *refused) Error() string   { return e.what }
func (e *refused) Is(t error) bool { return t == ErrRefused }

func notPublic(address string) error {
	return &refused{address + " is not a public address; the operator of the hub can allow it with the setting notify-allow"}
}

func notSecure(host string) error {
	return &refused{"http://" + host + " is not encrypted: use https; the operator of the hub can allow it with the setting notify-allow"}
}

// guard decides which connections are made.
type guard struct {
	allow    *allowed
	resolver *net.Resolver
	dialed   func(address string) error // of tests: called in the place of a connection
}

// url judges what is known before a name is looked up.
func (g *guard) url(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return &refused{fmt.Sprintf("%q is not the address of a web server: it begins with https://", shorten(u.Redacted()))}
	case u.User != nil:
		return &refused{"an address must not have a user name or a password in it"}
	case u.Hostname() == "":
		return &refused{"the address has no host"}
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return g.judge(ip, port(u), false, u.Scheme == "http")
	}
	// A host that was named by its network only is known when it is dialled.
	if u.Scheme == "http" && len(g.allow.nets) == 0 && !g.allow.name(u.Hostname(), port(u)) {
		return notSecure(u.Host)
	}
	return nil
}

// dialer returns the DialContext of a transport for one scheme.
func (g *guard) dialer(plain bool) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		named := g.allow.name(host, port)
		d := &net.Dialer{
			Timeout:  5 * time.Second,
			Resolver: g.resolver,
			// Control sees each address that the name has, just before it is used.
			Control: func(network, address string, _ syscall.RawConn) error {
				if err := g.address(network, address, named, plain); err != nil {
					return err
				}
				if g.dialed != nil {
					return g.dialed(address)
				}
				return nil
			},
		}
		return d.DialContext(ctx, network, addr)
	}
}

// address judges what is about to be dialled. named says that the operator named the
// host.
func (g *guard) address(network, address string, named, plain bool) error {
	if !strings.HasPrefix(network, "tcp") {
		return &refused{network + " is not TCP"}
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return notPublic(address)
	}
	return g.judge(ap.Addr(), strconv.Itoa(int(ap.Port())), named, plain)
}

func (g *guard) judge(ip netip.Addr, port string, named, plain bool) error {
	switch {
	case named, g.allow.addr(ip, port):
		return nil
	case !Public(ip):
		return notPublic(ip.String())
	case plain:
		return notSecure(net.JoinHostPort(ip.String(), port))
	}
	return nil
}

// RoundTrip makes the request if the guard lets it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.guard.url(req.URL); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	inner := t.secure
	if req.URL.Scheme == "http" {
		inner = t.plain
	}
	res, err := inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if t.body > 0 {
		res.Body = &bounded{ReadCloser: res.Body, left: t.body}
	}
	return res, nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

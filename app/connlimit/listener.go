package connlimit

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"time"
)

// conn is a connection that the guard knows. The guard's lock protects what
// follows the guard.
type conn struct {
	net.Conn
	from netip.Addr
	g    *Guard

	kind   kind
	order  uint64        // of its last progress
	at     *list.Element // its place among those of its address; nil: none
	shown  bool          // the request that is under way has a credential
	closed bool
}

// Close closes the connection and gives its place back.
func (c *conn) Close() error {
	c.g.mu.Lock()
	c.g.take(c)
	c.closed = true
	c.g.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite is for net/http, which tells a client in this way that no more comes.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Listen returns the listener with the guard in front. TLS belongs on top of it.
func (g *Guard) Listen(ln net.Listener) net.Listener { return &guarded{ln, g} }

type guarded struct {
	net.Listener
	g *Guard
}

func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil:
			return l.g.accept(c), nil
		case !Scarce(err) || !l.g.shed():
			return nil, err
		}
	}
}

func (g *Guard) accept(c net.Conn) net.Conn {
	if g.crowded() {
		// A request that has arrived with its credential is read first, so that a
		// burst of honest clients need not be told from an attack.
		runtime.Gosched()
	}
	known := &conn{Conn: c, from: addressOf(c.RemoteAddr()), g: g}
	g.become(known, anonymous)
	return known
}

func (g *Guard) crowded() bool {
	few := g.opts.Limits.Anonymous
	if one := g.opts.Limits.AnonymousPerAddress; one > 0 {
		few = min(few, one)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count[anonymous] >= few
}

// addressOf returns whose a connection is. Who has one address of version 6 has
// the other 2⁶⁴ of its network, too.
func addressOf(at net.Addr) netip.Addr {
	tcp, ok := at.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip.Is6() {
		p, _ := ip.Prefix(64)
		return p.Addr()
	}
	return ip
}

// Owner returns the listener of the owner's own socket. It is not limited. If no
// file descriptor is left, a connection of the guarded listeners is closed for it,
// and it accepts as soon as there is one again: an http.Server would wait for up
// to a second.
func (g *Guard) Owner(ln net.Listener) net.Listener { return &owned{ln, g} }

type owned struct {
	net.Listener
	g *Guard
}

func (l *owned) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err == nil || !Scarce(err) {
			return c, err
		}
		if !l.g.shed() {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

type connKey struct{}

// ConnContext lets [Credential] know the connection of a request. It is for an
// http.Server.
func (g *Guard) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if known := g.known(c); known != nil {
		return context.WithValue(ctx, connKey{}, known)
	}
	return ctx
}

// ConnState follows the requests of a connection. It is for an http.Server.
func (g *Guard) ConnState(c net.Conn, s http.ConnState) {
	known := g.known(c)
	if known == nil || s != http.StateIdle {
		return
	}
	g.mu.Lock()
	shown := known.shown
	known.shown = false
	g.mu.Unlock()
	if shown {
		g.become(known, idle)
	} else {
		g.become(known, anonymous)
	}
}

// Credential notes that the request of this context showed a credential that
// holds.
func Credential(ctx context.Context) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return
	}
	c.g.mu.Lock()
	c.shown = true
	c.g.mu.Unlock()
	c.g.become(c, active)
}

// known returns the guard's connection below TLS, or nil.
func (g *Guard) known(c net.Conn) *conn {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = over.NetConn()
	}
	known, _ := c.(*conn)
	return known
}

package faulttest

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// cutter is a proxy between a client and a server that can lose what the server says, and only that.
type cutter struct {
	URL string

	t      testing.TB
	listen net.Listener
	server string
	deaf   atomic.Bool
	lost   atomic.Int64 // bytes
	work   sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// newCutter starts a proxy to the server, which ends with the test.
func newCutter(t testing.TB, server string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c := &cutter{URL: "nats://" + l.Addr().String(), t: t, listen: l, server: strings.TrimPrefix(server, "nats://"), conns: map[net.Conn]struct{}{}}
	c.work.Go(c.serve)
	t.Cleanup(func() {
		_ = l.Close()
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.hangUp()
		c.work.Wait()
	})
	return c
}

// Cut loses everything that the server says from now on. What the client says still arrives.
func (c *cutter) Cut() { c.deaf.Store(true) }

// Heal ends the loss, and with it the connections, which have a hole.
func (c *cutter) Heal() {
	c.hangUp()
	c.deaf.Store(false)
}

func (c *cutter) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
	clear(c.conns)
}

// keep remembers connections to hang up, or hangs up at once.
func (c *cutter) keep(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.conns[conn] = struct{}{}
		if c.closed {
			_ = conn.Close()
		}
	}
}

func (c *cutter) serve() {
	for {
		client, err := c.listen.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		c.keep(client, server)
		c.work.Go(func() { c.pass(server, client) })
		c.work.Go(func() { c.pass(client, lossy{server, c}) })
	}
}

// pass hands on what one side says until either ends, and then ends both.
func (c *cutter) pass(to net.Conn, from io.ReadCloser) {
	_, _ = io.Copy(struct{ io.Writer }{to}, from)
	_ = to.Close()
	_ = from.Close()
}

// lossy is what the server says, without what is lost of it.
type lossy struct {
	net.Conn
	c *cutter
}

func (l lossy) Read(b []byte) (int, error) {
	for {
		n, err := l.Conn.Read(b)
		if err != nil || !l.c.deaf.Load() {
			return n, err
		}
		l.c.lost.Add(int64(n))
	}
}

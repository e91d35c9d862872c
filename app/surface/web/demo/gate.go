package main

import (
	"net"
	"sync"
	"sync/atomic"
)

// gate holds the port for a server that comes and goes, so that nobody else takes it
// meanwhile. While there is no server, whoever connects is cut off, and so is whoever
// connected before.
type gate struct {
	mu  sync.Mutex
	now *listener
}

func newGate(l net.Listener) *gate {
	g := &gate{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.mu.Lock()
			d := g.now
			g.mu.Unlock()
			if d == nil || !d.pass(c) {
				cut(c)
			}
		}
	}()
	return g
}

func cut(c net.Conn) {
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// open returns what the next server listens to.
func (g *gate) open() net.Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	return g.now
}

// listener is what one server listens to.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	passed []*wire
}

func (d *listener) pass(conn net.Conn) bool {
	c := &wire{Conn: conn}
	select {
	case d.conns <- c:
	case <-d.closed:
		return false
	}
	d.mu.Lock()
	d.passed = append(d.passed, c)
	d.mu.Unlock()
	select {
	case <-d.closed: // a server that closes meanwhile may serve it all the same
		return false
	default:
		return true
	}
}

func (d *listener) Accept() (net.Conn, error) {
	select {
	case c := <-d.conns:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *listener) Close() error {
	d.once.Do(func() { close(d.closed) })
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.passed {
		cut(c.Conn)
	}
	return nil
}

func (d *listener) Addr() net.Addr { return &net.TCPAddr{} }

// sleep does to connections what the sleep of a computer does: those that carry
// something die without a word to either end, and the idle ones are cut.
func (d *listener) sleep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.passed {
		c.dead.Store(true)
		if !c.active.Load() {
			cut(c.Conn)
		}
	}
}

// wire is a connection that can die unnoticed.
type wire struct {
	net.Conn
	active, dead atomic.Bool
}

func (c *wire) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.dead.Load() {
			return n, err
		}
	}
}

func (c *wire) Write(p []byte) (int, error) {
	if c.dead.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

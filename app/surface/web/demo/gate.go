package main

import (
	"net"
	"sync"
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
	passed []net.Conn
}

func (d *listener) pass(c net.Conn) bool {
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
		cut(c)
	}
	return nil
}

func (d *listener) Addr() net.Addr { return &net.TCPAddr{} }

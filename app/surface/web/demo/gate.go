package main

import (
	"net"
	"sync"
)

// gate holds the port for a server that comes and goes, so that nobody else takes it
// meanwhile. While there is no server, whoever connects is cut off.
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
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
			}
		}
	}()
	return g
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
}

func (d *listener) pass(c net.Conn) bool {
	select {
	case d.conns <- c:
		return true
	case <-d.closed:
		return false
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
	return nil
}

func (d *listener) Addr() net.Addr { return &net.TCPAddr{} }

package slacktest

import (
	"context"
	"net"
	"sync"
)

// wire is the key of a request's connection in its context.
type wire struct{}

// stalled is a connection on which nothing arrives any more once it hangs, as when a
// network is gone without a word.
type stalled struct {
	net.Conn
	hang  chan struct{} // closed: it hangs
	end   chan struct{} // closed: it is closed
	hangs sync.Once
	ends  sync.Once
}

func stall(c net.Conn) *stalled {
	return &stalled{Conn: c, hang: make(chan struct{}), end: make(chan struct{})}
}

func (c *stalled) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	select {
	case <-c.hang:
		<-c.end
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (c *stalled) Close() error {
	c.ends.Do(func() { close(c.end) })
	return c.Conn.Close()
}

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return stall(c), nil
}

// Hang has the connections that are open now read nothing any more, and so answer no
// ping.
func (s *Server) Hang() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.conns {
		l.net.hangs.Do(func() { close(l.net.hang) })
	}
}

// pipes is a network in memory.
type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), end: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.end:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.end) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4zero} }

package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// TestConnect: a hub that never answered is given up after Connect, and one that
// did after Patience.
func TestConnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		opts := &client.Options{
			Connect: time.Second, Patience: 15 * time.Second,
			Dial: func(context.Context) (net.Conn, error) {
				if !up.Load() {
					return nil, syscall.ECONNREFUSED
				}
				ours, theirs := net.Pipe()
				go http.Serve(&oneConn{conn: theirs}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Sayso-Version", "1.2.3")
					w.Header().Set("Connection", "close")
					io.WriteString(w, `{"tickets":[]}`)
				}))
				return ours, nil
			},
		}
		c, err := client.New("http://hub.example", opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		list := func() (time.Duration, error) {
			begin := time.Now()
			_, err := c.List(t.Context(), nil)
			return time.Since(begin), err
		}
		if took, err := list(); !errors.Is(err, sayso.ErrUnreachable) || !errors.Is(err, syscall.ECONNREFUSED) || took > 2*time.Second {
			t.Errorf("nobody is there: %v after %s", err, took)
		}
		if v := c.Version(); v != "" {
			t.Errorf("nobody has version %q", v)
		}
		up.Store(true)
		if _, err := list(); err != nil || c.Version() != "1.2.3" {
			t.Errorf("it is there: %v, version %q", err, c.Version())
		}
		up.Store(false)
		time.AfterFunc(10*time.Second, func() { up.Store(true) })
		if took, err := list(); err != nil || took < 10*time.Second {
			t.Errorf("it was away for 10 s: %v after %s", err, took)
		}
		up.Store(false)
		if took, err := list(); !errors.Is(err, sayso.ErrUnreachable) || took < 15*time.Second {
			t.Errorf("it is gone: %v after %s", err, took)
		}
	})
}

// oneConn is a listener of one connection.
type oneConn struct {
	conn net.Conn
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn = nil
	return c, nil
}
func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{} }

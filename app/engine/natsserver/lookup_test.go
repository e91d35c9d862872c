package natsserver_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestCloseSilentNameServer closes a node that looks up the name of another one, which the name server never answers. Go
// asks for 20 s or longer, and the server would wait for that.
func TestCloseSilentNameServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	at := ln.Addr().String()
	must(t, ln.Close())

	asked, answer := make(chan struct{}, 100), make(chan struct{})
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		asked <- struct{}{}
		select {
		case <-ctx.Done():
		case <-answer:
		}
		return nil, net.ErrClosed
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := natsserver.Start(ctx, &natsserver.Options{Dir: t.TempDir(), Cluster: &natsserver.ClusterOptions{
		ServerName: "n1", Listen: at, Routes: []string{at, "n2.sayso.example:6222", "n3.sayso.example:6222"},
	}})
	must(t, err)
	<-asked
	defer close(answer)
	soon, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	must(t, s.Close(soon))
}

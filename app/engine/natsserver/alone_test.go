package natsserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestClusterWithoutClients starts three nodes in this process that no client outside of it can reach: each starts, finds
// the others, and answers who is there.
func TestClusterWithoutClients(t *testing.T) {
	var routes []string
	for range 3 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		routes = append(routes, ln.Addr().String())
		must(t, ln.Close())
	}
	var nodes []*natsserver.Server
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for i, at := range routes {
		s, err := natsserver.Start(ctx, &natsserver.Options{Dir: t.TempDir(), Cluster: &natsserver.ClusterOptions{
			ServerName: fmt.Sprint("n", i+1), Listen: at, Routes: routes,
		}})
		must(t, err)
		t.Cleanup(func() { must(t, s.Close(context.Background())) })
		nodes = append(nodes, s)
		if s.Addr() != nil {
			t.Errorf("node %d has a port for clients at %v", i+1, s.Addr())
		}
	}
	for _, s := range nodes {
		must(t, s.Ready(ctx))
		must(t, s.Check())
		if n := s.Peers(); n != 2 {
			t.Errorf("%d other nodes, want 2", n)
		}
	}
	system, err := nodes[0].SystemConn(ctx)
	must(t, err)
	sub, err := system.SubscribeSync(system.NewRespInbox())
	must(t, err)
	must(t, system.PublishRequest("$SYS.REQ.SERVER.PING", sub.Subject, nil))
	seen := map[string]bool{}
	for len(seen) < 3 {
		m, err := sub.NextMsgWithContext(ctx)
		must(t, err)
		var said struct {
			Server struct {
				Name string `json:"name"`
			} `json:"server"`
		}
		must(t, json.Unmarshal(m.Data, &said))
		seen[said.Server.Name] = true
	}
	// One node less is no reason to send clients away; two are.
	must(t, nodes[2].Close(ctx))
	for nodes[0].Peers() != 1 {
		must(t, ctx.Err())
	}
	must(t, nodes[0].Reachable())
	must(t, nodes[1].Close(ctx))
	for nodes[0].Reachable() == nil {
		must(t, ctx.Err())
	}
	// The login of the hub is not that of the system.
	nc, err := nodes[0].Conn(ctx, "")
	must(t, err)
	if m, err := nc.Request("$SYS.REQ.SERVER.PING", nil, 5*time.Second); err == nil {
		t.Errorf("the hub's login is told about the servers: %s", m.Data)
	}
}

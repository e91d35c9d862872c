package enginetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// Cluster is three nodes with TLS between them.
type Cluster struct {
	Nodes [3]*Node
	t     testing.TB
}

// StartCluster starts three nodes under dir, on 127.0.0.1 or, with a network, each in its own namespace. It returns when
// all serve; a leader of JetStream may take some seconds more. spec has what the nodes have in common.
func StartCluster(t testing.TB, dir string, network *Network, spec Spec) *Cluster {
	t.Helper()
	c := &Cluster{t: t}
	hosts := []string{"127.0.0.1", "127.0.0.1", "127.0.0.1"}
	if network != nil {
		hosts = network.Hosts()
	}
	spec.Certs = NewCerts(t, hosts...)
	listen := make([]string, len(hosts))
	for i, h := range hosts {
		listen[i] = FreePort(t, "127.0.0.1")
		if network != nil {
			listen[i] = net.JoinHostPort(h, "6222")
		}
	}
	var key *Node
	for i, h := range hosts {
		s := spec
		s.Name, s.Dir = fmt.Sprintf("n%d", i+1), filepath.Join(dir, fmt.Sprintf("n%d", i+1))
		s.Listen, s.Routes = listen[i], listen
		if network != nil {
			s.Netns, s.Client = network.names[i], net.JoinHostPort(h, "4222")
		}
		n := NewNode(t, s)
		if key == nil {
			key = n
		}
		n.seed, n.Spec.Key = key.seed, key.Spec.Key // one key opens all nodes
		c.Nodes[i] = n
	}
	restart(c.Victims()...)
	return c
}

// Victims are the nodes, for a [Nemesis].
func (c *Cluster) Victims() (all []Victim) {
	for _, n := range c.Nodes {
		all = append(all, n)
	}
	return all
}

// ConnectOptions say how to reach the cluster by any of its nodes.
func (c *Cluster) ConnectOptions() *natsserver.ConnectOptions {
	c.t.Helper()
	o, err := c.Reach().ConnectOptions()
	check(c.t, err)
	return o
}

// Connect connects to any node; the test closes the connection at its end.
func (c *Cluster) Connect() *nats.Conn {
	c.t.Helper()
	return connect(c.t, c.ConnectOptions())
}

// Node returns the node with a name, as the server tells it of a leader.
func (c *Cluster) Node(name string) *Node {
	c.t.Helper()
	for _, n := range c.Nodes {
		if n.Spec.Name == name {
			return n
		}
	}
	c.t.Fatalf("no node is called %q", name)
	return nil
}

// FreePort returns "host:port" with a TCP port that the system gives to nobody who does not ask for it by its number, and
// that no other test takes until this one ends: a node keeps it over restarts. It is not drawn from the seed of the test:
// tests with the same seed run at the same time.
func FreePort(t testing.TB, host string) string {
	t.Helper()
	for {
		addr := net.JoinHostPort(host, strconv.Itoa(10_000+rand.IntN(22_000))) // Linux hands out 32,768 and up
		taken, err := net.ListenPacket("udp", addr)                            // the sign for other tests
		if err != nil {
			continue
		}
		t.Cleanup(func() { check(t, taken.Close()) })
		if l, err := net.Listen("tcp", addr); err == nil {
			check(t, l.Close())
			return addr
		}
	}
}

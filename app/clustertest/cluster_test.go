package clustertest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// noQuotas takes away every limit of a key: the clients of a test are few, and each stands for many.
const noQuotas = "open=off,rate=off,burst=off,stored=off,reads=off,reads-at-once=off,streams=off,waits=off"

// persons is how many people are asked; each has an inbox of its own, so they are in several shards.
const persons = 8

func person(i int) string { return fmt.Sprint("person-", i%persons) }

// cluster is hubs with one store, and what clients need to use them.
type cluster struct {
	t       *testing.T
	network *enginetest.Network
	certs   string
	nodes   []*process // in the namespaces
	doors   []*process // those that serve the API
	hosts   []string   // of the doors, host:port
	leader  func() int // -1: unknown
	asker   string     // key
	people  []string   // keys, by person
	saw     *statuses
}

const (
	apiPort   = "7777"
	routePort = "6222" // which Network.IsolateRoutes cuts
)

// startCluster starts three nodes, each in a namespace of its own.
func startCluster(t *testing.T, flags ...string) *cluster {
	t.Helper()
	return startClusterOf(t, "", flags...)
}

// startClusterOf starts three nodes of a program, by default this one.
func startClusterOf(t *testing.T, program string, flags ...string) *cluster {
	t.Helper()
	c := newCluster(t, program, flags...)
	start(c.nodes...)
	c.makeKeys()
	return c
}

// newCluster returns three nodes that do not run yet.
func newCluster(t *testing.T, program string, flags ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, network: enginetest.NewNetwork(t), saw: &statuses{}}
	hosts := c.network.Hosts()
	c.certs = enginetest.NewCerts(t, append(hosts, c.network.Gateway())...)
	for i := range hosts {
		n := c.newNode(i, fmt.Sprint("n", i+1), flags...)
		n.program = program
		c.nodes = append(c.nodes, n)
		c.hosts = append(c.hosts, net.JoinHostPort(hosts[i], apiPort))
	}
	c.doors = c.nodes
	c.leader = func() int { return -1 } // each node leads some shards
	return c
}

// startSingle starts one hub, alone.
func startSingle(t *testing.T, flags ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, network: enginetest.NewNetwork(t), saw: &statuses{}, leader: func() int { return 0 }}
	host := c.network.Hosts()[0]
	c.certs = enginetest.NewCerts(t, host)
	c.nodes = []*process{c.newDoor(0, "one", net.JoinHostPort(host, apiPort), flags...)}
	c.doors, c.hosts = c.nodes, []string{net.JoinHostPort(host, apiPort)}
	start(c.nodes...)
	c.makeKeys()
	return c
}

// newNode returns a node in a namespace, with all others as its routes.
func (c *cluster) newNode(at int, name string, flags ...string) *process {
	host := c.network.Hosts()[at]
	args := append([]string{"--node", name, "--cluster-listen", net.JoinHostPort(host, routePort)}, flags...)
	for _, h := range c.network.Hosts() {
		args = append(args, "--cluster-route", net.JoinHostPort(h, routePort))
	}
	for _, what := range []string{"cert=node.pem", "key=node.key", "ca=ca.pem"} {
		flag, file, _ := strings.Cut(what, "=")
		args = append(args, "--cluster-tls-"+flag, filepath.Join(c.certs, file))
	}
	return c.newDoor(at, name, net.JoinHostPort(host, apiPort), args...)
}

// newDoor returns a process that serves the API at an address, in a namespace or, with -1, in the test's own.
func (c *cluster) newDoor(at int, name, address string, flags ...string) *process {
	host, _, _ := net.SplitHostPort(address)
	args := append([]string{
		"serve", "--listen", address, "--host", host,
		"--tls-cert", filepath.Join(c.certs, "node.pem"), "--tls-key", filepath.Join(c.certs, "node.key"),
		"--quota", noQuotas, "--max-connections", "8000", "--security-log", "off",
	}, flags...)
	r := newRoute(c.t, c.certs, &statuses{}, address)
	return newProcess(c.t, process{
		name: name, role: "sayso", args: args, network: c.network, node: at,
		ready: func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/readyz", nil)
			if err != nil {
				return err
			}
			resp, err := r.RoundTrip(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				why, _ := io.ReadAll(resp.Body)
				return fmt.Errorf("/readyz says %s: %s", resp.Status, why)
			}
			return nil
		},
	})
}

// makeKeys makes the keys of the asker and of the people at one hub; they open all.
func (c *cluster) makeKeys() {
	c.t.Helper()
	c.asker = c.doors[0].run("keys", "create", "--role", "asker", "--for", "agent")
	for i := range persons {
		c.people = append(c.people, c.doors[0].run("keys", "create", "--role", "answerer", "--for", person(i)))
	}
}

// victims are the nodes, for a nemesis.
func (c *cluster) victims() (all []enginetest.Victim) {
	for _, n := range c.nodes {
		all = append(all, n)
	}
	return all
}

// one is a route to one hub, any to one of all.
func (c *cluster) one(i int) *route { return newRoute(c.t, c.certs, c.saw, c.hosts[i]) }
func (c *cluster) any() *route      { return newRoute(c.t, c.certs, c.saw, c.hosts...) }

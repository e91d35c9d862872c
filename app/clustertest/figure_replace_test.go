package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestFigure_REPLACE replaces nodes of three under load: one gets an empty disk and keeps its name, another one makes way
// for a node with a new name. Then each of those that were not replaced is stopped.
func TestFigure_REPLACE(t *testing.T) {
	clusters(t)
	c := startCluster(t, "--shards", "4")
	r := c.startRush(8)
	r.writes(300)
	last := c.nodes[2]
	last.Kill()
	r.writes(200)
	last.forget()
	start(last)
	last.sound()
	r.writes(200)

	c.nodes[1].Stop()
	r.writes(200)
	c.nodes[1] = c.newNode(1, "n4", "--shards", "4")
	start(c.nodes[1])
	c.nodes[0].run("cluster", "remove", "n2", "--yes")
	c.nodes[0].sound()
	r.writes(200)

	c.nodes[0].Stop() // what the new disks hold must be enough
	r.writes(200)
	start(c.nodes[0])
	c.nodes[0].sound()
	lost, asks := r.finish(c.lane(0, c.any()))
	figure(t, "REPLACE", lost, fmt.Sprintf("lost/%d-asks", asks))
}

// sound waits until the node says that all nodes run and have everything.
func (p *process) sound() {
	p.t.Helper()
	within(p.t, "sayso cluster status at "+p.name, func(context.Context) error {
		out, err := p.command("cluster", "status").CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// TestFigure_REPLACENAME replaces an external NATS server by one with another name, under load.
func TestFigure_REPLACENAME(t *testing.T) {
	clusters(t)
	c, x := startExternal(t, "--shards", "4")
	js, err := jetstream.New(x.connect(c, x.seed))
	must(t, err)
	r := c.startRush(8)
	r.writes(300)
	c.nodes[1].Stop()
	r.writes(200)
	c.nodes[1] = x.newServer(c, 1, "n4")
	start(c.nodes[1])
	x.remove(c, "n2")
	x.current(c, js, "n4")
	r.writes(200)
	for _, i := range []int{0, 2} { // what the new one was given must be enough
		c.nodes[i].Stop()
		r.writes(200)
		start(c.nodes[i])
		x.current(c, js, "n4")
	}
	lost, asks := r.finish(c.lane(0, c.any()))
	figure(t, "REPLACENAME", lost, fmt.Sprintf("lost/%d-asks", asks))
}

// remove tells the servers that one of them does not come back, as `nats server cluster peer-remove` does.
func (x *external) remove(c *cluster, name string) {
	c.t.Helper()
	nc := x.connect(c, x.system)
	within(c.t, "remove "+name, func(ctx context.Context) error {
		reply, err := nc.RequestWithContext(ctx, "$JS.API.SERVER.REMOVE", fmt.Appendf(nil, `{"peer":%q}`, name))
		if err != nil {
			return err
		}
		var said struct{ Success bool }
		if err := json.Unmarshal(reply.Data, &said); err != nil || !said.Success {
			return fmt.Errorf("%s", reply.Data)
		}
		return nil
	})
}

// current waits until all asks have three copies that are up to date, some of them on a server.
func (x *external) current(c *cluster, js jetstream.JetStream, name string) {
	c.t.Helper()
	within(c.t, name+" gets its copies", func(ctx context.Context) error {
		found := false
		for shard := range 4 {
			s, err := js.Stream(ctx, fmt.Sprintf("ASK2-%02d", shard))
			if err != nil {
				return err
			}
			g := s.CachedInfo().Cluster
			if g == nil || g.Leader == "" || len(g.Replicas) != 2 {
				return fmt.Errorf("shard %d: %+v", shard, g)
			}
			found = found || g.Leader == name
			for _, p := range g.Replicas {
				found = found || p.Name == name
				if !p.Current || p.Offline {
					return fmt.Errorf("shard %d: %s is behind", shard, p.Name)
				}
			}
		}
		if !found {
			return fmt.Errorf("%s has no copy", name)
		}
		return nil
	})
}

// TestFigure_GATEWAYS adds a gateway under load and removes another one.
func TestFigure_GATEWAYS(t *testing.T) {
	clusters(t)
	c, x := startExternal(t, "--shards", "4")
	r := c.startRush(8)
	r.writes(300)
	g := c.addGateway(x)
	start(g)
	more := c.startRush(4) // which knows the new one
	more.writes(300)
	c.doors[0].Stop()
	r.writes(300)
	more.writes(300)
	lost, asks := r.finish(c.lane(0, c.any()))
	lostToo, asksToo := more.finish(c.lane(0, c.any()))
	figure(t, "GATEWAYS", lost+lostToo, fmt.Sprintf("lost/%d-asks", asks+asksToo))
}

package clustertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestStart starts the nodes far apart: the first ones wait and say so, for as long as it takes, and all serve in the end.
func TestStart(t *testing.T) {
	clusters(t)
	c := newCluster(t, "", "--shards", "4")
	c.nodes[0].Launch()
	c.nodes[0].says("waiting for the other nodes")
	if err := c.nodes[0].ready(t.Context()); err == nil || !strings.Contains(err.Error(), "waiting for the other nodes") {
		t.Errorf("a node without a majority says %v", err)
	}
	c.nodes[1].Launch()
	c.nodes[1].says("waiting for the other nodes")
	c.nodes[2].Launch()
	for _, n := range c.nodes {
		n.Await()
	}
	c.makeKeys()
	r := c.startRush(8)
	r.writes(50)
	if lost, asks := r.finish(c.lane(0, c.any())); lost > 0 {
		t.Errorf("%d of %d asks are lost", lost, asks)
	}
}

// says waits until its log has the text.
func (p *process) says(text string) {
	p.t.Helper()
	within(p.t, p.name+" does not say "+text, func(context.Context) error {
		if said := p.tail(); !strings.Contains(said, text) {
			return fmt.Errorf("it says %s", said)
		}
		if !p.running() {
			p.t.Fatalf("%s has ended: %v", p.name, p.exit)
		}
		return nil
	})
}

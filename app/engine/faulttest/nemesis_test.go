package faulttest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// nemesis breaks a cluster, one fault after the other, and mends it again.
type nemesis struct {
	t       *testing.T
	cluster *enginetest.Cluster
	network *enginetest.Network
	leader  func() int // the node that leads the asks at the moment, or -1
	rand    *rand.Rand
	done    map[string]int
}

// calamity is what the nemesis can do to a node.
type calamity struct {
	name       string
	hurt, mend func(n *nemesis, node int)
}

var calamities = []calamity{
	{"isolate", func(n *nemesis, i int) { n.network.Isolate(i) }, func(n *nemesis, i int) { n.network.Heal(i) }},
	{"cut routes", func(n *nemesis, i int) { n.network.IsolateRoutes(i) }, func(n *nemesis, i int) { n.network.Heal(i) }},
	{"link down", func(n *nemesis, i int) { n.network.LinkDown(i) }, func(n *nemesis, i int) { n.network.Heal(i) }},
	{"pause", func(n *nemesis, i int) { n.cluster.Nodes[i].Pause() }, func(n *nemesis, i int) { n.cluster.Nodes[i].Resume() }},
	{"kill", func(n *nemesis, i int) { n.cluster.Nodes[i].Kill() }, func(n *nemesis, i int) { n.cluster.Nodes[i].Restart() }},
	{"stop", func(n *nemesis, i int) { n.cluster.Nodes[i].Stop() }, func(n *nemesis, i int) { n.cluster.Nodes[i].Restart() }},
	{"kill all", func(n *nemesis, _ int) {
		for _, node := range n.cluster.Nodes {
			node.Kill()
		}
	}, func(n *nemesis, _ int) {
		for _, node := range n.cluster.Nodes {
			node.Restart()
		}
	}},
}

// run goes through the calamities in random order until ctx ends; only names some of them, comma-separated, or all. What
// was hurt is mended in the end.
func (n *nemesis) run(ctx context.Context, only string) {
	n.done = map[string]int{}
	plan := slices.Clone(calamities)
	if only != "" {
		names := strings.Split(only, ",")
		plan = slices.DeleteFunc(plan, func(c calamity) bool { return !slices.Contains(names, c.name) })
	}
	for pause(ctx, 3*time.Second) {
		n.rand.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
		for _, c := range plan {
			node := n.rand.IntN(3)
			if l := n.leader(); l >= 0 && n.rand.IntN(3) > 0 { // most often the one that hurts most
				node = l
			}
			c.hurt(n, node)
			pause(ctx, time.Second+n.upTo(8*time.Second)) // shorter than an election, or longer
			c.mend(n, node)
			n.done[c.name]++
			if !pause(ctx, time.Second+n.upTo(3*time.Second)) {
				return
			}
		}
	}
}

func (n *nemesis) upTo(d time.Duration) time.Duration { return time.Duration(n.rand.Int64N(int64(d))) }

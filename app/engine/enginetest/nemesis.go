package enginetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Victim is a process that a nemesis can hurt.
type Victim interface {
	Kill()   // at once, as kill -9 does
	Stop()   // in good order
	Launch() // starts it, which must not run
	Await()  // until it serves
	Pause()
	Resume()
}

// Nemesis breaks a cluster, one fault after the other, and mends it again.
type Nemesis struct {
	Nodes   []Victim // of the network, in its order
	Network *Network
	Leader  func() int // the node that leads at the moment, or -1
	Rand    *rand.Rand
	Done    map[string]int // how often each calamity happened
}

// Calamity is what a nemesis can do to a node.
type Calamity struct {
	Name       string
	Hurt, Mend func(n *Nemesis, node int)
}

// Calamities returns what can happen to the nodes of any cluster.
func Calamities() []Calamity {
	heal := func(n *Nemesis, i int) { n.Network.Heal(i) }
	start := func(n *Nemesis, i int) { restart(n.Nodes[i]) }
	return []Calamity{
		{"isolate", func(n *Nemesis, i int) { n.Network.Isolate(i) }, heal},
		{"cut routes", func(n *Nemesis, i int) { n.Network.IsolateRoutes(i) }, heal},
		{"link down", func(n *Nemesis, i int) { n.Network.LinkDown(i) }, heal},
		{"pause", func(n *Nemesis, i int) { n.Nodes[i].Pause() }, func(n *Nemesis, i int) { n.Nodes[i].Resume() }},
		{"kill", func(n *Nemesis, i int) { n.Nodes[i].Kill() }, start},
		{"stop", func(n *Nemesis, i int) { n.Nodes[i].Stop() }, start},
		{"kill all", func(n *Nemesis, _ int) {
			for _, node := range n.Nodes {
				node.Kill()
			}
		}, func(n *Nemesis, _ int) {
			restart(n.Nodes...)
		}},
	}
}

func restart(nodes ...Victim) {
	for _, n := range nodes {
		n.Launch()
	}
	for _, n := range nodes {
		n.Await()
	}
}

// Run goes through the calamities in random order until ctx ends; only names some of them, comma-separated, or all. What
// was hurt is mended in the end.
func (n *Nemesis) Run(ctx context.Context, plan []Calamity, only string) {
	n.Done = map[string]int{}
	if only != "" {
		names := strings.Split(only, ",")
		plan = slices.DeleteFunc(plan, func(c Calamity) bool { return !slices.Contains(names, c.Name) })
	}
	for pause(ctx, 3*time.Second) {
		n.Rand.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
		for _, c := range plan {
			node := n.Rand.IntN(len(n.Nodes))
			if l := n.Leader(); l >= 0 && n.Rand.IntN(3) > 0 { // most often the one that hurts most
				node = l
			}
			c.Hurt(n, node)
			pause(ctx, time.Second+n.upTo(8*time.Second)) // shorter than an election, or longer
			c.Mend(n, node)
			n.Done[c.Name]++
			if !pause(ctx, time.Second+n.upTo(3*time.Second)) {
				return
			}
		}
	}
}

func (n *Nemesis) upTo(d time.Duration) time.Duration { return time.Duration(n.Rand.Int64N(int64(d))) }

// pause reports whether ctx has not ended after a while.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

package clustertest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestFigure_CLUSTERSTOP measures for how long writes block when a node is stopped as planned (SIGTERM), and when one is
// killed, as clients see it who go on to another hub.
func TestFigure_CLUSTERSTOP(t *testing.T) {
	clusters(t)
	c := startCluster(t, "--shards", "4")
	r := c.startRush(16)
	r.writes(500)
	c.saw.take()
	quiet, _ := r.standstill(func() { r.writes(2000) })
	t.Logf("without a fault no write to an inbox was acknowledged for %v", quiet.Round(time.Millisecond))

	stopped, _ := c.interrupt(r, "CLUSTERSTOP", either(c.nodes, slices.Repeat(c.nodes, 5)), (*process).Stop)
	_, killed := c.interrupt(r, "CLUSTERKILL", either(c.nodes[:2], slices.Repeat(c.nodes, 4)), (*process).Kill)
	if killed < 2*stopped { // an election takes four seconds and more
		t.Errorf("nobody can write for %v after a planned stop, and for %v after a kill: the node does not hand over", stopped, killed)
	}
	lost, asks := r.finish(c.lane(0, c.any()))
	figure(t, "CLUSTERSTOP-lost", lost, fmt.Sprintf("lost/%d-asks", asks))
}

// interrupt ends nodes and starts them again. It returns for how long nobody could write, at the median and at most.
func (c *cluster) interrupt(r *rush, id string, nodes []*process, end func(*process)) (median, most time.Duration) {
	c.t.Helper()
	var gaps, calls []time.Duration
	for _, n := range nodes {
		gap, call := r.standstill(func() { end(n) })
		gaps, calls = append(gaps, gap), append(calls, call)
		c.t.Logf("%s %s: %v without a write to an inbox, longest write %v", id, n.name, gap.Round(time.Millisecond), call.Round(time.Millisecond))
		start(n)
		n.sound()
		r.writes(300)
	}
	slices.Sort(gaps)
	slices.Sort(calls)
	n := len(gaps)
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
	figure(c.t, id, seconds(gaps[n-1]), fmt.Sprintf("s-without-a-write-to-an-inbox (most of %d; median %s)", n, seconds(gaps[n/2])))
	figure(c.t, and(id, "write"), seconds(calls[n-1]), fmt.Sprintf("s-longest-write (median %s)", seconds(calls[n/2])))
	c.t.Logf("%s: clients saw %s", id, c.saw.take())
	return gaps[n/2], gaps[n-1]
}

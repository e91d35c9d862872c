package loadtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// three is a store of three nodes with two gateways. The gateways are the hub and its
// API as this test program has them, without what else sayso serve does.
type three struct {
	*enginetest.Cluster
	gateways [2]*process
}

// startThree starts them over folders with n asks waiting.
func startThree(t *testing.T, v version, n int, keys keyring) *three {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys.json")
	keys.write(t, file)
	dir := filepath.Join(t.TempDir(), "nodes")
	keep := os.Getenv("SAYSO_PREPARED")
	name := filepath.Join(keep, fmt.Sprintf("%s-nodes-%d", v, n))
	if _, err := os.Stat(name); keep != "" && n > 0 && err == nil {
		out, err := exec.Command("cp", "-a", "--reflink=auto", name, dir).CombinedOutput()
		if err != nil {
			t.Fatalf("copying %s: %s", name, out)
		}
		n = 0
	}
	c := &three{Cluster: enginetest.StartCluster(t, dir, nil, enginetest.Spec{})}
	if n > 0 {
		v.run(t, "fill", fillSpec{Reach: c.Reach(), Shards: v.serveShards(), Count: n})
		if keep != "" {
			for _, node := range c.Nodes {
				node.Kill()
			}
			must(t, os.MkdirAll(keep, 0o700))
			if out, err := exec.Command("cp", "-a", "--reflink=auto", dir, name).CombinedOutput(); err != nil {
				t.Fatalf("keeping %s: %s", name, out)
			}
			c.Cluster = enginetest.StartCluster(t, dir, nil, enginetest.Spec{})
		}
	}
	for i := range c.gateways {
		c.gateways[i] = startGateway(t, v, c.Reach(), file)
	}
	return c
}

// leader returns the node that leads the most of the streams with asks.
func (c *three) leader(t *testing.T) *enginetest.Node {
	t.Helper()
	js, err := jetstream.New(c.Connect())
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	leads, most := map[string]int{}, ""
	all := js.ListStreams(ctx)
	for info := range all.Info() {
		if name := info.Cluster.Leader; name != "" && strings.Contains(info.Config.Name, "ASK") {
			if leads[name]++; leads[name] > leads[most] {
				most = name
			}
		}
	}
	must(t, all.Err())
	return c.Node(most)
}

// TestFigure_G1Nodes measures how soon streams are ready and how late they are
// after the node that led the most was killed and others lead.
func TestFigure_G1Nodes(t *testing.T) {
	figures(t)
	for _, v := range versions(t) {
		n := 20_000
		if long() && !v.before {
			n = 1_000_000
		}
		t.Run(fmt.Sprint(v, " ", n), func(t *testing.T) {
			persons, keys := visitors(n)
			c := startThree(t, v, n, keys)
			streams, asks := c.gateways[0].url, c.gateways[1].url
			quick := v.quick(persons)
			soon(t, v, fmt.Sprint("G1-", n, "-nodes"), streams, asks, keys, quick)
			in := openInboxes(t, streams, keys, persons[:20])
			by := newCaller(asks, keys.of("probe"))
			defer by.close()
			var ready, since times
			for range 2 {
				node := c.leader(t)
				node.Kill()
				killed := time.Now()
				again(t, by, persons[:20])
				t.Logf("every shard takes asks again after %v", time.Since(killed).Round(time.Millisecond))
				since = append(since, in.late(by, 200, 20*time.Millisecond)...)
				ready = append(ready, visits(t, streams, keys, quick[:len(quick)/3])...)
				node.Restart()
			}
			told(t, v, fmt.Sprint("G1-", n, "-election"), ready, since)
		})
	}
}

// again asks each person, which waits until that is stored.
func again(t *testing.T, c *caller, persons []string) {
	t.Helper()
	name := fmt.Sprintf("again%x", time.Now().UnixNano())
	for i, p := range persons {
		_, err := ask(c, fmt.Sprint(name, "-", i), p)
		must(t, err)
	}
}

// TestFigure_G3Nodes is TestFigure_G3 on three nodes with two gateways: half of the
// askers have their person at the other gateway.
func TestFigure_G3Nodes(t *testing.T) {
	figures(t)
	for _, c := range crowds("G3-nodes") {
		for _, v := range versions(t) {
			t.Run(fmt.Sprint(c.id, " ", v), func(t *testing.T) {
				keys := subjects(c.askers, c.persons)
				all := startThree(t, v, 0, keys)
				l := &load{t: t, keys: keys, askers: c.askers, persons: c.persons, four: v.before}
				l.at = func(i int) string { return all.gateways[i%2].url }
				l.attend()
				by := newCaller(all.gateways[0].url, keys.of(asker(0)))
				defer by.close()
				again(t, by, []string{person(0), person(1), person(2), person(3)}) // the nodes are at work
				var servers []int
				for _, n := range all.Nodes {
					servers = append(servers, n.PID())
				}
				before := processor(t, servers...)
				report(t, v, c.id, l, all.gateways[0].pid, all.gateways[1].pid)
				say(t, v, c.id+"-servers", (processor(t, servers...)-before).Seconds()*1000/float64(l.number.Load()), "ms")
			})
		}
	}
}

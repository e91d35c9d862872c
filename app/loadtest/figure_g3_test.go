package loadtest

import (
	"fmt"
	"testing"
	"time"
)

// TestFigure_G3 measures whole cycles over HTTP on one node, audit on, as sayso
// serve has it: how many a second, how long one takes, and what it costs the hub's
// process, the store included.
func TestFigure_G3(t *testing.T) {
	figures(t)
	for _, c := range crowds("G3") {
		for _, v := range versions(t) {
			t.Run(fmt.Sprint(c.id, " ", v), func(t *testing.T) {
				keys := subjects(c.askers, c.persons)
				p := newHome(t, v, "", keys).serve()
				l := &load{t: t, keys: keys, at: func(int) string { return p.url }, askers: c.askers, persons: c.persons, four: v.before}
				l.attend()
				report(t, v, c.id, l, p.pid)
			})
		}
	}
}

// crowd is how many ask, and how many have their stream open.
type crowd struct {
	id              string
	askers, persons int
}

func crowds(id string) []crowd {
	return []crowd{{id, 64, 64}, {id + "-8", 8, 8}, {id + "-streams", 64, 2000}}
}

// report runs a load and says what it did; pids are the processes that serve it.
func report(t *testing.T, v version, id string, l *load, pids ...int) {
	t.Helper()
	d := 10 * time.Second
	if long() {
		d = 30 * time.Second
	}
	l.run(d/5, 0) // to warm up
	before := processor(t, pids...)
	took, elapsed := l.run(d, 0)
	cpu := (processor(t, pids...) - before).Seconds()
	n := float64(len(took))
	t.Logf("%s %s: %v; %d requests were repeated", id, v, took, l.retries)
	say(t, v, id+"-rate", n/elapsed.Seconds(), "cycles/s")
	say(t, v, id+"-p50", took.ms(0.5), "ms")
	say(t, v, id+"-p99", took.ms(0.99), "ms")
	say(t, v, id+"-cpu", cpu*1000/n, "ms")
}

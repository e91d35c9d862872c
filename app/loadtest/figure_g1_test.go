package loadtest

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// visitors is how many persons of n there are to visit, and their keys; another
// subject asks.
func visitors(n int) (persons []string, keys keyring) {
	keys = newKeyring().add("asker", "probe")
	for i := range min(300, n/perPerson) {
		persons = append(persons, person(i*(n/perPerson)/min(300, n/perPerson)))
	}
	return persons, keys.add("answerer", persons...)
}

// sizes are how many asks wait. An earlier version is measured with the smallest.
func sizes(v version) []int {
	switch {
	case v.before:
		return []int{20_000}
	case long():
		return []int{20_000, 1_000_000}
	}
	return []int{20_000, 100_000}
}

// TestFigure_G1 measures how soon an event stream is ready and how late it hears of
// a new ask, with much waiting in the tenant: in the long run, and right after the
// program was started.
func TestFigure_G1(t *testing.T) {
	figures(t)
	for _, v := range versions(t) {
		for _, n := range sizes(v) {
			t.Run(fmt.Sprint(v, " ", n), func(t *testing.T) {
				persons, keys := visitors(n)
				h := newHome(t, v, filled(t, v, n), keys)
				p := h.serve()
				quick := v.quick(persons)
				visits(t, p.url, keys, quick[:len(quick)/5])
				soon(t, v, fmt.Sprint("G1-", n), p.url, p.url, keys, quick)
				say(t, v, fmt.Sprint("G1-", n, "-memory"), resident(t, p.pid), "MB")
				var ready, since times
				for range 3 {
					p.stop()
					p = h.serve()
					in := openInboxes(t, p.url, keys, persons[:10])
					c := newCaller(p.url, keys.of("probe"))
					since = append(since, in.late(c, 100, 20*time.Millisecond)...)
					c.close()
					in.close()
					ready = append(ready, visits(t, p.url, keys, quick[:len(quick)/3])...)
				}
				told(t, v, fmt.Sprint("G1-", n, "-restart"), ready, since)
			})
		}
	}
}

// quick is how many persons an earlier version is asked for: each takes it a second.
func (v version) quick(persons []string) []string {
	if v.before {
		return persons[:30]
	}
	return persons
}

// soon visits persons at one gateway, and asks them at another.
func soon(t *testing.T, v version, id, streams, asks string, keys keyring, persons []string) {
	t.Helper()
	ready := visits(t, streams, keys, persons)
	in := openInboxes(t, streams, keys, persons[:20])
	defer in.close()
	c := newCaller(asks, keys.of("probe"))
	defer c.close()
	told(t, v, id, ready, in.late(c, 300, 20*time.Millisecond))
}

func told(t *testing.T, v version, id string, ready, since times) {
	t.Helper()
	t.Logf("%s %s: ready: %v; late: %v", id, v, ready, since)
	say(t, v, id+"-ready", ready.ms(0.99), "ms")
	say(t, v, id+"-late", since.ms(0.99), "ms")
}

// TestFigure_G1Gateway measures the memory of a gateway alone, its store being
// another process, and how late its streams are after it has missed notifications:
// the last of one person, and all while its connection to the store was cut.
func TestFigure_G1Gateway(t *testing.T) {
	figures(t)
	for _, v := range versions(t) {
		for _, n := range sizes(v) {
			t.Run(fmt.Sprint(v, " ", n), func(t *testing.T) {
				persons, keys := visitors(n)
				node := enginetest.StartNode(t, enginetest.Spec{Dir: filled(t, v, n)})
				file := filepath.Join(t.TempDir(), "keys.json")
				keys.write(t, file)
				line := newLine(t, node.Spec.Client)
				reach := node.Reach()
				other := startGateway(t, v, reach, file)
				reach.URLs = []string{"nats://" + line.addr()}
				gw := startGateway(t, v, reach, file)
				quick := v.quick(persons)
				visits(t, gw.url, keys, quick)
				// Nobody else asks those who miss something: what they missed is the last.
				missing, in := openInboxes(t, gw.url, keys, persons[:2]), openInboxes(t, gw.url, keys, persons[2:22])
				c := newCaller(other.url, keys.of("probe"))
				defer c.close()
				in.late(c, 100, 20*time.Millisecond)
				say(t, v, fmt.Sprint("G1-", n, "-gateway"), resident(t, gw.pid), "MB")

				found := func(id string, lost asked) {
					since := in.late(c, 200, 20*time.Millisecond)
					told(t, v, fmt.Sprint("G1-", n, "-", id), visits(t, gw.url, keys, quick[:len(quick)/3]), since)
					say(t, v, fmt.Sprint("G1-", n, "-", id, "-found"), missing.when(lost.id).Sub(lost.stored).Seconds(), "s")
				}
				line.lose(true)
				lost, err := ask(c, "lost-one", persons[0])
				must(t, err)
				line.quiet()
				line.lose(false)
				found("lost", lost)

				line.cut()
				lost, err = ask(c, "lost-all", persons[1])
				must(t, err)
				line.restore()
				visits(t, gw.url, keys, persons[2:3]) // it can be used again
				found("cut", lost)
			})
		}
	}
}

package loadtest

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// TestFigure_G4 measures what feeds cost: the hub's processor time with 2,000
// inboxes open, less that of the same asks with none.
func TestFigure_G4(t *testing.T) {
	figures(t)
	const persons, rate = 2000, 100
	for _, v := range versions(t) {
		t.Run(v.String(), func(t *testing.T) {
			keys := subjects(4, persons)
			p := newHome(t, v, "", keys).serve()
			names := make([]string, persons)
			for i := range names {
				names[i] = person(i)
			}
			steady(t, p.url, keys, names, rate, 2*time.Second)
			used := func(d time.Duration) float64 {
				before := processor(t, p.pid)
				elapsed := steady(t, p.url, keys, names, rate, d)
				return (processor(t, p.pid) - before).Seconds() / elapsed.Seconds()
			}
			const d = 20 * time.Second
			first := used(d)
			in := openInboxes(t, p.url, keys, names)
			with := used(d)
			in.close()
			last := used(d)
			t.Logf("%s: %.3f of a processor without streams, %.3f with, %.3f without again", v, first, with, last)
			say(t, v, "G4-feeds", with-(first+last)/2, "processors")
		})
	}
}

// steady asks so many times a second, one person after the other.
func steady(t *testing.T, addr string, keys keyring, persons []string, rate int, d time.Duration) time.Duration {
	t.Helper()
	const askers = 4
	var work sync.WaitGroup
	start := time.Now()
	name := fmt.Sprintf("s%x", start.UnixNano())
	for k := range askers {
		work.Go(func() {
			c := newCaller(addr, keys.of(asker(k)))
			defer c.close()
			n := int(d.Seconds() * float64(rate))
			for i := k; i < n; i += askers {
				<-time.After(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate))))
				if _, err := ask(c, fmt.Sprint(name, "-", i), persons[i%len(persons)]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	return time.Since(start)
}

// TestFigure_G4Idle measures what an ask costs a gateway with no client that is
// interested in it: its processor time while another gateway of the same store has
// asks, less that of the same time without any.
func TestFigure_G4Idle(t *testing.T) {
	figures(t)
	for _, v := range versions(t) {
		t.Run(v.String(), func(t *testing.T) {
			keys := subjects(32, 1)
			file := filepath.Join(t.TempDir(), "keys.json")
			keys.write(t, file)
			node := enginetest.StartNode(t, enginetest.Spec{Dir: filepath.Join(t.TempDir(), "engine")})
			busy, idle := startGateway(t, v, node.Reach(), file), startGateway(t, v, node.Reach(), file)
			const d = 20 * time.Second
			flood(t, busy.url, keys, 32, time.Second)
			used := func(fn func() int) (cpu time.Duration, n int) {
				before := processor(t, idle.pid)
				n = fn()
				return processor(t, idle.pid) - before, n
			}
			none, _ := used(func() int { <-time.After(d); return 0 })
			some, n := used(func() int { return flood(t, busy.url, keys, 32, d) })
			t.Logf("%s: %v in %v without asks, %v beside %d", v, none, d, some, n)
			say(t, v, "G4-idle", max((some-none).Seconds()*1e6/float64(n), 0), "µs")
		})
	}
}

// flood asks as often as it can, and returns how often that was.
func flood(t *testing.T, addr string, keys keyring, askers int, d time.Duration) int {
	t.Helper()
	var work sync.WaitGroup
	counts := make([]int, askers)
	start := time.Now()
	name := fmt.Sprintf("f%x", start.UnixNano())
	for k := range askers {
		work.Go(func() {
			c := newCaller(addr, keys.of(asker(k)))
			defer c.close()
			for time.Since(start) < d {
				if _, err := ask(c, fmt.Sprint(name, "-", k, "-", counts[k]), person(k)); err != nil {
					t.Error(err)
					return
				}
				counts[k]++
			}
		})
	}
	work.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

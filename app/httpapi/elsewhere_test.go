package httpapi

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/gateway"
	"github.com/saysohq/sayso/hub"
)

// together are servers over one store, which tell each other what is used of them.
func together(t *testing.T, n int, quota Quota, alone bool) []*world {
	store := hub.NewMemory(nil)
	var all []*world
	for i := range n {
		var group *gateway.Group
		w := newWorldOver(t, store, nil, &Options{Quota: quota, Changed: func() { group.Changed() }})
		if !alone {
			group = gateway.Join(store, &gateway.Options{ID: fmt.Sprint("g", i), Tell: w.Usage, Hear: w.UsedElsewhere})
			t.Cleanup(group.Close)
		}
		w.leave = func() { group.Close() }
		all = append(all, w)
	}
	time.Sleep(2 * time.Second) // until they know each other
	synctest.Wait()
	return all
}

// hammer makes requests at all servers as often as they let it, and returns how many
// were let through in that time, and by how much that exceeded at any moment what one
// server allows.
func hammer(t *testing.T, all []*world, d time.Duration, burst, perSecond float64, do func(w *world, i int64) int) (through, over int64) {
	var mu sync.Mutex
	var n atomic.Int64
	var work sync.WaitGroup
	begin := time.Now()
	end := begin.Add(d)
	for _, w := range all {
		for range 4 {
			work.Go(func() {
				for time.Now().Before(end) {
					switch code := do(w, n.Add(1)); {
					case code < 300:
						mu.Lock()
						through++
						over = max(over, through-int64(burst+perSecond*time.Since(begin).Seconds()))
						mu.Unlock()
					case code != http.StatusTooManyRequests:
						t.Errorf("status %d", code)
						return
					}
					time.Sleep(2 * time.Millisecond)
				}
			})
		}
	}
	work.Wait()
	return through, over
}

// TestQuotaElsewhere: three servers over one store let a holder change as much as one
// does in the long run. At first each has its own burst, and a second's worth.
func TestQuotaElsewhere(t *testing.T) {
	const rate, burst, minute = 50, 200, time.Minute
	change := func(w *world, i int64) int {
		return w.do("bot", "POST", "/v1/asks", fmt.Sprintf(`{"id":"a%d","questions":[{"text":"Which?"}]}`, i)).Code
	}
	quota := Quota{Open: -1, Stored: -1, Rate: rate, Burst: burst}
	for _, c := range []struct {
		alone       bool
		least, most int64
	}{
		{true, 3 * (burst + rate*60) * 9 / 10, 3 * (burst + rate*60)},
		{false, (burst + rate*60) * 9 / 10, burst + rate*60 + 2*(burst+2*rate)},
	} {
		synctest.Test(t, func(t *testing.T) {
			got, over := hammer(t, together(t, 3, quota, c.alone), minute, burst, rate, change)
			t.Logf("three servers, alone %v: %d changes in a minute; one allows %d; at most %d over it", c.alone, got, burst+rate*60, over)
			if most := int64(2 * (burst + 2*rate)); !c.alone && over > most {
				t.Errorf("%d changes over what one server allows at that moment, want %d at most", over, most)
			}
			if got < c.least || got > c.most {
				t.Errorf("%d changes in a minute, want %d to %d", got, c.least, c.most)
			}
		})
	}
}

// TestReadsElsewhere: the same for what is read.
func TestReadsElsewhere(t *testing.T) {
	const reads = 80 << 10 // ten a second, and 160 at once
	synctest.Test(t, func(t *testing.T) {
		got, over := hammer(t, together(t, 3, Quota{Reads: reads}, false), time.Minute, 160, 10, func(w *world, _ int64) int {
			return w.do("bot", "GET", "/v1/me", "").Code
		})
		const one, second = 160 + 60*10, 10
		t.Logf("three servers: %d reads in a minute; one allows %d; at most %d over it", got, one, over)
		if got < one*9/10 || got > one+2*(160+2*second) {
			t.Errorf("%d reads in a minute, want about %d", got, one)
		}
	})
}

// TestStreamsElsewhere: what is open at one server counts at the others within two
// seconds, and no longer when it has ended, or the server has.
func TestStreamsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := together(t, 3, Quota{Streams: 4, Waits: 6, Sessions: 5}, false)
		bot := &auth.Principal{Tenant: "acme", ID: "bot", Role: auth.Asker}
		all[2].CountSessions(func() map[string]int { return map[string]int{"acme\x00bot\x00asker": 3} })
		settle := func() { time.Sleep(2 * time.Second); synctest.Wait() }
		open := func(w *world, stream bool, want bool) func() {
			t.Helper()
			leave, err := w.limits.enter(bot, stream)
			if (err == nil) != want {
				t.Fatalf("stream %v: %v, want it let in: %v", stream, err, want)
			}
			return leave
		}
		first := open(all[0], true, true)
		for range 3 {
			open(all[1], true, true)
		}
		for range 6 {
			open(all[1], false, true)
		}
		settle()
		for _, w := range all {
			open(w, true, false)
			open(w, false, false)
		}
		// Another holder is not concerned.
		if leave, err := all[0].limits.enter(&auth.Principal{Tenant: "acme", ID: "bot2", Role: auth.Asker}, true); err != nil {
			t.Error(err)
		} else {
			leave()
		}
		first()
		settle()
		defer open(all[2], true, true)()
		settle()
		open(all[0], true, false)
		if n := all[0].SessionsElsewhere(bot); n != 3 {
			t.Errorf("%d sessions elsewhere, want 3", n)
		}
		all[1].leave() // it has ended, and what was open there
		settle()
		for range 3 {
			defer open(all[0], true, true)()
		}
		open(all[0], true, false)
		defer open(all[0], false, true)()
	})
}

// What another server tells may be anything.
func TestUsageRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &Options{Changed: func() {}})
	w.limits.spent(w.limits.usageOf(&auth.Principal{Tenant: "acme", ID: "bot", Role: auth.Asker}), 3, 5000)
	told := w.Usage()
	if all := parseUsage(told); len(all) != 1 || all[hashOf("acme\x00bot\x00asker")] != (load{changes: 3, reads: 5000}) {
		t.Errorf("%v is read as %v", told, all)
	}
	for i := range told {
		parseUsage(told[:i])
		w.UsedElsewhere("other", append([]byte{}, told[:i]...))
	}
	w.UsedElsewhere("other", []byte{9, 1, 2, 3})
	w.UsedElsewhere("other", nil)
	if n := len(w.limits.others); n != 0 {
		t.Errorf("%d others are known", n)
	}
}

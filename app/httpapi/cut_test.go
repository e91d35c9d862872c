package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestStreamCut holds a stream that is cut at random, and goes on at another
// gateway, to the newest state of every ask, and to no revision twice: R16.
func TestStreamCut(t *testing.T) {
	c := &cutting{changes: 4000}
	c.run(t, hub.NewMemory(nil))
	c.check(t)
}

// The test notices a client that does not go on where it was.
func TestStreamCutCanFail(t *testing.T) {
	c := &cutting{changes: 400, forgetful: true}
	c.run(t, hub.NewMemory(nil))
	if c.lost+c.twice == 0 || c.resets < 2 {
		t.Errorf("%d missed, %d told twice, %d resets", c.lost, c.twice, c.resets)
	}
}

// cutting makes changes at several gateways over one store while a client reads
// them from one gateway after the other, each time through a proxy that cuts it off.
type cutting struct {
	changes   int
	forgetful bool // the client does not say where it was

	lost   int // asks whose newest state was not told
	twice  int // revisions that were told again, or after a later one
	cuts   int
	resets int
}

const gateways = 3

func (c *cutting) run(t *testing.T, store hub.Store) {
	c.over(t, func() hub.Store { return store })
}

// over runs with a store for each gateway.
func (c *cutting) over(t *testing.T, open func() hub.Store) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	key := []byte("a key for tests, and only for them")
	var hubs []*hub.Hub
	var proxies []*proxy
	var first *world
	for range gateways {
		w := newWorldOver(t, open(), &hub.Options{Key: key}, &Options{Quota: Quota{Open: -1, Rate: -1, Reads: -1}})
		if first == nil {
			first = w
		}
		w.Server.opts.Auth = first.keys // whoever is known to one is known to all
		hubs, proxies = append(hubs, w.hub), append(proxies, newProxy(t, w.listen(t)))
	}
	rng := testenv.Rand(t)
	ahead := make(chan struct{}, 500) // asks that the writer may be ahead of the reader
	began := make(chan struct{})
	newest := make([]uint64, c.changes/2)
	var writers sync.WaitGroup
	for g := range gateways {
		own := testenv.Split(rng)
		writers.Go(func() {
			<-began
			for i := g; i < len(newest); i += gateways {
				select {
				case ahead <- struct{}{}:
				case <-ctx.Done():
					return
				}
				newest[i] = write(t, hubs[own.IntN(gateways)], hubs[own.IntN(gateways)], i, own)
			}
		})
	}
	told := make([]uint64, len(newest)) // the last revision of each
	closed := 0
	begin := sync.OnceFunc(func() { close(began) })
	still := 2 * time.Minute
	if c.forgetful {
		still = 3 * time.Second
	}
	quiet := time.AfterFunc(still, cancel) // nothing more comes
	defer quiet.Stop()
	f := first.follower("", "ada", "/v1/events")
	for ; closed < len(newest) && ctx.Err() == nil; c.cuts++ {
		p := proxies[rng.IntN(gateways)]
		f.url = p.url() + "/v1/events"
		p.cutAfter(1 + rng.IntN(100_000))
		if c.forgetful {
			f.last = ""
			p.cutAfter(20_000)
		}
		f.follow(ctx, func(e sseEvent) bool {
			quiet.Reset(still)
			switch e.name {
			case "reset":
				c.resets++
			case "ready":
				begin()
			case "ask":
				var tk api.Ticket
				if err := json.Unmarshal([]byte(e.data), &tk); err != nil {
					t.Errorf("%v in %q", err, e.data)
					return false
				}
				i, _ := strconv.Atoi(tk.Ask.ID)
				if tk.Revision <= told[i] {
					c.twice++
					if c.twice < 4 && !c.forgetful {
						t.Errorf("ask %d is told at revision %d after %d", i, tk.Revision, told[i])
					}
					return true
				}
				told[i] = tk.Revision
				if !tk.Open() && len(tk.History) == 0 {
					closed++
					<-ahead
				}
			}
			return closed < len(newest)
		})
	}
	begin()
	cancel() // writers that wait for a forgetful reader
	writers.Wait()
	for i, revision := range newest {
		if revision > 0 && told[i] != revision {
			c.lost++
		}
	}
	t.Logf("%d changes, %d cuts, %d resets: %d missed, %d told twice", c.changes, c.cuts, c.resets, c.lost, c.twice)
}

// write makes an ask at one gateway and answers it at another, and returns its last
// revision. A third of them is for one person only.
func write(t *testing.T, at, by *hub.Hub, i int, rng *rand.Rand) uint64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a := &sayso.Ask{ID: fmt.Sprint(i), Origin: sayso.Origin{Conversation: fmt.Sprint("c", i%7)}, Questions: []sayso.Question{{ID: "q", Text: "Which?"}}}
	if rng.IntN(3) == 0 {
		a.To = []string{"ada"}
	}
	tk, err := at.Submit(ctx, "acme", a)
	if err == nil {
		tk, err = by.Close(ctx, tk, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "this", By: sayso.Responder{Kind: sayso.ByPerson, ID: "ada"}}, nil)
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	return tk.Revision
}

func (c *cutting) check(t *testing.T) {
	t.Helper()
	if c.lost > 0 || c.twice > 0 {
		t.Errorf("%d missed, %d told twice", c.lost, c.twice)
	}
	if c.cuts < 10 || c.resets != 1 {
		t.Errorf("%d cuts, %d resets: the stream did not go on", c.cuts, c.resets)
	}
}

// CutStreams runs the test for packages that this one may not import, with a store
// for each gateway.
func CutStreams(t *testing.T, changes int, open func() hub.Store) (missed, twice, cuts int) {
	c := &cutting{changes: changes}
	c.over(t, open)
	c.check(t)
	return c.lost, c.twice, c.cuts
}

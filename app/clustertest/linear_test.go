package clustertest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

var (
	linearFor  = flag.Duration("linear.for", 30*time.Second, "how long the histories are made, without SAYSO_LONG")
	linearMost = flag.Duration("linear.most", 40*time.Minute, "how long the histories are made at most, with SAYSO_LONG")
	linearOps  = flag.Int("linear.ops", 1_000_000, "how many operations to do with SAYSO_LONG")
	linearOnly = flag.String("linear.only", "", "the only faults, comma-separated")
	groups     = flag.Int("linear.groups", 48, "how many asks are under way at a time")
)

// TestFigure_CLUSTER asks, answers, reads, takes and follows through three nodes while they are cut off, paused, killed,
// stopped and started again, and checks every ask's history against the model.
func TestFigure_CLUSTER(t *testing.T) {
	clusters(t)
	c := startCluster(t, "--shards", "4")
	c.histories("CLUSTER", append(enginetest.Calamities(), rolling))
}

// TestHistories is the same with one hub, for a moment: the clients, the faults and the check themselves.
func TestHistories(t *testing.T) {
	clusters(t)
	c := startSingle(t)
	c.histories("", enginetest.Calamities())
}

// rolling restarts every node in turn.
var rolling = enginetest.Calamity{
	Name: "rolling restart",
	Hurt: func(n *enginetest.Nemesis, _ int) {
		for _, node := range n.Nodes {
			node.Stop()
			node.Launch()
			node.Await()
		}
	},
	Mend: func(*enginetest.Nemesis, int) {},
}

// histories makes histories while the calamities happen, and reports the figure.
func (c *cluster) histories(id string, plan []enginetest.Calamity) {
	t := c.t
	l := &linear{t: t, known: map[string]known{}}
	for i := range c.hosts { // one that knows only this hub, and one that goes on to another
		l.lanes = append(l.lanes, c.lane(i, c.one(i)))
	}
	l.lanes = append(l.lanes, c.lane(len(c.hosts), c.any()))
	random := testenv.Rand(t)
	n := &enginetest.Nemesis{Nodes: c.victims(), Network: c.network, Rand: testenv.Split(random), Leader: c.leader}
	s := newRecorder(l, c.any().wandering(testenv.Split(random)).client(t, c.asker))
	stop := s.start()
	defer stop()
	s.Await(t, patience)
	ctx, cancel := context.WithTimeout(t.Context(), either(*linearFor, *linearMost))
	defer cancel()
	var all sync.WaitGroup
	for g := range *groups {
		own := testenv.Split(random)
		all.Go(func() { l.group(ctx, cancel, g, own) })
	}
	n.Run(ctx, plan, *linearOnly)
	all.Wait()
	if l.wrong() {
		return
	}
	t.Logf("faults: %v; %d operations had an unknown outcome; clients saw %s", n.Done, l.unknown.Load(), c.saw.take())
	l.finish(c.lane(0, c.any()))
	s.finish(stop)
	figure(t, id, l.Illegal.Load(), fmt.Sprintf("illegal/%d-operations", l.Ops.Load()))
	figure(t, and(id, "lost"), l.lost.Load(), fmt.Sprintf("lost/%d-asks", len(l.known)))
	figure(t, and(id, "events"), s.missing+s.Again, fmt.Sprintf("missed+duplicated/%d-events", s.Events))
	if l.refused.Load() == 0 || len(l.known) < 50 || l.consumed.Load() == 0 {
		t.Errorf("too little was done to mean anything: %d asks, %d refusals, %d outcomes taken", len(l.known), l.refused.Load(), l.consumed.Load())
	}
}

// linear is the load and its histories.
type linear struct {
	t     *testing.T
	lanes []*lane

	historytest.Verdicts
	unknown, refused, consumed, lost atomic.Int64

	histories sync.Map // by ask, those that are not checked yet

	mu    sync.Mutex
	known map[string]known
	rest  []*history // not checked yet
}

// known is the last that anybody was told of an ask.
type known struct {
	handle, digest string
	state          string
}

// group makes one ask after the other. Rivals answer it and others read it, each in a lane of its own; some return to it
// much later.
func (l *linear) group(ctx context.Context, enough func(), g int, random *rand.Rand) {
	const memory = 16
	var past []*history
	for i := 0; ctx.Err() == nil; i++ {
		h := newHistory(l.t, fmt.Sprintf("ask_%d_%d", g, i), g)
		l.histories.Store(h.ID, h)
		if random.IntN(4) == 0 {
			l.play(ctx, h, random)
		} else {
			l.cycle(ctx, h, random)
		}
		if h.handle.Load() != nil {
			past = append(past, h)
		} else {
			l.check(h)
		}
		if len(past) == 0 {
			continue
		}
		if len(past) > memory {
			l.check(past[0])
			past = past[1:]
		}
		old, by := past[random.IntN(len(past))], l.lanes[random.IntN(len(l.lanes))]
		l.note(old, old.get(ctx, by))
		l.note(old, old.close(ctx, by, fmt.Sprint("late", i)))
		if l.Illegal.Load() > 0 || l.t.Failed() || long() && l.Ops.Load() >= int64(*linearOps) {
			enough()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, past...)
}

// ask submits an ask in any lane, and reports whether somebody acknowledged it.
func (l *linear) ask(ctx context.Context, h *history, random *rand.Rand) (lane int, ok bool) {
	first := random.IntN(len(l.lanes))
	for try := 0; h.handle.Load() == nil; try++ { // the same ask again, and elsewhere
		if try == 4 || ctx.Err() != nil {
			return 0, false
		}
		l.note(h, h.submit(ctx, l.lanes[(first+try)%len(l.lanes)]))
	}
	return first, true
}

// cycle is what most asks meet: somebody answers, and the asker takes the answer, each at another hub.
func (l *linear) cycle(ctx context.Context, h *history, random *rand.Rand) {
	first, ok := l.ask(ctx, h, random)
	if !ok {
		return
	}
	next := func(i int) *lane { return l.lanes[(first+i)%len(l.lanes)] }
	l.note(h, h.close(ctx, next(1), "first"))
	l.note(h, h.get(ctx, next(2)))
	l.note(h, h.consume(ctx, next(3)))
}

// play has an ask submitted in one lane, and answered, read and taken in all of them.
func (l *linear) play(ctx context.Context, h *history, random *rand.Rand) {
	first, ok := l.ask(ctx, h, random)
	if !ok {
		return
	}
	var all sync.WaitGroup
	for i, by := range l.lanes {
		all.Go(func() {
			l.note(h, h.get(ctx, by))
			l.note(h, h.close(ctx, by, fmt.Sprint("rival", i)))
			l.note(h, h.get(ctx, by))
		})
	}
	all.Go(func() {
		by := l.lanes[(first+1)%len(l.lanes)]
		l.note(h, h.wait(ctx, by))
		l.note(h, h.consume(ctx, by))
		l.note(h, h.get(ctx, l.lanes[(first+2)%len(l.lanes)]))
	})
	all.Wait()
}

// note remembers what somebody was told, to ask for it in the end.
func (l *linear) note(h *history, o historytest.Output) {
	switch {
	case o.State == historytest.Unknown:
		l.unknown.Add(1)
		return
	case o.Refused:
		l.refused.Add(1)
	}
	if o.State == historytest.Absent {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.known[h.ID].state
	taken := historytest.Winner(o.State) != o.State
	if was == "" || was == historytest.Open || taken && historytest.Winner(was) == was {
		l.known[h.ID] = known{handle: *h.handle.Load(), state: o.State}
		if taken {
			l.consumed.Add(1)
		}
	}
}

func (l *linear) check(h *history) {
	l.histories.Delete(h.ID)
	l.Check(l.t, h.History)
}

// wrong reports whether any history is illegal already.
func (l *linear) wrong() bool {
	for _, h := range l.rest {
		h.Require(l.t)
	}
	return l.Illegal.Load() > 0
}

// finish reads all asks once more, counts those that are lost, and checks the histories that were not checked yet.
func (l *linear) finish(by *lane) {
	l.t.Helper()
	each(l.t, l.known, func(ctx context.Context, id string, was known) error {
		got, err := by.asker.Get(ctx, was.handle)
		now := told(got, err)
		switch {
		case now.State == historytest.Unknown:
			return fmt.Errorf("reading %s: %w", id, err)
		case !keeps(was.state, now.State):
			if l.lost.Add(1) <= 3 {
				l.t.Errorf("%s was %s and is now %s", id, was.state, now.State)
			}
		}
		return nil
	})
	for _, h := range l.rest {
		h.do(l.t.Context(), by, historytest.Input{Op: historytest.Get}, patience, func(ctx context.Context) (*hub.Ticket, error) { return by.asker.Get(ctx, *h.handle.Load()) })
		l.check(h)
	}
}

// keeps reports whether a state that somebody was told can be followed by another.
func keeps(was, now string) bool {
	switch {
	case was == historytest.Open:
		return now != historytest.Absent
	case was == historytest.Winner(was):
		return historytest.Winner(now) == was
	}
	return now == was
}

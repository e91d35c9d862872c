package faulttest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

var (
	linearFor  = flag.Duration("linear.for", 60*time.Second, "how long TestFigure_R04 asks, without SAYSO_LONG")
	linearOps  = flag.Int("linear.ops", 1_000_000, "how many operations TestFigure_R04 does with SAYSO_LONG")
	linearOnly = flag.String("linear.only", "", "the only faults of TestFigure_R04, comma-separated")
)

// TestFigure_R04 asks, answers and reads on three nodes while they are cut off, paused, killed and started again, and
// checks every ask's history against the model. It is R04 (one winner), R05 (a read sees what was acknowledged), R06 (a
// refusal names a winner that can be read) and R08 (nothing is lost, and all nodes agree again).
func TestFigure_R04(t *testing.T) {
	faults(t)
	network := enginetest.NewNetwork(t)
	cluster := enginetest.StartCluster(t, t.TempDir(), network, enginetest.Spec{})
	l := &linear{t: t}
	for _, n := range cluster.Nodes { // one hub that knows only this node, and one that knows all
		l.open(n.Connect())
	}
	l.open(cluster.Connect())
	l.nc = cluster.Connect()
	js, err := jetstream.New(l.nc)
	must(t, err)
	random := testenv.Rand(t)
	n := &enginetest.Nemesis{Nodes: cluster.Victims(), Network: network, Rand: testenv.Split(random), Leader: func() int { return leaderOf(t, js, "ASK2-00") }}

	limit := *linearFor
	if long() {
		limit = 25 * time.Minute // for as many as a slow machine can do in it
	}
	stream, own := newRecorder(l, random)
	var groups sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer groups.Wait()
	defer cancel()
	groups.Go(func() { stream.run(ctx, own) })
	stream.Await(t, 2*time.Minute)
	time.AfterFunc(limit, cancel)
	for g := range 48 {
		own := testenv.Split(random)
		groups.Go(func() { l.group(ctx, cancel, g, own) })
	}
	n.Run(ctx, enginetest.Calamities(), *linearOnly)
	groups.Wait()
	if l.wrong() {
		return
	}
	agree, stuck := l.agree(cluster)
	l.finish()
	stream.finish()

	t.Logf("faults: %v; %d operations had an unknown outcome", n.Done, l.unknown.Load())
	figure(t, "R04", l.Illegal.Load(), fmt.Sprintf("illegal/%d-operations", l.Ops.Load()))
	figure(t, "R06", l.refused.Load(), "refusals-with-the-winner")
	figure(t, "R08", agree.Round(10*time.Millisecond).Seconds(), "s-until-all-agree")
	figure(t, "R08", stuck, "nodes-restarted-to-agree")
	figure(t, "R08", fmt.Sprintf("%d", l.lost.Load()), fmt.Sprintf("lost/%d-asks", l.asks.Load()))
	figure(t, "R04", stream.missing+stream.Again, fmt.Sprintf("missed+duplicated/%d-events", stream.Events))
	if l.refused.Load() == 0 || l.asks.Load() < 100 {
		t.Error("too little was done to mean anything")
	}
}

// linear is the load and its histories.
type linear struct {
	t    *testing.T
	nc   *nats.Conn // to any node
	hubs []*hub.Hub // each by way of one node, and one by way of any

	historytest.Verdicts
	asks, unknown, refused, lost atomic.Int64

	histories sync.Map // by ask, those that are not checked yet

	mu    sync.Mutex
	known map[string]string // by ask: the last that anybody was told
	rest  []*history        // not checked yet
}

func (l *linear) open(nc *nats.Conn) {
	l.hubs = append(l.hubs, openHub(l.t, openStore(l.t, nc, hasty()), func(o *hub.Options) { o.Patience = 500 * time.Millisecond }))
}

// group makes one ask after the other. Rivals answer it and others read it, each by a hub of its own; some return to it
// much later.
func (l *linear) group(ctx context.Context, enough func(), g int, random *rand.Rand) {
	const memory = 16
	var past []*history
	for i := 0; ctx.Err() == nil; i++ {
		h := newHistory(fmt.Sprintf("ask_%d_%d", g, i))
		l.histories.Store(h.ID, h)
		l.play(ctx, h, random.IntN(len(l.hubs)))
		if past = append(past, h); len(past) > memory {
			l.check(past[0])
			past = past[1:]
		}
		old := past[random.IntN(len(past))]
		client := random.IntN(len(l.hubs))
		l.note(old, old.get(ctx, client, l.hubs[client]))
		l.note(old, old.close(ctx, client, l.hubs[client], fmt.Sprint("late", i)))
		if l.Illegal.Load() > 0 || long() && l.Ops.Load() >= int64(*linearOps) {
			enough()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, past...)
}

// play has an ask submitted by one hub, and answered and read by all of them.
func (l *linear) play(ctx context.Context, h *history, first int) {
	l.asks.Add(1)
	l.note(h, h.submit(ctx, first, l.hubs[first]))
	var all sync.WaitGroup
	for client, by := range l.hubs {
		all.Go(func() {
			l.note(h, h.get(ctx, client, by))
			l.note(h, h.close(ctx, client, by, fmt.Sprint("rival", client)))
			l.note(h, h.get(ctx, client, by))
		})
	}
	all.Go(func() {
		client := (first + 1) % len(l.hubs)
		l.note(h, h.wait(ctx, client, l.hubs[client]))
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]string{}
	}
	if o.State != historytest.Absent && (l.known[h.ID] == "" || l.known[h.ID] == historytest.Open) {
		l.known[h.ID] = o.State
	}
}

func (l *linear) check(h *history) {
	l.histories.Delete(h.ID)
	l.Check(l.t, h.History)
}

// wrong reports whether any history is illegal already, before the nodes have all the time they need to agree.
func (l *linear) wrong() bool {
	for _, h := range l.rest {
		h.Require(l.t)
	}
	return l.Illegal.Load() > 0
}

// leaderOf returns which node leads a stream, -1 if nobody knows.
func leaderOf(t testing.TB, js jetstream.JetStream, stream string) int {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := js.Stream(ctx, stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return -1
	}
	var n int
	if _, err := fmt.Sscanf(s.CachedInfo().Cluster.Leader, "n%d", &n); err != nil {
		return -1
	}
	return n - 1
}

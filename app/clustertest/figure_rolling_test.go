package clustertest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_ROLLING upgrades three nodes, one after the other, while clients wait for answers. Some are answered before,
// some meanwhile, the rest when all nodes have the new version.
func TestFigure_ROLLING(t *testing.T) {
	clusters(t)
	c := startClusterOf(t, os.Getenv("SAYSO_BEFORE"), "--shards", "4")
	w := c.startWaiters(either(300, 2000))
	r := c.startRush(4)
	r.writes(200)
	before := w.version()
	w.answer(len(w.asks) / 4)
	gap, call := r.standstill(func() {
		for _, n := range c.nodes {
			n.Stop()
			w.answer(len(w.asks) / 10)
			n.program = "" // this version
			start(n)
			n.sound()
			w.answer(len(w.asks) / 10)
		}
	})
	w.answer(len(w.asks))
	w.all.Wait()
	t.Logf("from %s to %s; clients saw %s", before, w.version(), c.saw.take())
	lost, asks := r.finish(c.lane(0, c.any()))
	gone, twice := w.finish()
	figure(t, "ROLLING", lost+gone, fmt.Sprintf("lost/%d-asks (%d clients waited)", asks+len(w.asks), len(w.asks)))
	figure(t, "ROLLING-twice", twice, "duplicated")
	figure(t, "ROLLING-gap", fmt.Sprintf("%.2f", gap.Seconds()), "s-without-a-write-to-an-inbox")
	figure(t, "ROLLING-write", fmt.Sprintf("%.2f", call.Seconds()), "s-longest-write")
	figure(t, "ROLLING-answer", fmt.Sprintf("%.2f", w.slowest.Seconds()), "s-until-a-waiting-client-has-an-answer")
}

// waiters are clients that wait for an answer, each at a hub of its own until that goes away.
type waiters struct {
	c    *cluster
	asks []*sayso.Ask
	by   *lane // of the people
	all  sync.WaitGroup

	mu       sync.Mutex
	answered map[string]time.Time
	got      map[string]int
	slowest  time.Duration // from an answer being stored to its asker having it
}

func (c *cluster) startWaiters(n int) *waiters {
	w := &waiters{c: c, answered: map[string]time.Time{}, got: map[string]int{}, by: c.lane(0, c.any())}
	ways := c.any()
	for i := range n {
		a := newAsk(fmt.Sprint("waiter_", i), person(i))
		w.asks = append(w.asks, a)
		way := ways.fork(int64(i))
		by := way.client(c.t, c.asker)
		w.all.Go(func() { w.wait(by.Ask, a) })
	}
	within(c.t, "all clients wait", func(ctx context.Context) error {
		if n := w.waiting(ctx); n < len(w.asks) {
			return fmt.Errorf("%d of %d wait", n, len(w.asks))
		}
		return nil
	})
	return w
}

// wait is one client.
func (w *waiters) wait(ask func(context.Context, *sayso.Ask) (*sayso.Outcome, error), a *sayso.Ask) {
	o, err := ask(w.c.t.Context(), a)
	now := time.Now()
	if err != nil {
		w.c.t.Errorf("%s: %v", a.ID, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(o.Answers) != 1 || o.Answers[0].Other != a.ID {
		w.c.t.Errorf("%s has the answer %+v", a.ID, o)
		return
	}
	w.got[a.ID]++
	if at := w.answered[a.ID]; !at.IsZero() {
		w.slowest = max(w.slowest, now.Sub(at))
	}
}

// waiting counts the asks that wait.
func (w *waiters) waiting(ctx context.Context) (n int) {
	w.tickets(ctx, &hub.Filter{Limit: 500}, func(*hub.Ticket) { n++ })
	return n
}

// tickets tells the tickets of the waiters.
func (w *waiters) tickets(ctx context.Context, f *hub.Filter, tell func(*hub.Ticket)) error {
	for {
		page, err := w.by.asker.List(ctx, f)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			if len(t.Ask.ID) > 7 && t.Ask.ID[:7] == "waiter_" {
				tell(t)
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
	}
}

// answer answers up to n more.
func (w *waiters) answer(n int) {
	w.c.t.Helper()
	open := map[string]*hub.Ticket{}
	must(w.c.t, w.tickets(w.c.t.Context(), &hub.Filter{Limit: 500}, func(t *hub.Ticket) { open[t.Ask.ID] = t }))
	some := map[string]*hub.Ticket{}
	for id, t := range open {
		if len(some) < n {
			some[id] = t
		}
	}
	each(w.c.t, some, func(ctx context.Context, id string, t *hub.Ticket) error {
		var to int
		if _, err := fmt.Sscanf(t.Ask.To[0], "person-%d", &to); err != nil {
			return err
		}
		if _, err := w.by.people[to].Answer(ctx, t, saying(id)); err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answered[id] = time.Now()
		return nil
	})
}

// finish counts the clients without their answer, and asks or answers that are there twice.
func (w *waiters) finish() (lost, twice int) {
	seen := map[string]int{}
	must(w.c.t, w.tickets(w.c.t.Context(), &hub.Filter{Status: hub.AnyStatus, Limit: 500}, func(t *hub.Ticket) {
		seen[t.Ask.ID]++
		if len(t.History) > 0 || t.Open() || said(t) != t.Ask.ID || t.Consumed.IsZero() {
			w.c.t.Errorf("%s is %+v", t.Ask.ID, t)
		}
	}))
	for _, a := range w.asks {
		if w.got[a.ID] == 0 || seen[a.ID] == 0 {
			lost++
		}
		if w.got[a.ID] > 1 || seen[a.ID] > 1 {
			twice++
		}
	}
	return lost, twice
}

// version is that of a hub.
func (w *waiters) version() string {
	_, err := w.by.asker.List(w.c.t.Context(), &hub.Filter{Limit: 1})
	must(w.c.t, err)
	return w.by.asker.Version()
}

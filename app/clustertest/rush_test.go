package clustertest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/hub"
)

// rush is many who ask, answer and take without end, each by a hub of its own until that fails, and a ledger of what they
// were told.
type rush struct {
	t      *testing.T
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	more   *sync.Cond
	ledger map[string]known
	since  int           // writes acknowledged in this measurement
	last   []time.Time   // by inbox
	gap    time.Duration // the longest in which no write to an inbox was acknowledged
	call   time.Duration // the longest that a write took
}

// startRush has so many at work.
func (c *cluster) startRush(agents int) *rush {
	ctx, cancel := context.WithCancel(c.t.Context())
	r := &rush{t: c.t, cancel: cancel, ledger: map[string]known{}, last: make([]time.Time, min(agents, persons))}
	r.more = sync.NewCond(&r.mu)
	r.begin()
	name := fmt.Sprintf("rush%x", time.Now().UnixNano())
	for agent := range agents {
		way := c.any()
		way.now.Store(int64(agent))
		l := c.lane(agent, way)
		r.all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := r.cycle(ctx, l, fmt.Sprintf("%s_%d_%d", name, agent, i), agent%persons); err != nil && ctx.Err() == nil {
					r.t.Error(err)
					return
				}
			}
		})
	}
	c.t.Cleanup(r.stop)
	return r
}

// cycle asks a person, who answers; the asker takes the answer. The calls are tried again as the client does it.
func (r *rush) cycle(ctx context.Context, l *lane, id string, to int) error {
	for _, step := range []struct {
		name  string
		state string // after it
		do    func(*hub.Ticket) (*hub.Ticket, error)
	}{
		{"ask", historytest.Open, func(*hub.Ticket) (*hub.Ticket, error) { return l.asker.Submit(ctx, newAsk(id, person(to))) }},
		{"answer", id, func(t *hub.Ticket) (*hub.Ticket, error) { return l.people[to].Answer(ctx, t, saying(id)) }},
		{"take", "", func(t *hub.Ticket) (*hub.Ticket, error) { return l.asker.Consume(ctx, t.Handle) }},
	} {
		began := time.Now()
		t, err := step.do(r.of(id))
		if err != nil {
			return fmt.Errorf("%s %s, after %v: %w", step.name, id, time.Since(began).Round(time.Millisecond), err)
		}
		r.ack(began, id, to, t)
		if got := told(t, nil).State; step.state != "" && got != step.state {
			r.t.Errorf("%s %s is told that it is %s", step.name, id, got)
		}
	}
	return nil
}

// of is the ticket of an ask as its asker has it.
func (r *rush) of(id string) *hub.Ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.ledger[id]
	return &hub.Ticket{Handle: k.handle, Digest: k.digest}
}

func (r *rush) ack(began time.Time, id string, to int, t *hub.Ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.gap, r.call = max(r.gap, now.Sub(r.last[to])), max(r.call, now.Sub(began))
	r.last[to] = now
	r.since++
	r.ledger[id] = known{handle: t.Handle, digest: t.Digest, state: told(t, nil).State}
	r.more.Broadcast()
}

// begin begins a measurement.
func (r *rush) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gap, r.call, r.since = 0, 0, 0
	for i := range r.last {
		r.last[i] = time.Now()
	}
}

// standstill does something to the nodes and returns for how long no write to some inbox was acknowledged, and how long
// the slowest write took.
func (r *rush) standstill(hurt func()) (gap, call time.Duration) {
	r.t.Helper()
	r.begin()
	hurt()
	r.writes(300) // behind those that were on their way
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.last { // also one that still stands still
		r.gap = max(r.gap, time.Since(at))
	}
	return r.gap, r.call
}

// writes waits until so many more writes were acknowledged, some to every inbox.
func (r *rush) writes(n int) {
	r.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		r.mu.Lock()
		late = true
		r.more.Broadcast()
		r.mu.Unlock()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	for done := r.since; r.since < done+n || !r.everywhere(began); r.more.Wait() {
		if late || r.t.Failed() {
			r.t.Fatal("writes do not go on")
		}
	}
}

// everywhere reports whether every inbox had a write since then.
func (r *rush) everywhere(since time.Time) bool {
	for _, at := range r.last {
		if at.Before(since) {
			return false
		}
	}
	return true
}

func (r *rush) stop() {
	r.cancel()
	r.all.Wait()
}

// finish ends the rush and counts the asks that are not as somebody was told.
func (r *rush) finish(by *lane) (lost, asks int) {
	r.t.Helper()
	r.stop()
	var gone atomic.Int64
	each(r.t, r.ledger, func(ctx context.Context, id string, was known) error {
		t, err := by.asker.Get(ctx, was.handle)
		now := told(t, err)
		switch {
		case now.State == historytest.Unknown:
			return fmt.Errorf("reading %s: %w", id, err)
		case !keeps(was.state, now.State):
			if gone.Add(1) <= 3 {
				r.t.Errorf("%s was %s and is now %s", id, was.state, now.State)
			}
		}
		return nil
	})
	return int(gone.Load()), len(r.ledger)
}

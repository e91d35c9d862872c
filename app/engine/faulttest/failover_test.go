package faulttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_FAILOVER measures how long nobody can ask or answer when the leader of three nodes is killed, and when all
// nodes are stopped and started again one after the other. Few are told of it: what was asked or answered meanwhile takes
// as long, and succeeds, unless the election takes longer than the hub tries.
func TestFigure_FAILOVER(t *testing.T) {
	faults(t)
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	js, err := jetstream.New(c.Connect())
	must(t, err)
	h := openHub(t, openStore(t, c.Connect(), &natsstore.Options{Replicas: 3}))
	awaitCurrent(t, js)
	l := startRush(t, h)

	var killed, rolled []time.Duration
	for range either(1, 10) {
		leader := c.Nodes[awaitLeader(t, js, "ASK2-00")]
		killed = append(killed, l.standstill(leader.Kill))
		leader.Restart()
		awaitCurrent(t, js)
	}
	for range either(1, 5) {
		for _, n := range c.Nodes {
			rolled = append(rolled, l.standstill(n.Stop))
			n.Restart()
			awaitCurrent(t, js)
		}
	}
	acked, longest := l.stop()
	if lost := l.lost(h); lost > 0 {
		t.Errorf("%d of %d answers are gone", lost, acked)
	}
	for how, took := range map[string][]time.Duration{"kill": killed, "rolling": rolled} {
		slices.Sort(took)
		n := len(took)
		figure(t, "FAILOVER-"+how, fmt.Sprintf("%.2f", took[n/2].Seconds()), fmt.Sprintf("s-without-a-write (median of %d; least %.2f, most %.2f)", n, took[0].Seconds(), took[n-1].Seconds()))
	}
	figure(t, "FAILOVER-call", fmt.Sprintf("%.2f", longest.Seconds()), "s-longest-call")
	figure(t, "FAILOVER-undecided", l.told.Load(), fmt.Sprintf("calls-with-an-error/%d-asks", acked))
	figure(t, "FAILOVER-lost", 0, fmt.Sprintf("lost/%d-asks", acked))
}

// awaitCurrent waits until all nodes hold what the leader of the asks holds.
func awaitCurrent(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	within(t, 3*time.Minute, "wait until all nodes are current", func(ctx context.Context) error {
		s, err := js.Stream(ctx, "ASK2-00")
		if err != nil {
			return err
		}
		c := s.CachedInfo().Cluster
		if c == nil || c.Leader == "" || len(c.Replicas) != 2 {
			return fmt.Errorf("%+v", c)
		}
		for _, r := range c.Replicas {
			if !r.Current || r.Offline {
				return fmt.Errorf("%s is behind", r.Name)
			}
		}
		return nil
	})
}

// rush is many who ask and answer without end.
type rush struct {
	t      *testing.T
	cancel context.CancelFunc
	all    sync.WaitGroup
	told   atomic.Int64 // calls that ended with an error

	mu       sync.Mutex
	more     *sync.Cond
	answered []string
	since    int // writes acknowledged in this measurement
	last     time.Time
	gap      time.Duration // the longest between two of them
	call     time.Duration // the longest that anybody ever waited
}

func startRush(t *testing.T, h *hub.Hub) *rush {
	ctx, cancel := context.WithCancel(t.Context())
	r := &rush{t: t, cancel: cancel, last: time.Now()}
	r.more = sync.NewCond(&r.mu)
	for agent := range 16 {
		r.all.Go(func() {
			for i := 0; ctx.Err() == nil; {
				switch err := r.ask(ctx, h, fmt.Sprintf("ask_%d_%d", agent, i)); {
				case err == nil:
					i++
				case ctx.Err() != nil:
				case errors.Is(err, hub.ErrUndecided): // the election took longer than the hub waits; once more
					t.Log(err)
					r.told.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rush) ask(ctx context.Context, h *hub.Hub, id string) error {
	began := time.Now()
	tk, err := h.Submit(ctx, tenant, newAsk(id))
	if err != nil {
		return fmt.Errorf("ask %s, after %v: %w", id, time.Since(began), err)
	}
	r.ack(began, "")
	began = time.Now()
	if _, err = h.Close(ctx, tk, answer("ann", "o1"), &hub.CloseOptions{Nonce: id}); err != nil {
		return fmt.Errorf("answer %s, after %v: %w", id, time.Since(began), err)
	}
	r.ack(began, id)
	return nil
}

func (r *rush) ack(began time.Time, answered string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.gap, r.call = max(r.gap, now.Sub(r.last)), max(r.call, now.Sub(began))
	r.last = now
	r.since++
	if answered != "" {
		r.answered = append(r.answered, answered)
	}
	r.more.Broadcast()
}

// standstill does something to the nodes and returns how long no write was acknowledged.
func (r *rush) standstill(hurt func()) time.Duration {
	r.t.Helper()
	r.mu.Lock()
	r.gap, r.since = 0, 0
	r.mu.Unlock()
	hurt()
	late := false
	timer := time.AfterFunc(3*time.Minute, func() {
		r.mu.Lock()
		late = true
		r.more.Broadcast()
		r.mu.Unlock()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for done := r.since; r.since < done+500; r.more.Wait() { // behind those that were on their way
		if late || r.t.Failed() {
			r.t.Fatal("writes do not go on")
		}
	}
	return r.gap
}

// stop returns how many asks were answered, and the longest that anybody waited for a write.
func (r *rush) stop() (int, time.Duration) {
	r.cancel()
	r.all.Wait()
	return len(r.answered), r.call
}

// lost counts the answers that are not there any more.
func (r *rush) lost(h *hub.Hub) int {
	var lost atomic.Int64
	var all errgroup.Group
	all.SetLimit(64) // reads that come together share a fence
	for _, id := range r.answered {
		all.Go(func() error {
			got, err := h.Get(r.t.Context(), newHistory(id).addr)
			for try := 0; errors.Is(err, hub.ErrUndecided) && try < 10; try++ {
				got, err = h.Get(r.t.Context(), newHistory(id).addr)
			}
			if errors.Is(err, hub.ErrNotFound) || err == nil && got.Nonce != id {
				lost.Add(1)
				return nil
			}
			return err
		})
	}
	must(r.t, all.Wait())
	return int(lost.Load())
}

package natsserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// TestClusterFailover kills and restarts leaders of three processes under load: nothing acknowledged is lost. It logs how
// long writes stood still.
func TestClusterFailover(t *testing.T) {
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	js := replicated(t, c.Connect())
	load := startLoad(t, js)

	leader := c.Node(awaitLeader(t, js))
	load.mark()
	leader.Stop()
	load.await(100)
	t.Logf("planned stop of the leader: writes stood still for %v", load.gap())
	leader.Restart()
	awaitCurrent(t, js)

	leader = c.Node(awaitLeader(t, js))
	load.mark()
	leader.Kill()
	load.await(100)
	t.Logf("kill -9 of the leader: writes stood still for %v", load.gap())
	leader.Restart()
	awaitCurrent(t, js)

	acked := load.stop()
	for _, n := range c.Nodes {
		if lost := acked.lost(t, n); lost > 0 {
			t.Errorf("%s: %d of %d acknowledged questions are gone", n.Spec.Name, lost, len(acked))
		}
	}
	t.Logf("%d questions", len(acked))
}

// TestClusterPartition cuts one node off from the other two and heals the cut: the others go on, and all agree again.
func TestClusterPartition(t *testing.T) {
	network := enginetest.NewNetwork(t)
	c := enginetest.StartCluster(t, t.TempDir(), network, enginetest.Spec{})
	js := replicated(t, c.Nodes[0].Connect())
	load := startLoad(t, js)
	load.await(100)
	load.mark()
	network.Isolate(1)
	load.await(200)
	network.Heal(1)
	network.IsolateRoutes(2)
	load.await(200)
	network.Heal(2)
	acked := load.stop()
	if err := tryCurrent(t, js, 30*time.Second); err != nil {
		// Seen with nats-server 2.15.2, twice in twenty runs: a leader that was cut off under load asks for the same log
		// again and again. A restart helps.
		t.Logf("%v: restarting it", err)
		c.Nodes[2].Stop()
		c.Nodes[2].Restart()
		awaitCurrent(t, js)
	}
	for _, n := range c.Nodes {
		if lost := acked.lost(t, n); lost > 0 {
			t.Errorf("%s: %d of %d acknowledged questions are gone", n.Spec.Name, lost, len(acked))
		}
	}
	t.Logf("%d questions, writes stood still for at most %v", len(acked), load.gap())
}

// TestClusterDamage damages the copy of one node. The node refuses to serve it, which the server alone would not; moved
// away while the others are current, it is made anew from theirs.
func TestClusterDamage(t *testing.T) {
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	js := replicated(t, c.Connect())
	load := startLoad(t, js)
	load.await(500)
	acked := load.stop()
	awaitCurrent(t, js)
	for name, end := range map[string]func(*enginetest.Node){"killed": (*enginetest.Node).Kill, "clean": (*enginetest.Node).Stop} {
		t.Run(name, func(t *testing.T) {
			bad := c.Nodes[2]
			within(t, 3*time.Minute, "wait until the copy is there", func(context.Context) error {
				if len(blocks(t, bad)) == 0 {
					return errors.New("there are no blocks")
				}
				return nil
			})
			awaitCurrent(t, js)
			end(bad)
			flip(t, blocks(t, bad)[0], 5000, 3)
			if _, err := bad.TryRestart(); err == nil || !strings.Contains(err.Error(), "cannot be read back") {
				t.Fatalf("the damaged copy: %v, want it refused", err)
			}
			must(t, os.Rename(bad.Spec.Dir, bad.Spec.Dir+" "+name))
			bad.Restart()
			awaitCurrent(t, js)
			if lost := acked.lost(t, bad); lost > 0 {
				t.Errorf("%d of %d acknowledged questions are gone", lost, len(acked))
			}
		})
	}
}

// blocks lists the files of a node that hold the stream's records.
func blocks(t *testing.T, n *enginetest.Node) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(n.Spec.Dir, "jetstream/HUB/streams/ASK/msgs/*.blk"))
	must(t, err)
	return slices.DeleteFunc(all, func(path string) bool {
		st, err := os.Stat(path)
		return err != nil || st.Size() < 10_000
	})
}

// replicated returns JetStream with the stream ASK on three nodes.
func replicated(t *testing.T, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	cfg := askConfig("ASK")
	cfg.Replicas = 3
	within(t, 3*time.Minute, "make a stream on three nodes", func(ctx context.Context) error {
		_, err := js.CreateOrUpdateStream(ctx, cfg)
		return err
	})
	awaitCurrent(t, js)
	return js
}

// within tries until there is no error.
func within(t *testing.T, limit time.Duration, what string, try func(context.Context) error) {
	t.Helper()
	if err := tryWithin(t, limit, try); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func tryWithin(t *testing.T, limit time.Duration, try func(context.Context) error) error {
	deadline := time.Now().Add(limit)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // nobody answers while there is no leader
		err := try(ctx)
		cancel()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}

func awaitLeader(t *testing.T, js jetstream.JetStream) (leader string) {
	t.Helper()
	within(t, 3*time.Minute, "find the leader", func(ctx context.Context) error {
		s, err := js.Stream(ctx, "ASK")
		if err != nil {
			return err
		}
		if leader = s.CachedInfo().Cluster.Leader; leader == "" {
			return errors.New("there is none")
		}
		return nil
	})
	return leader
}

func awaitCurrent(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	if err := tryCurrent(t, js, 3*time.Minute); err != nil {
		t.Fatalf("wait until all nodes are current: %v", err)
	}
}

func tryCurrent(t *testing.T, js jetstream.JetStream, limit time.Duration) error {
	return tryWithin(t, limit, func(ctx context.Context) error {
		s, err := js.Stream(ctx, "ASK")
		if err != nil {
			return err
		}
		c := s.CachedInfo().Cluster
		if c.Leader == "" || len(c.Replicas) != 2 {
			return fmt.Errorf("leader %q, %d replicas", c.Leader, len(c.Replicas))
		}
		for _, r := range c.Replicas {
			if !r.Current || r.Offline {
				return fmt.Errorf("%s is not current", r.Name)
			}
		}
		return nil
	})
}

// load is eight askers that write without end.
type load struct {
	t       *testing.T
	cancel  context.CancelFunc
	askers  sync.WaitGroup
	mu      sync.Mutex
	more    *sync.Cond
	acked   ledger
	count   int // acknowledged since mark
	last    time.Time
	longest time.Duration // between two acknowledgements since mark
	err     error         // the last
}

func startLoad(t *testing.T, js jetstream.JetStream) *load {
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{t: t, cancel: cancel, acked: ledger{}, last: time.Now()}
	l.more = sync.NewCond(&l.mu)
	for a := range 8 {
		l.askers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				subject := fmt.Sprintf("ask.%d.%d", a, i)
				m := nats.NewMsg(subject)
				m.Data = []byte(strings.Repeat("question ", 60))
				once, done := context.WithTimeout(ctx, 500*time.Millisecond)
				ack, err := js.PublishMsg(once, m, jetstream.WithRetryAttempts(0))
				done()
				l.ack(subject, ack, err)
			}
		})
	}
	t.Cleanup(func() { l.stop() })
	return l
}

func (l *load) ack(subject string, ack *jetstream.PubAck, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.err = err
		return
	}
	now := time.Now()
	l.acked[subject] = ack.Sequence
	l.longest = max(l.longest, now.Sub(l.last))
	l.last, l.count = now, l.count+1
	l.more.Broadcast()
}

// mark begins a new measurement.
func (l *load) mark() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count, l.longest = 0, 0
}

// await waits until n more writes were acknowledged.
func (l *load) await(n int) {
	l.t.Helper()
	late := false
	timer := time.AfterFunc(3*time.Minute, func() {
		l.mu.Lock()
		late = true
		l.more.Broadcast()
		l.mu.Unlock()
	})
	defer timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for want := l.count + n; l.count < want; l.more.Wait() {
		if late {
			l.t.Fatalf("only %d of %d writes were acknowledged, the last failed with %v", l.count, want, l.err)
		}
	}
}

func (l *load) gap() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.longest.Round(time.Millisecond)
}

func (l *load) stop() ledger {
	l.cancel()
	l.askers.Wait()
	return l.acked
}

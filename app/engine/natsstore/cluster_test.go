package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// Three server processes, each record on all of them.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while; run without -short")
	}
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	t.Run("conformance", func(t *testing.T) { clusterConformance(t, c) })
	t.Run("rivals", func(t *testing.T) { clusterRivals(t, c) })
	t.Run("quota", func(t *testing.T) { clusterQuota(t, c) })
	t.Run("archive", func(t *testing.T) { clusterArchive(t, c) })
	t.Run("a stream is unknown", func(t *testing.T) { clusterUnknownStream(t, c) })
	t.Run("leader killed", func(t *testing.T) { clusterLeaderKilled(t, c) })
}

func replicated(prefix string) natsstore.Options {
	return natsstore.Options{Prefix: prefix, Replicas: 3, NoAudit: true}
}

func clusterConformance(t *testing.T, c *enginetest.Cluster) {
	one, other := c.Nodes[0].Connect(), c.Nodes[1].Connect()
	made := map[hub.Store]natsstore.Options{}
	fresh := func(t *testing.T, max int) hub.Store {
		o := replicated(fmt.Sprint("c", len(made)))
		o.MaxAsks, o.Doubt = int64(max), time.Second
		s := open(t, one, &o)
		made[s] = o
		return s
	}
	hubtest.Run(t, func(t *testing.T) hub.Store { return fresh(t, 0) }, &hubtest.Options{
		Peer: func(t *testing.T, s hub.Store) hub.Store {
			o := made[s]
			return open(t, other, &o)
		},
		Limited: func(t *testing.T, n int) hub.Store { return fresh(t, n) },
		Deaf:    deafen,
	})
}

// Three stores at three nodes settle tickets and copy them while the leaders of the streams change. Every ticket is copied
// once, in order, and is found at every node when only the archive has it.
func clusterArchive(t *testing.T, c *enginetest.Cluster) {
	var stores []*natsstore.Store
	var nc *nats.Conn
	for _, n := range c.Nodes {
		nc = n.Connect()
		stores = append(stores, open(t, nc, &natsstore.Options{Prefix: "archive", Replicas: 3, Settled: 1}))
	}
	var mu sync.Mutex
	want := map[string]hub.Address{}
	var wg sync.WaitGroup
	for k, s := range stores {
		wg.Go(func() {
			for i := range 40 {
				r := ticket(1000*k+i, "ann", fmt.Sprint("settled ", k, " ", i))
				r.Closed, r.Settled, r.TTL = true, true, time.Hour
				for {
					_, err := s.Put(t.Context(), r, 0)
					if err == nil || errors.Is(err, hub.ErrConflict) {
						break
					}
					if !errors.Is(err, hub.ErrUndecided) {
						t.Error(err)
						return
					}
				}
				mu.Lock()
				want[string(r.Data)] = r.Address
				mu.Unlock()
				if i%10 == 5 {
					stream := []string{"archive-HIS2-00", "archive-ASK2-00", "archive-DUE2-00"}[k]
					_, _ = nc.RequestWithContext(t.Context(), "$JS.API.STREAM.LEADER.STEPDOWN."+stream, nil)
				}
				_ = s.Copy(t.Context()) // may be outrun
			}
		})
	}
	wg.Wait()
	var data []string
	eventually(t, "all are copied", func() bool {
		if stores[0].Copy(t.Context()) != nil {
			return false
		}
		var revisions []uint64
		revisions, data = copies(t, nc, "archive-HIS2-00")
		for i := 1; i < len(revisions); i++ {
			if revisions[i] <= revisions[i-1] {
				t.Fatalf("revision %d after %d", revisions[i], revisions[i-1])
			}
		}
		return len(data) >= len(want)
	})
	if len(data) != len(want) {
		t.Errorf("%d copies of %d tickets", len(data), len(want))
	}
	eventually(t, "the tickets are only in the archive", func() bool {
		return stores[0].Clear(t.Context()) == nil && messages(t, nc, "archive-ASK2-00") <= 1 // the fence
	})
	for i, s := range stores {
		for d, addr := range want {
			if got, err := s.Get(t.Context(), hub.KindTicket, addr); err != nil || string(got.Data) != d {
				t.Fatalf("node %d: %q is %q, %v", i, d, got.Data, err)
			}
		}
		eventually(t, "the list has all", func() bool {
			got, _ := once(t, s, hub.Query{Tenant: "acme", Limit: 50})
			return len(got) == len(want)
		})
	}
}

// Rivals at three nodes race to answer each ask as soon as the bell rings. The leader says of some that a write is in
// process (10164), which is no verdict: somebody must win, once, and whoever is refused can read who.
func clusterRivals(t *testing.T, c *enginetest.Cluster) {
	var inProcess atomic.Int32
	var rivals []*natsstore.Store
	for _, n := range c.Nodes {
		o := replicated("rivals")
		s := open(t, n.Connect(), &o)
		s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
			return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
				got, err := ask(ctx, m)
				if err == nil && strings.Contains(string(got.Data), "10164") {
					inProcess.Add(1)
				}
				return got, err
			}
		})
		rivals = append(rivals, s)
	}
	const asks = 200
	var wins [asks]atomic.Int32
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	var listening, answering sync.WaitGroup
	for k, s := range rivals {
		ready := make(chan struct{})
		listening.Go(func() {
			_ = s.Watch(ctx, hub.Query{}, func() { close(ready) }, func(r hub.Record) {
				if r.Kind == "" || r.Closed {
					return
				}
				answering.Go(func() {
					r.Closed, r.Data = true, fmt.Append(nil, "answer of ", k)
					_, err := s.Put(ctx, r, r.Revision)
					var n int
					fmt.Sscanf(r.Address.ID, "ask_%d", &n)
					switch {
					case err == nil:
						wins[n].Add(1)
					case !errors.Is(err, hub.ErrConflict):
						t.Error(err)
					default:
						if now, err := s.Get(ctx, r.Kind, r.Address); err != nil || !now.Closed {
							t.Errorf("refused, and the winner cannot be read: %+v, %v", now, err)
						}
					}
				})
			})
		})
		<-ready
	}
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < asks; i += 8 {
				put(t, rivals[w%3], ticket(i, "ann", "open"), 0)
			}
		})
	}
	wg.Wait()
	eventually(t, "every ask is answered", func() bool {
		for i := range wins {
			if wins[i].Load() == 0 {
				return false
			}
		}
		return true
	})
	answering.Wait()
	cancel()
	listening.Wait()
	for i := range wins {
		if n := wins[i].Load(); n != 1 {
			t.Errorf("ask %d was won %d times", i, n)
		}
	}
	t.Logf("%d writes were refused as in process", inProcess.Load())
	if inProcess.Load() == 0 {
		t.Error("no write met another in process: this test shows nothing")
	}
}

// On a replicated stream the server's own limits refuse answers too. Ours do not.
func clusterQuota(t *testing.T, c *enginetest.Cluster) {
	o := replicated("quota")
	o.MaxAsks = 10
	s := open(t, c.Nodes[0].Connect(), &o)
	var revs []uint64
	for i := range 10 {
		revs = append(revs, put(t, s, ticket(i, "ann", "open"), 0))
	}
	_, err := s.Put(t.Context(), ticket(10, "ann", "open"), 0)
	wantError(t, err, hub.ErrFull)
	for i, rev := range revs {
		r := ticket(i, "ann", "closed")
		r.Closed = true
		put(t, s, r, rev)
	}
}

// A server that has just begun to lead may not know a stream yet: it is asked again.
func clusterUnknownStream(t *testing.T, c *enginetest.Cluster) {
	o := replicated("unknown")
	s := open(t, c.Nodes[0].Connect(), &o)
	r := hub.Record{Kind: hub.KindSecret, Address: hub.Address{Tenant: "hub", ID: "handle"}, Data: []byte("secret")}
	put(t, s, r, 0)
	unknown := 2
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if strings.Contains(m.Subject, ".MSG.GET.") && unknown > 0 {
				unknown--
				return answer(404, 10059, "stream not found"), nil
			}
			return ask(ctx, m)
		}
	})
	got, err := s.Get(t.Context(), r.Kind, r.Address)
	must(t, err)
	if string(got.Data) != "secret" || unknown > 0 {
		t.Errorf("%q, and %d requests are left to refuse", got.Data, unknown)
	}
}

// Writers go on while the leader of their stream is killed: nothing that was acknowledged is gone, and the watch says that
// it may have missed something.
func clusterLeaderKilled(t *testing.T, c *enginetest.Cluster) {
	o := replicated("killed")
	o.Timeout, o.RetryFor = 2*time.Second, 2*time.Minute
	nc := c.Connect()
	s := open(t, nc, &o)
	js, err := jetstream.New(nc)
	must(t, err)
	var leader *enginetest.Node
	put(t, s, ticket(1<<20, "ann", "first"), 0)
	eventually(t, "all replicas have what is there", func() bool { // a new stream has them later
		st, err := js.Stream(t.Context(), "killed-ASK2-00")
		must(t, err)
		info := st.CachedInfo().Cluster
		leader = c.Node(info.Leader)
		return len(info.Replicas) == 2 && info.Replicas[0].Current && info.Replicas[1].Current
	})

	events := watching(t, s, hub.Query{})
	var missed atomic.Bool
	var drain sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	drain.Go(func() {
		for {
			select {
			case r := <-events:
				if r.Kind == "" {
					missed.Store(true)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	var mu sync.Mutex
	acked := map[int]uint64{}
	writes := func() int { mu.Lock(); defer mu.Unlock(); return len(acked) }
	var wg sync.WaitGroup
	var enough atomic.Bool
	for w := range 8 {
		wg.Go(func() {
			for i := w; !enough.Load(); i += 8 {
				rev, err := s.Put(t.Context(), ticket(i, "ann", "open"), 0)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acked[i] = rev
				mu.Unlock()
			}
		})
	}
	eventually(t, "some writes", func() bool { return writes() > 50 || t.Failed() })
	leader.Kill()
	before := writes()
	eventually(t, "some writes with another leader", func() bool { return writes() > before+500 || t.Failed() })
	enough.Store(true)
	wg.Wait()
	leader.Restart()
	for i, rev := range acked {
		r, err := s.Get(t.Context(), hub.KindTicket, ticket(i, "ann", "").Address)
		if err != nil || r.Revision != rev {
			t.Errorf("ask %d was acknowledged at %d, and is %d, %v", i, rev, r.Revision, err)
		}
	}
	eventually(t, "the watch says that it missed something", missed.Load)
	cancel()
	drain.Wait()
	t.Logf("%d asks acknowledged", len(acked))
}

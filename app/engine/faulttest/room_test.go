package faulttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

const tenant = "acme"

// newAsk returns an ask of about 700 bytes with one question and two options.
func newAsk(id string) *sayso.Ask {
	a := &sayso.Ask{
		ID: id,
		Questions: []sayso.Question{{
			Header: "Deploy", Text: "Deploy build 4711 to production?",
			Body:    "The tests have passed. The last deployment was two days ago; forty-one changes are new, none of them touches the schema.",
			Options: []sayso.Option{{Label: "Yes", Description: "Deploy at once, and watch the dashboards"}, {Label: "No", Description: "Keep the build for Monday"}},
		}},
		Origin: sayso.Origin{Conversation: "conversation", ToolCall: id},
	}
	a.Normalize()
	return a
}

// answer is what a person says.
func answer(who, option string) *sayso.Outcome {
	return &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{option}}},
		By:      sayso.Responder{Kind: sayso.ByPerson, ID: who, Surface: "terminal"},
	}
}

// hasty are options of a store that does not wait long for a server that is away.
func hasty() *natsstore.Options {
	return &natsstore.Options{Replicas: 3, NoAudit: true, Timeout: 500 * time.Millisecond, RetryFor: time.Second}
}

// openHub opens a hub over the store; both end with the test.
func openHub(t testing.TB, s hub.Store, change ...func(*hub.Options)) *hub.Hub {
	t.Helper()
	o := &hub.Options{Key: []byte("a key for tests, and only for them")}
	for _, c := range change {
		c(o)
	}
	h, err := hub.Open(t.Context(), s, o)
	must(t, err)
	t.Cleanup(h.Stop)
	return h
}

// openStore opens a store and tries again while the cluster has no leader.
func openStore(t testing.TB, nc *nats.Conn, o *natsstore.Options) *natsstore.Store {
	t.Helper()
	var s *natsstore.Store
	within(t, 3*time.Minute, "open the store", func(ctx context.Context) (err error) {
		s, err = natsstore.Open(ctx, nc, o)
		return err
	})
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// engine is three nodes with many stores, each with a prefix of its own, which are removed again.
type engine struct {
	cluster *enginetest.Cluster
	conns   []*nats.Conn

	mu    sync.Mutex
	count int
	made  map[hub.Store]natsstore.Options
}

func newEngine(t *testing.T) *engine {
	e := &engine{cluster: enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{}), made: map[hub.Store]natsstore.Options{}}
	for _, n := range e.cluster.Nodes {
		e.conns = append(e.conns, n.Connect())
	}
	return e
}

func (e *engine) store(t *testing.T, o natsstore.Options) hub.Store {
	e.mu.Lock()
	e.count++
	o.Prefix, o.Replicas, o.NoAudit = fmt.Sprint("s", e.count), 3, true
	nc := e.conns[e.count%len(e.conns)]
	e.mu.Unlock()
	t.Cleanup(func() { removeStreams(t, nc, o.Prefix) })
	s := openStore(t, nc, &o)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.made[s] = o
	return s
}

// peer is the same store by way of another node.
func (e *engine) peer(t *testing.T, s hub.Store) hub.Store {
	e.mu.Lock()
	o := e.made[s]
	e.count++
	nc := e.conns[e.count%len(e.conns)]
	e.mu.Unlock()
	return openStore(t, nc, &o)
}

func removeStreams(t testing.TB, nc *nats.Conn, prefix string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	js, err := jetstream.New(nc)
	must(t, err)
	names := js.StreamNames(ctx, jetstream.WithStreamListSubject(prefix+".>"))
	for name := range names.Name() {
		if err := js.DeleteStream(ctx, name); err != nil {
			t.Logf("delete stream %s: %v", name, err)
		}
	}
	must(t, names.Err())
}

// within tries until there is no error.
func within(t testing.TB, limit time.Duration, what string, try func(context.Context) error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := try(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// lastSequence returns how many writes a stream has had.
func lastSequence(t testing.TB, nc *nats.Conn, stream string) uint64 {
	t.Helper()
	return streamInfo(t, nc, stream).State.LastSeq
}

func streamInfo(t testing.TB, nc *nats.Conn, stream string) (info *jetstream.StreamInfo) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	within(t, 2*time.Minute, "look at stream "+stream, func(ctx context.Context) error {
		s, err := js.Stream(ctx, stream)
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	return info
}

// pause reports whether ctx has not ended after a while.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

const tenant = "acme"

// How what waits is spread: an inbox, an asker and a conversation have the same
// number of asks however many wait in all, so that a figure that grows with the
// size grows with what waits elsewhere. The last tenth belongs to one asker, whose
// list has many pages.
const (
	perPerson       = 50
	perAsker        = 200
	perConversation = 5
	bulkAsker       = "bulk"
)

// waitingAsk is ask number i of n that wait.
func waitingAsk(i, n int) *sayso.Ask {
	a := &sayso.Ask{
		ID:     fmt.Sprintf("wait_%08d", i),
		To:     []string{person(i % (n / perPerson))},
		Origin: sayso.Origin{Conversation: fmt.Sprintf("conv_%07d", i/perConversation), Asker: asker(i / perAsker), Via: "http"},
		Questions: []sayso.Question{{ID: "q", Header: "Database", Text: "Which database?", Options: []sayso.Option{
			{ID: "pg", Label: "PostgreSQL", Description: "a server"}, {ID: "lite", Label: "SQLite", Description: "a file"},
		}}},
	}
	if i >= n-n/10 {
		a.Origin.Asker = bulkAsker
	}
	return a
}

func person(i int) string { return fmt.Sprintf("p%05d", i) }
func asker(i int) string  { return fmt.Sprintf("a%05d", i) }

// fillSpec says which store to fill with how much.
type fillSpec struct {
	Engine string           // folder of the only node
	Reach  enginetest.Reach // or the nodes, of three
	Shards int              // default: what the store has by default
	Count  int
}

// fill submits asks through a hub, in this process.
func fill(ctx context.Context, spec fillSpec) error {
	return fillEach(ctx, spec, func(h *hub.Hub, _ uint64) func(int) error {
		return func(i int) error {
			_, err := h.Submit(ctx, tenant, waitingAsk(i, spec.Count))
			return err
		}
	})
}

// fillEach opens a hub over the store, in this process, and has many workers store the
// asks, each by its number.
func fillEach(ctx context.Context, spec fillSpec, worker func(h *hub.Hub, k uint64) (store func(i int) error)) (err error) {
	o := natsstore.Options{Shards: spec.Shards}
	var nc *nats.Conn
	if spec.Engine != "" {
		server, startErr := natsserver.Start(ctx, &natsserver.Options{Dir: spec.Engine})
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, server.Close(context.WithoutCancel(ctx))) }()
		o.Mark = server
		nc, err = server.Conn(ctx, "fill")
	} else {
		o.Replicas = len(spec.Reach.URLs)
		nc, err = dial(ctx, spec.Reach)
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	store, err := natsstore.Open(ctx, nc, &o)
	if err != nil {
		return err
	}
	defer store.Close()
	h, err := hub.Open(ctx, store, nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	const workers = 256
	errs := make([]error, workers)
	var work sync.WaitGroup
	for k := range workers {
		work.Go(func() {
			one := worker(h, uint64(k))
			for i := k; i < spec.Count && errs[k] == nil; i += workers {
				errs[k] = one(i)
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

func dial(ctx context.Context, r enginetest.Reach) (*nats.Conn, error) {
	o, err := r.ConnectOptions()
	if err != nil {
		return nil, err
	}
	return natsserver.Connect(ctx, o)
}

// serveShards is how many shards sayso serve makes; a folder is filled as that
// would have laid it out.
func (v version) serveShards() int {
	if v.before {
		return 1
	}
	return 16
}

// filled returns a data folder of this version with n asks waiting, for the test to
// use up.
func filled(t *testing.T, v version, n int) (engine string) {
	t.Helper()
	return prepared(t, fmt.Sprintf("%s-%d", v, n), func(engine string) {
		v.run(t, "fill", fillSpec{Engine: engine, Shards: v.serveShards(), Count: n})
	})
}

// prepared returns a data folder that fill fills, for the test to use up. It is made
// once if SAYSO_PREPARED says where to keep it.
func prepared(t *testing.T, name string, fill func(engine string)) (engine string) {
	t.Helper()
	engine = filepath.Join(t.TempDir(), "engine")
	keep := os.Getenv("SAYSO_PREPARED")
	if keep == "" {
		fill(engine)
		return engine
	}
	name = filepath.Join(keep, name)
	if _, err := os.Stat(name); err != nil {
		tmp := name + ".new"
		must(t, os.RemoveAll(tmp))
		must(t, os.MkdirAll(keep, 0o700))
		fill(tmp)
		must(t, os.Rename(tmp, name))
	}
	out, err := exec.Command("cp", "-a", "--reflink=auto", name, engine).CombinedOutput()
	if err != nil {
		t.Fatalf("copying %s: %s", name, out)
	}
	return engine
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

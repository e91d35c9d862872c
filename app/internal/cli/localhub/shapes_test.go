package localhub

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// running is a hub in this process, with a state folder of its own.
type running struct {
	*Starter
	t     *testing.T
	ended chan struct{} // closed when it has ended
	err   error         // with which it ended
}

// run serves until the test ends.
func run(t *testing.T, engine EngineOptions) *running {
	t.Helper()
	return runWith(t, &ServeOptions{Engine: engine})
}

func runWith(t *testing.T, o *ServeOptions) *running {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := Places{State: filepath.Join(dir, "state"), Runtime: filepath.Join(dir, "run")}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{Starter: &Starter{Places: p}, t: t, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		o.Places, o.SecurityLog, o.Log = p, "off", slog.New(slog.NewTextHandler(t.Output(), nil))
		r.err = Serve(ctx, o)
	}()
	t.Cleanup(func() {
		stop()
		if <-r.ended; r.err != nil {
			t.Error(r.err)
		}
	})
	return r
}

// runThree serves three nodes of a cluster.
func runThree(t *testing.T) (nodes []*running) {
	t.Helper()
	routes := []string{freeAddress(t), freeAddress(t), freeAddress(t)}
	for i, at := range routes {
		nodes = append(nodes, run(t, EngineOptions{Cluster: &natsserver.ClusterOptions{ServerName: fmt.Sprint("n", i+1), Listen: at, Routes: routes}}))
	}
	for _, n := range nodes {
		n.served()
	}
	return nodes
}

// served waits until the hub serves.
func (r *running) served() *running {
	r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		_, err := r.Info(r.t.Context())
		if err == nil {
			return r
		}
		if time.Now().After(end) {
			r.t.Fatal("the hub does not serve: ", err)
		}
		select {
		case <-r.ended:
			r.t.Fatal("the hub has ended: ", r.err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (r *running) client() *client.Client {
	r.t.Helper()
	c, err := client.New(r.Places.Socket(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// asks returns what the hub has, by handle: only a hub with the same secret spells it the same way.
func (r *running) asks() map[string]string {
	r.t.Helper()
	got := map[string]string{}
	err := hub.Each(r.t.Context(), r.client(), &hub.Filter{Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		got[t.Handle] = t.Ask.ID + " " + string(t.Status())
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *running) wantAsks(want map[string]string) {
	r.t.Helper()
	var got map[string]string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		if got = r.served().asks(); maps.Equal(got, want) { // others open the store when they notice
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		r.t.Errorf("%s has\n%v, want\n%v", r.Places.State, got, want)
	}
}

func (r *running) fill(from, n int) {
	r.t.Helper()
	c := r.client()
	for i := range n {
		t, err := c.Submit(r.t.Context(), ask(fmt.Sprint("a", from+i), "Which database?"))
		if err != nil {
			r.t.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := c.Answer(r.t.Context(), t, answer("SQLite")); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// TestRestoreShapes: a backup of one node becomes three nodes, that of three a gateway on a NATS elsewhere, and that of
// the gateway one node again. Nothing is lost, handles stay, and every process over the storage serves what was restored.
func TestRestoreShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster; run without -short")
	}
	t.Parallel()
	move := func(from, to *running, also ...*running) {
		t.Helper()
		want := from.asks()
		dir := filepath.Join(t.TempDir(), "backup")
		if _, err := from.Backup(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if _, err := to.served().Restore(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		for _, r := range append(also, to) {
			r.wantAsks(want)
		}
		if _, err := to.Restore(t.Context(), dir); err == nil {
			t.Error("a hub that has asks is replaced")
		}
	}
	alone := run(t, EngineOptions{NewShards: 2}).served()
	alone.fill(0, 20)

	nodes := runThree(t)
	move(alone, nodes[0], nodes[1], nodes[2])
	nodes[1].fill(100, 10)
	wantNodes(t, nodes[2])
	if _, err := alone.Cluster(t.Context()); err == nil {
		t.Error("a hub that is alone has nodes")
	}

	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := key.PublicKey()
	seed, _ := key.Seed()
	elsewhere, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: t.TempDir(), Client: &natsserver.ClientOptions{Listen: "127.0.0.1:0", Keys: []string{public}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { elsewhere.Close(context.Background()) })
	gateway := EngineOptions{NATS: &NATSOptions{URLs: []string{"nats://" + elsewhere.Addr().String()}, Seed: seed}}
	one, two := run(t, gateway).served(), run(t, gateway).served()
	move(nodes[2], one, two)
	two.fill(200, 10)
	move(two, run(t, EngineOptions{}))
}

// wantNodes waits until all nodes are there and current, and checks that none that runs is removed.
func wantNodes(t *testing.T, at *running) {
	t.Helper()
	var s *ClusterStatus
	var err error
	well := func() bool {
		if s, err = at.Cluster(t.Context()); err != nil || len(s.Nodes) != 3 || s.Leading != s.Streams {
			return false
		}
		for _, n := range s.Nodes {
			if !n.Online || n.Behind > 0 || !n.MayStop || n.Streams != s.Streams || n.Version == "" || n.Here != (n.Name == "n3") {
				return false
			}
		}
		return true
	}
	for end := time.Now().Add(2 * time.Minute); !well(); <-time.After(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	for _, name := range []string{"n1", "n9"} {
		if err := at.RemoveNode(t.Context(), name); err == nil {
			t.Errorf("node %s is removed", name)
		}
	}
}

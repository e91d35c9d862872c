package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/agent/mcptools"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

// childVariable holds the orders of a host that runs as a process of its own.
const childVariable = "SAYSO_AGENT_CHILD"

// orders are what a child is told.
type orders struct {
	Scene  string
	URL    string // of the engine; empty: the engine is the child's own, in Dir
	Seed   string
	Dir    string
	Tenant string
	Model  string
	Tools  string
	Kill   point  // where it dies; zero: it does not
	Mutant string // what is wrong with it; empty: nothing
}

// What can be wrong with a host.
const (
	mutantClaims = "forgets claims"
	mutantKeys   = "other keys in another life"
)

// forgetful is a journal that does not keep which calls were begun.
type forgetful struct{ journal.Journal }

func (f forgetful) Append(ctx context.Context, id string, r journal.Record, after uint64) (uint64, error) {
	r.Claim = ""
	return f.Journal.Append(ctx, id, r, after)
}

// point is the nth time that a host comes by a kind of point.
type point struct {
	Kind string // "Save before"
	Nth  int    // from 1
}

func (p point) String() string {
	if p.Kind == "" {
		return "nowhere"
	}
	return fmt.Sprintf("%s %d", p.Kind, p.Nth)
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var o orders
		err := json.Unmarshal([]byte(text), &o)
		if err == nil {
			err = o.obey()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// obey is the child's main: it opens a host, tells it what the scene wants, and
// ends when the scene does.
func (o *orders) obey() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	e, end, err := o.engine(ctx)
	if err != nil {
		return err
	}
	defer end()
	scene := sceneNamed(o.Scene)
	if o.URL == "" {
		stop := newPerson(e, o.Tenant, scene, false).start()
		defer stop()
	}
	set, err := mcptools.Connect(ctx, []mcptools.Server{{Name: "shop", URL: o.Tools}})
	if err != nil {
		return err
	}
	defer set.Close()
	tools := set.Tools()
	for i := range tools {
		if tools[i].Name == "shop__write" || tools[i].Name == "shop__slow" {
			tools[i].Repeat = true // they know calls by their keys
		}
		if run := tools[i].Run; o.Mutant == mutantKeys {
			tools[i].Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
				c.Key += fmt.Sprint(os.Getpid())
				return run(ctx, c)
			}
		}
	}
	m, err := model.Open(ctx, model.Config{Provider: model.Anthropic, Model: "claude-sonnet-4-5", APIKey: "none", BaseURL: o.Model, HTTPClient: &http.Client{}})
	if err != nil {
		return err
	}
	opts := agent.Options{Journal: e.Journal, Asks: e.Hub.Asker(o.Tenant, sayso.Responder{}), Model: m, Tools: tools, RetryDelay: time.Millisecond}
	if scene.options != nil {
		scene.options(&opts)
	}
	if o.Mutant == mutantClaims {
		opts.Journal = forgetful{e.Journal}
	}
	opts.Probe(o.probe())
	h, err := agent.Open(ctx, &opts)
	if err != nil {
		return err
	}
	defer h.Stop()
	return scene.play(ctx, h)
}

// probe says by which points the host comes, and dies at the one that it is told
// to.
func (o *orders) probe() func(agent.Point) {
	var mu sync.Mutex
	seen := map[string]int{}
	return func(p agent.Point) {
		kind := p.What + " before"
		if p.After {
			kind = p.What + " after"
		}
		mu.Lock()
		defer mu.Unlock()
		seen[kind]++
		fmt.Println("POINT", kind)
		if o.Kill == (point{kind, seen[kind]}) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

func (o *orders) engine(ctx context.Context) (e *engine.Engine, end func(), err error) {
	opts := &engine.Options{Tenant: o.Tenant, MaxStore: 256 << 20}
	if o.URL == "" {
		e, err = engine.Start(ctx, o.Dir, opts)
		return e, func() { _ = e.Close(context.Background()) }, err
	}
	conn, err := natsserver.Connect(ctx, &natsserver.ConnectOptions{URLs: []string{o.URL}, Seed: []byte(o.Seed)})
	if err != nil {
		return nil, nil, err
	}
	e, err = engine.Open(ctx, conn, opts)
	return e, func() { _ = e.Close(context.Background()); conn.Close() }, err
}

// play tells the host what the scene wants until it is over. It knows how far the
// scene is only from what was saved, for the process may be a later one.
func (s *scene) play(ctx context.Context, h *agent.Host) error {
	news := make(chan struct{}, 1)
	defer h.Subscribe(func(u agent.Update) {
		if u.Delta == "" {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	})()
	for {
		c, err := h.Get(ctx, "c1")
		switch {
		case errors.Is(err, agent.ErrNotFound):
			err = h.Send(ctx, "c1", "m1", "Go")
		case err != nil:
		default:
			var over bool
			over, err = s.next(ctx, h, c)
			if over || err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		select {
		case <-news:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

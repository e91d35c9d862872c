package localhub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestWaiterThroughRestarts has a host wait with the plain client, which starts
// nothing, while its hub is killed and started again five times.
func TestWaiterThroughRestarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{})
	if _, err := p.client().List(t.Context(), nil); err != nil { // starts it
		t.Fatal(err)
	}
	opts := &client.Options{}
	opts.Pause.Max = 50 * time.Millisecond
	host, err := client.New(p.Places.Socket(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	var resets, asks atomic.Int32
	ctx, leave := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	go func() {
		watching <- host.Inbox().Watch(ctx, func(c hub.Change) {
			switch {
			case c.Reset:
				resets.Add(1)
			case c.Ticket != nil && c.Ticket.Ask.ID == "a1":
				asks.Add(1)
			}
		})
	}()
	outcomes := make(chan *sayso.Outcome, 2)
	for range 2 { // two hosts with the same call share the one answer
		go func() {
			o, err := host.Ask(t.Context(), ask("a1", "Which database?"))
			if err != nil {
				t.Error(err)
			}
			outcomes <- o
		}()
	}
	person := p.client()
	for asks.Load() == 0 { // told of through the stream
		runtime.Gosched()
	}
	for range 5 {
		p.kill()
		if _, err := person.List(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	page, err := person.List(t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	if _, err := person.Answer(t.Context(), page.Tickets[0], answer("SQLite")); err != nil {
		t.Fatal(err)
	}
	p.kill() // once more, before or after the hosts have it
	if _, err := person.List(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if o := <-outcomes; o == nil || o.Answers[0].Other != "SQLite" {
			t.Errorf("got %+v", o)
		}
	}
	leave()
	<-watching
	if resets.Load() == 0 || asks.Load() == 0 {
		t.Errorf("the inbox was told of %d resets and %d asks", resets.Load(), asks.Load())
	}
}

// network is a way to a socket that can be cut for everybody at once.
type network struct {
	path  string
	mu    sync.Mutex
	conns map[net.Conn]bool
	dials int
	cuts  int
}

func (n *network) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", n.path)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[c] = true
	n.dials++
	return c, nil
}

func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		c.Close()
	}
	clear(n.conns)
	n.cuts++
}

// TestReconnectStorm cuts the connections of all clients at once, three times in
// each cycle, while their asks are answered: none of the answers is lost, and each
// gets its own. SAYSO_FIGURES runs 500 clients for 5 cycles.
func TestReconnectStorm(t *testing.T) {
	clients, cycles := 40, 2
	if os.Getenv("SAYSO_FIGURES") != "" {
		clients, cycles = 500, 5
	}
	n := serveHere(t)
	var given atomic.Int32 // answers
	stop := answerAll(t, n.client(t), func() {
		if at := given.Add(1); int(at)%(clients/4) == 0 {
			n.cut()
		}
	})
	var lost atomic.Int32
	hosts := make([]*client.Client, clients)
	for i := range hosts {
		hosts[i] = n.client(t)
	}
	for cycle := range cycles {
		var work sync.WaitGroup
		for i, c := range hosts {
			work.Go(func() {
				id := fmt.Sprintf("a%d-%d", i, cycle)
				o, err := c.Ask(t.Context(), ask(id, "Which database?"))
				if err != nil || o.Answers[0].Other != "answer to "+id {
					lost.Add(1)
					t.Errorf("%s: %+v, %v", id, o, err)
				}
			})
		}
		work.Wait()
	}
	stop()
	t.Logf("%d asks, %d cuts, %d connections, %d lost", clients*cycles, n.cuts, n.dials, lost.Load())
	if n.cuts < 3*cycles || n.dials < clients*cycles {
		t.Error("the storm was none")
	}
}

// answerAll answers everything that it is told of, each once, and calls then.
func answerAll(t *testing.T, person *client.Client, then func()) (stop func()) {
	ctx, leave := context.WithCancel(t.Context())
	tickets := make(chan *hub.Ticket, 10_000)
	var work sync.WaitGroup
	work.Go(func() {
		defer close(tickets)
		seen := map[string]bool{}
		person.Watch(ctx, nil, func(c hub.Change) {
			if c.Ticket != nil && c.Ticket.Open() && !seen[c.Ticket.Handle] {
				seen[c.Ticket.Handle] = true
				tickets <- c.Ticket
			}
		})
	})
	for range 16 {
		work.Go(func() {
			for ticket := range tickets {
				for { // a storm may outlast the patience for one request
					_, err := person.Answer(t.Context(), ticket, answer("answer to "+ticket.Ask.ID))
					if err == nil {
						break
					}
					if !errors.Is(err, sayso.ErrUnreachable) {
						t.Error(err)
						break
					}
				}
				then()
			}
		})
	}
	return func() { leave(); work.Wait() }
}

// serveHere runs a hub in this process.
func serveHere(t *testing.T) *network {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		t.Fatal(err)
	}
	places := Places{State: filepath.Join(dir, "state"), Runtime: filepath.Join(dir, "run")}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Serve(ctx, &ServeOptions{
			Places: places, Ready: func(*Serving) { close(ready) },
			Quota: httpapi.Quota{Open: -1, Rate: -1, Waits: -1, Streams: -1},
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return &network{path: places.Socket(), conns: map[net.Conn]bool{}}
}

func (n *network) client(t *testing.T) *client.Client {
	t.Helper()
	opts := &client.Options{Dial: n.dial}
	opts.Pause.Max = 100 * time.Millisecond
	c, err := client.New(n.path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

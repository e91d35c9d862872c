package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/webhook"
)

// receiver takes webhooks from the nodes.
type receiver struct {
	mu    sync.Mutex
	nodes []string                  // of the hosts that sent, in order
	ids   map[string]map[string]int // by ask and type: how often each message came
}

// startReceiver listens where the nodes reach it, and returns its address.
func startReceiver(t *testing.T, c *cluster) (*receiver, string) {
	t.Helper()
	r := &receiver{ids: map[string]map[string]int{}}
	ln, err := net.Listen("tcp", net.JoinHostPort(c.network.Gateway(), "0"))
	must(t, err)
	s := &http.Server{Handler: r}
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(ln) }()
	t.Cleanup(func() { s.Close(); <-done })
	return r, "http://" + ln.Addr().String() + "/hook"
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var m webhook.Message
	if err := json.NewDecoder(req.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	host, _, _ := net.SplitHostPort(req.RemoteAddr)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = append(r.nodes, host)
	key := m.Type + " " + m.Data.ID
	if r.ids[key] == nil {
		r.ids[key] = map[string]int{}
	}
	r.ids[key][req.Header.Get("webhook-id")]++
}

// from returns the host that sent last, and how many messages came.
func (r *receiver) from() (string, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.nodes) == 0 {
		return "", 0
	}
	return r.nodes[len(r.nodes)-1], len(r.nodes)
}

// told returns the messages that came about an ask, by their ids.
func (r *receiver) told(kind, handle string) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[kind+" "+handle]
}

// TestNotifyOnce: while the node that sends the notifications is killed again and again,
// every ask is told, and none twice.
func TestNotifyOnce(t *testing.T) {
	clusters(t)
	c := newCluster(t, "")
	for _, n := range c.nodes {
		n.args = append(n.args, "--notify-allow", c.network.Gateway())
	}
	start(c.nodes...)
	c.makeKeys()
	r, address := startReceiver(t, c)
	c.nodes[0].run("notify", "add", "webhook", address)
	within(t, "no test arrives", func(context.Context) error {
		if _, n := r.from(); n == 0 {
			return fmt.Errorf("nothing came")
		}
		return nil
	})

	ctx, stop := context.WithCancel(t.Context())
	var handles []string
	var asking sync.WaitGroup
	asker := c.any().client(t, c.asker)
	asking.Go(func() {
		tick := time.NewTicker(either(200*time.Millisecond, 50*time.Millisecond))
		defer tick.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			a := newAsk(fmt.Sprint("told-", i), "")
			a.To = nil // whoever is there: the owner is told of all
			tk, err := asker.Submit(context.WithoutCancel(ctx), a)
			if err != nil {
				t.Errorf("asking: %v", err)
				return
			}
			handles = append(handles, tk.Handle)
			<-tick.C
		}
	})

	defer asking.Wait()
	defer stop()
	kills := either(3, 10)
	for range kills {
		host, before := r.from()
		within(t, "nothing more is sent", func(context.Context) error {
			var now int
			if t.Failed() {
				t.FailNow()
			}
			if host, now = r.from(); now < before+5 {
				return fmt.Errorf("%d messages since the last kill", now-before)
			}
			return nil
		})
		i := slices.Index(c.network.Hosts(), host)
		if i < 0 {
			t.Fatalf("%s is no node", host)
		}
		t.Logf("%s sends; killing it after %d messages", c.nodes[i].name, before)
		c.nodes[i].Kill()
		within(t, "no other node sends", func(context.Context) error {
			if now, _ := r.from(); now == host {
				return fmt.Errorf("still none but %s", c.nodes[i].name)
			}
			return nil
		})
		start(c.nodes[i])
	}
	stop()
	asking.Wait()

	twice, again := 0, 0
	for _, h := range handles {
		within(t, "an ask is told to nobody", func(context.Context) error {
			if len(r.told(webhook.TypeWaiting, h)) == 0 {
				return fmt.Errorf("%s", h)
			}
			return nil
		})
		ids := r.told(webhook.TypeWaiting, h)
		if len(ids) > 1 {
			twice++
		}
		for _, n := range ids {
			again += n - 1
		}
	}
	if twice > 0 {
		t.Errorf("%d asks are told more than once", twice)
	}
	t.Logf("%d asks while the node that notifies was killed %d times: all told, %d of them twice; %d messages were repeated with the same id", len(handles), kills, twice, again)
}

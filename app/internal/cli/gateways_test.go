//go:build unix

package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// balancer passes requests to the first of two gateways for as long as it is ready:
// it looks before each, as a load balancer does with its checks.
type balancer struct{ first, second *server }

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	to := b.first
	if status, _, _ := to.get("/readyz"); status != 200 {
		to = b.second
	}
	at, err := url.Parse(to.url)
	if err != nil {
		return nil, err
	}
	next := r.Clone(r.Context())
	next.URL.Host, next.Host = at.Host, at.Host
	next.Header.Set("Authorization", "Bearer "+to.key)
	return http.DefaultTransport.RoundTrip(next)
}

// TestGatewayLeaves: whoever waits at a gateway that ends goes on at the other one, and
// misses nothing.
func TestGatewayLeaves(t *testing.T) {
	t.Parallel()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "seed")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: t.TempDir(), Client: &natsserver.ClientOptions{Listen: "127.0.0.1:0", Keys: []string{public}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(context.WithoutCancel(t.Context())) })
	at := []string{"--nats", "nats://" + store.Addr().String(), "--nats-nkey", file, "--drain", "300ms"}
	b := &balancer{serve(t, "", at...), serve(t, "", at...)}
	c, err := client.New("http://localhost", &client.Options{Transport: b})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const n = 40
	tickets := make([]*hub.Ticket, n)
	var waiting sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for i := range n {
		ask := &sayso.Ask{ID: fmt.Sprint("a", i), Questions: []sayso.Question{{Text: "Which?"}}}
		ask.Normalize()
		if tickets[i], err = c.Submit(ctx, ask); err != nil {
			t.Fatal(err)
		}
		waiting.Go(func() {
			got, err := c.Wait(ctx, tickets[i].Handle)
			if err != nil || got.Outcome.Reason != fmt.Sprint("because ", i) {
				t.Errorf("waiting for %d: %v, %v", i, got, err)
			}
		})
	}
	waits := func(s *server) string {
		_, body, _ := s.get("/metrics")
		_, rest, _ := strings.Cut(body, "\nsayso_waits ")
		count, _, _ := strings.Cut(rest, "\n")
		return count
	}
	until(t, "all wait at the first gateway", func() bool { return waits(b.first) == fmt.Sprint(n) })
	began := time.Now()
	b.first.signal(syscall.SIGTERM)
	until(t, "all wait at the second gateway", func() bool { return waits(b.second) == fmt.Sprint(n) })
	t.Logf("%d waiters are at the other gateway %v after the signal, 300 ms of which are the drain", n, time.Since(began).Round(time.Millisecond))
	for i, ticket := range tickets {
		if _, err := c.Decline(ctx, ticket, fmt.Sprint("because ", i)); err != nil {
			t.Error(err)
		}
	}
	waiting.Wait()
	if err := <-b.first.done; err != nil {
		t.Errorf("the first gateway ended with %v\n%s", err, b.first.text())
	}
	if log := b.first.text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("its log has\n%s", log)
	}
}

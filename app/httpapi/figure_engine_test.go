package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// pair asks, answers and takes the outcome, once.
type pair func(ctx context.Context, id string) error

// TestFigure_P6 measures what the API costs: asks answered a second through HTTP
// on a Unix socket, as a ratio of the hub called in the same process, both over
// the product's store, which has every write on the disk before it says so.
func TestFigure_P6(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	for _, store := range []string{"disk", "memory"} {
		h := openHub(t, store)
		direct, over := inProcess(h), overSocket(t, h)
		for _, clients := range []int{1, 16, 256} {
			// Turn by turn, as the machine has other work, too.
			var a, b float64
			for round := range 3 {
				a += rate(t, direct, clients, fmt.Sprint(store, clients, "d", round))
				b += rate(t, over, clients, fmt.Sprint(store, clients, "h", round))
			}
			if store == "disk" {
				t.Logf("FIGURE P6 %.2f ratio at %d clients (%.0f/s in process, %.0f/s over HTTP)", b/a, clients, a/3, b/3)
			} else {
				t.Logf("in memory: %.3f ratio at %d clients (%.0f/s in process, %.0f/s over HTTP)", b/a, clients, a/3, b/3)
			}
		}
	}
}

func openHub(t testing.TB, kind string) *hub.Hub {
	t.Helper()
	ctx := t.Context()
	var store hub.Store = hub.NewMemory(nil)
	if kind == "disk" {
		server, err := natsserver.Start(ctx, &natsserver.Options{Dir: filepath.Join(t.TempDir(), "store")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close(context.Background()) })
		nc, err := server.Conn(ctx, "test")
		if err != nil {
			t.Fatal(err)
		}
		disk, err := natsstore.Open(ctx, nc, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { disk.Close() })
		store = disk
	}
	h, err := hub.Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

var by = sayso.Responder{Kind: sayso.ByPerson, ID: "ada", Surface: "bench"}

func ask(id string) *sayso.Ask {
	return &sayso.Ask{ID: id, Questions: []sayso.Question{{ID: "q", Header: "Database", Text: "Which database?", Options: []sayso.Option{
		{ID: "pg", Label: "PostgreSQL", Description: "a server"}, {ID: "lite", Label: "SQLite", Description: "a file"},
	}}}}
}

func inProcess(h *hub.Hub) pair {
	return func(ctx context.Context, id string) error {
		t, err := h.Submit(ctx, "acme", ask(id))
		if err != nil {
			return err
		}
		o := &sayso.Outcome{Status: sayso.StatusAnswered, By: by, Answers: []sayso.Answer{{QuestionID: "q", Selected: []string{"pg"}}}}
		if _, err := h.Close(ctx, t, o, nil); err != nil {
			return err
		}
		_, err = h.Wait(ctx, t.Address)
		return err
	}
}

func overSocket(t testing.TB, h *hub.Hub) pair {
	t.Helper()
	peers := &auth.Peers{UID: os.Getuid(), Who: auth.Principal{Tenant: "acme", ID: "ada", Role: auth.Everything}}
	handler, err := httpapi.New(h, &httpapi.Options{Auth: peers, Quota: httpapi.Quota{Open: -1, Rate: -1, Waits: -1}})
	if err != nil {
		t.Fatal(err)
	}
	server := handler.HTTPServer()
	server.ConnContext = peers.ConnContext
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(func() { handler.Close(); server.Close() })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	t.Cleanup(client.CloseIdleConnections)
	do := func(ctx context.Context, method, path string, body, into any) error {
		var data []byte
		if body != nil {
			if data, err = json.Marshal(body); err != nil {
				return err
			}
		}
		req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode > 299 {
			return fmt.Errorf("%d %s %w", resp.StatusCode, text, err)
		}
		return json.Unmarshal(text, into)
	}
	return func(ctx context.Context, id string) error {
		var t api.Ticket
		if err := do(ctx, "POST", "/v1/asks", ask(id), &t); err != nil {
			return err
		}
		answer := api.AnswerRequest{Digest: t.Digest, Surface: "bench", Answers: []sayso.Answer{{QuestionID: "q", Selected: []string{"pg"}}}}
		if err := do(ctx, "PUT", "/v1/asks/"+t.ID+"/answer", &answer, &t); err != nil {
			return err
		}
		return do(ctx, "GET", "/v1/asks/"+t.ID+"?wait=60s", nil, &t)
	}
}

// rate returns how many pairs a second so many clients get done.
func rate(t *testing.T, p pair, clients int, name string) float64 {
	t.Helper()
	const last = 2 * time.Second
	var done atomic.Int64
	var work sync.WaitGroup
	start := time.Now()
	for c := range clients {
		work.Go(func() {
			for i := 0; time.Since(start) < last; i++ {
				if err := p(t.Context(), fmt.Sprint(name, "-", c, "-", i)); err != nil {
					t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	work.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

// BenchmarkPair is for a look at what a pair is spent on.
func BenchmarkPair(b *testing.B) {
	for name, make := range map[string]func(testing.TB, *hub.Hub) pair{
		"direct": func(_ testing.TB, h *hub.Hub) pair { return inProcess(h) },
		"api":    overSocket,
	} {
		b.Run(name, func(b *testing.B) {
			p := make(b, openHub(b, "memory"))
			for i := 0; b.Loop(); i++ {
				if err := p(b.Context(), fmt.Sprint("b", i)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

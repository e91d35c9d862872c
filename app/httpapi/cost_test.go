package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// counting counts the tickets that a store hands out.
type counting struct {
	hub.Store
	listed, told atomic.Int64
}

func (c *counting) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := c.Store.List(ctx, q)
	if tickets(q) && q.Due.IsZero() { // else it looks for deadlines
		c.listed.Add(int64(len(page.Records)))
	}
	return page, err
}

func (c *counting) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	return c.Store.Watch(ctx, q, ready, func(r hub.Record) {
		if tickets(q) && r.Kind != "" {
			c.told.Add(1)
		}
		fn(r)
	})
}

func tickets(q hub.Query) bool { return q.Kind == "" || q.Kind == hub.KindTicket }

// one is who makes every request.
type one struct{ who auth.Principal }

func (o one) Authenticate(*http.Request) (*auth.Principal, error) { who := o.who; return &who, nil }

// TestStreamCost: what it takes to open a person's stream, and to keep it open, does
// not depend on what waits for others.
func TestStreamCost(t *testing.T) {
	const own, others = 10, 100
	var took [2]int64
	for i, waiting := range []int{200, 20_000} {
		store := &counting{Store: hub.NewMemory(nil)}
		h, err := hub.Open(t.Context(), store, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		submit := func(id, person string) {
			t.Helper()
			a := ask(id)
			a.To = []string{person}
			if _, err := h.Submit(t.Context(), "acme", a); err != nil {
				t.Fatal(err)
			}
		}
		for n := range waiting {
			submit(fmt.Sprint("w", n), fmt.Sprint("p", n/own))
		}
		api, err := httpapi.New(h, &httpapi.Options{Auth: one{auth.Principal{Tenant: "acme", ID: "p7", Role: auth.Answerer, Assurance: sayso.AssuranceKey}}})
		if err != nil {
			t.Fatal(err)
		}
		defer api.Close()
		server := httptest.NewServer(api)
		defer server.Close()
		resp, err := http.Get(server.URL + "/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		limit := time.AfterFunc(time.Minute, func() { resp.Body.Close() })
		defer limit.Stop()
		lines := bufio.NewReader(resp.Body)
		until := func(event string) (asks int) {
			t.Helper()
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("waiting for %s: %v", event, err)
				}
				name, ok := strings.CutPrefix(strings.TrimSpace(line), "event: ")
				if ok && name == "ask" {
					asks++
				}
				if ok && name == event {
					return asks
				}
			}
		}
		if got := until("ready"); got != own {
			t.Errorf("%d wait: the stream tells %d asks, want %d", waiting, got, own)
		}
		took[i] = store.listed.Load()
		before := store.told.Load()
		for n := range others {
			submit(fmt.Sprint("o", n), "somebody")
		}
		submit("mine", "p7")
		until("ask")
		if told := store.told.Load() - before; told > 5 {
			t.Errorf("%d wait: the gateway heard of %d changes, and one concerned it", waiting, told)
		}
		if listed := store.listed.Load() - took[i]; listed > own {
			t.Errorf("%d wait: %d more records were read for one event", waiting, listed)
		}
	}
	if took[0] != took[1] || took[1] > 5*own {
		t.Errorf("a stream with %d asks reads %d records beside 200, %d beside 20,000", own, took[0], took[1])
	}
}

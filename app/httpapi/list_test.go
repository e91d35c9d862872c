package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// chunkStore notes the largest page, and breaks after a number of them.
type chunkStore struct {
	hub.Store
	largest, left atomic.Int64
}

func (s *chunkStore) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if s.left.Add(-1) == 0 {
		return hub.Page{}, errors.New("no disk")
	}
	page, err := s.Store.List(ctx, q)
	size := int64(0)
	for _, r := range page.Records {
		size += int64(len(r.Data))
	}
	if size > s.largest.Load() {
		s.largest.Store(size)
	}
	return page, err
}

// large stores and withdraws asks of about 200 KB each.
func large(t *testing.T, w *world, n int) {
	for i := range n {
		tk := w.ask(t, fmt.Sprint("a", i), func(a *sayso.Ask) { a.Questions[0].Body = strings.Repeat("x", 200_000) })
		must[api.Ticket](t, w, "bot", "POST", "/v1/asks/"+tk.ID+"/withdraw", "")
	}
}

// A list of large asks comes in pages of a few megabytes, read in smaller parts,
// and holds each ask once.
func TestListIsStreamed(t *testing.T) {
	store := &chunkStore{Store: hub.NewMemory(nil)}
	w := newWorldOver(t, store, nil, &Options{Quota: Quota{Rate: -1, Reads: -1}})
	const n = 60
	large(t, w, n)
	seen, pages := map[string]int{}, 0
	for next := ""; pages == 0 || next != ""; pages++ {
		rec := w.do("bot", "GET", "/v1/asks?status=any&limit=1000&cursor="+next, "")
		if rec.Body.Len() > pageBytes+chunkBytes {
			t.Errorf("a page of %d bytes", rec.Body.Len())
		}
		page := decoded[api.TicketPage](t, rec.Body.Bytes())
		for _, tk := range page.Tickets {
			seen[tk.ID]++
		}
		next = page.Next
	}
	if len(seen) != n || pages < 3 || pages > 6 {
		t.Errorf("%d of %d asks in %d pages", len(seen), n, pages)
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s comes %d times", id, times)
		}
	}
	if most := store.largest.Load(); most > chunkBytes+hub.MaxData {
		t.Errorf("%d bytes were in memory at once", most)
	}
}

// A list that breaks in the middle breaks off: it does not look complete.
func TestListBreaksOff(t *testing.T) {
	store := &chunkStore{Store: hub.NewMemory(nil)}
	w := newWorldOver(t, store, nil, &Options{Quota: Quota{Rate: -1}})
	large(t, w, 20)
	url := w.listen(t)
	get := func() (int, error) {
		req := w.request("bot", "GET", "/v1/asks?status=any&limit=1000", "")
		req, err := http.NewRequest("GET", url+req.URL.RequestURI(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.key["bot"])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
	store.left.Store(2)
	if status, err := get(); status != 200 || err == nil {
		t.Errorf("broken in the middle: %d, %v", status, err)
	}
	store.left.Store(1)
	if status, err := get(); status != 500 || err != nil {
		t.Errorf("broken at the start: %d, %v", status, err)
	}
	store.left.Store(0)
	if status, err := get(); status != 200 || err != nil {
		t.Errorf("whole: %d, %v", status, err)
	}
}

// Reads cost what they read; who has read too much waits until that is made up.
func TestQuotaReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &Options{Quota: Quota{Rate: -1, Reads: 100_000}})
		large(t, w, 20)
		n := 0
		var p api.Problem
		for ; n < 100 && p.Quota == nil; n++ {
			if rec := w.do("bot", "GET", "/v1/asks?status=any", ""); rec.Code != 200 {
				p = decoded[api.Problem](t, rec.Body.Bytes())
			}
		}
		if n != 2 || p.Quota == nil || p.Quota.Name != "reads" || p.Quota.Used <= p.Quota.Limit || p.Quota.Retry < 10 {
			t.Fatalf("%d lists of 4 MB, then %+v", n, p)
		}
		if rec := w.do("bot2", "GET", "/v1/asks?status=any", ""); rec.Code != 200 {
			t.Errorf("another asker: %d", rec.Code)
		}
		if rec := w.do("bot", "POST", "/v1/asks", `{"id":"more","questions":[{"text":"Which?"}]}`); rec.Code != 201 {
			t.Errorf("asking: %d", rec.Code)
		}
		if ctx := t.Context(); !sleep(ctx, secondsOf(p.Quota.Retry)) {
			t.Fatal(ctx.Err())
		}
		if rec := w.do("bot", "GET", "/v1/asks?status=any&limit=1", ""); rec.Code != 200 {
			t.Errorf("when it said to retry: %d %s", rec.Code, rec.Body)
		}
	})
}

// What others stored costs a quarter of what it would cost them.
func TestQuotaReadsOfOthers(t *testing.T) {
	now := time.Now() // stands still: nothing is paid back meanwhile
	w := newWorld(t, &Options{Quota: Quota{Rate: -1, Reads: 1 << 20}, Now: func() time.Time { return now }})
	large(t, w, 20)
	w.do("bot2", "GET", "/v1/asks?status=any&limit=1000", "")
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	for h, u := range w.limits.all {
		if h.id != "bot2" {
			continue
		}
		if spent := readBurst<<20 - u.budget.left; spent < 800_000 || spent > 1_300_000 {
			t.Errorf("a list of nothing beside 4 MB of others costs %.0f", spent)
		}
	}
}

func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }

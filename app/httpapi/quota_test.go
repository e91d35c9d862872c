package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/api"
)

func TestQuotaOpen(t *testing.T) {
	w := newWorld(t, nil)
	var first api.Ticket
	for i := range 50 {
		tk := w.ask(t, fmt.Sprint("a", i))
		if i == 0 {
			first = tk
		}
	}
	more := `{"id":"more","questions":[{"text":"Which?"}]}`
	rec := w.do("bot", "POST", "/v1/asks", more)
	if after, err := strconv.Atoi(rec.Header().Get("Retry-After")); rec.Code != http.StatusTooManyRequests || err != nil || after < 1 {
		t.Fatalf("the 51st ask: %d, retry after %q", rec.Code, rec.Header().Get("Retry-After"))
	}
	w.ask(t, "a7") // the same ask again takes no room
	if rec := w.do("bot2", "POST", "/v1/asks", more); rec.Code != http.StatusCreated {
		t.Errorf("another asker: %d", rec.Code)
	}
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+first.ID+"/answer", answerBody(first, "pg"))
	eventually(t, func() bool {
		return w.do("bot", "POST", "/v1/asks", `{"id":"next","questions":[{"text":"Which?"}]}`).Code < 300
	})
	if rec := w.do("bot", "POST", "/v1/asks", `{"id":"over","questions":[{"text":"Which?"}]}`); rec.Code != http.StatusTooManyRequests {
		t.Errorf("one answered, two asked: %d", rec.Code)
	}
	// A refused ask takes no room, nor does one that is closed already.
	for range 5 {
		w.ask(t, "a0")
	}
	if n := w.waiting(t); n != 51 {
		t.Errorf("%d wait, want 51", n)
	}
}

// However many ask at once, no more than the quota get in.
func TestQuotaRace(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Open: 10, Rate: -1}})
	var mu sync.Mutex
	codes := map[int]int{}
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() {
			rec := w.do("bot", "POST", "/v1/asks", fmt.Sprintf(`{"id":"a%d","questions":[{"text":"Which?"}]}`, i))
			mu.Lock()
			defer mu.Unlock()
			codes[rec.Code]++
		})
	}
	work.Wait()
	if codes[201] != 10 || codes[429] != 30 {
		t.Errorf("%v", codes)
	}
}

func TestQuotaRate(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Rate: 0.1, Burst: 3}})
	for i := range 3 {
		w.ask(t, fmt.Sprint("a", i))
	}
	rec := w.do("bot", "POST", "/v1/asks", `{"questions":[{"text":"Which?"}]}`)
	if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "10" {
		t.Errorf("%d, retry after %q", rec.Code, rec.Header().Get("Retry-After"))
	}
	if rec := w.do("bot", "GET", "/v1/asks", ""); rec.Code != http.StatusOK {
		t.Errorf("reading: %d", rec.Code)
	}
}

func TestQuotaStreamsAndWaits(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Streams: 2, Waits: 3}})
	tk := w.ask(t, "a1")
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	open := func(path string, n int) {
		for range n {
			work.Go(func() {
				w.ServeHTTP(httptest.NewRecorder(), w.request("ada", "GET", path, "").WithContext(ctx))
			})
		}
	}
	open("/v1/events", 2)
	open("/v1/asks/"+tk.ID+"?wait=1m", 3)
	eventually(t, func() bool { return w.limitsInUse() == 5 })
	for _, path := range []string{"/v1/events", "/v1/conversations/c1/events", "/conversations/c1/events", "/v1/asks/" + tk.ID + "?wait=1m"} {
		if rec := w.do("ada", "GET", path, ""); rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
	if rec := w.cell("bob", "GET", "/v1/events", "", true); rec.Code != http.StatusOK {
		t.Errorf("another person: %d", rec.Code)
	}
	cancel()
	work.Wait()
	if n := w.limitsInUse(); n != 0 {
		t.Errorf("%d are still counted", n)
	}
}

func TestWaitReturnsWhenAnswered(t *testing.T) {
	w := newWorld(t, nil)
	tk := w.ask(t, "a1")
	got := make(chan api.Ticket, 1)
	go func() { got <- must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+tk.ID+"?wait=1m", "") }()
	eventually(t, func() bool { return w.limitsInUse() == 1 })
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
	select {
	case tk := <-got:
		if tk.Open() || tk.Outcome.By.ID != "ada" {
			t.Errorf("%+v", tk)
		}
	case <-time.After(soon):
		t.Error("the wait goes on")
	}
}

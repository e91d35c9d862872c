package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// beside makes a request beside the test.
func (w *world) beside(ctx context.Context, who, method, path, body string) <-chan *httptest.ResponseRecorder {
	done := make(chan *httptest.ResponseRecorder, 1)
	req := w.request(who, method, path, body).WithContext(ctx)
	go func() {
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, req)
		done <- rec
	}()
	return done
}

// One request asks, waits and takes the outcome. It writes three times: the ask,
// the close, and that the asker has it.
func TestOneRequest(t *testing.T) {
	const claude = "/v1/dialects/claude/call?wait=1m"
	call := `{"id":"a1","arguments":` + toolCall + `}`
	for _, c := range []struct {
		name, path, body, want string
		before                 bool // the ask is stored already
		consumed               bool
		puts                   int
	}{
		{name: "asks, waits and takes", path: "/v1/asks?wait=1m&consume=1", body: askA1, want: `"consumed":`, consumed: true, puts: 3},
		{name: "asks and waits", path: "/v1/asks?wait=1m", body: askA1, want: `"status":"answered"`, puts: 2},
		{name: "finds the ask", path: "/v1/asks?wait=60&consume=1", body: askA1, want: `"consumed":`, before: true, consumed: true, puts: 3},
		{name: "waits and takes by handle", path: "/v1/asks/{id}/consumed?wait=1m", want: `"consumed":`, before: true, consumed: true, puts: 3},
		{name: "calls", path: claude, body: call, want: `SQLite`, consumed: true, puts: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &countingStore{Store: hub.NewMemory(nil)}
			w := newWorldOver(t, store, nil, nil)
			path := c.path
			if c.before {
				path = strings.ReplaceAll(path, "{id}", must[api.Ticket](t, w, "bot", "POST", "/v1/asks", askA1).ID)
			}
			reply := w.beside(t.Context(), "bot", "POST", path, c.body)
			tk := w.firstAttached(t)
			o := &sayso.Outcome{
				Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ada"},
				Answers: []sayso.Answer{{QuestionID: tk.Ask.Questions[0].ID, Other: "SQLite"}},
			}
			if _, err := w.hub.Close(t.Context(), tk, o, nil); err != nil {
				t.Fatal(err)
			}
			rec := <-reply
			if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), c.want) {
				t.Errorf("%d %s, want %s", rec.Code, rec.Body, c.want)
			}
			stored, err := w.hub.Get(t.Context(), tk.Address)
			if err != nil {
				t.Fatal(err)
			}
			if has := !stored.Consumed.IsZero(); has != c.consumed || store.count() != c.puts {
				t.Errorf("consumed: %v, want %v; %d writes, want %d", has, c.consumed, store.count(), c.puts)
			}
		})
	}
}

// firstAttached returns the only ask once somebody waits for it.
func (w *world) firstAttached(t *testing.T) *hub.Ticket {
	t.Helper()
	var found *hub.Ticket
	eventually(t, func() bool {
		page, err := w.hub.List(t.Context(), "acme", nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Tickets) == 1 {
			found = page.Tickets[0]
		}
		return found != nil && w.hub.Attached(found.Address)
	})
	return found
}

// A client whose connection was cut sends the same request again: nobody is asked
// twice, and an outcome that got lost on the way is told again.
func TestOneRequestAgain(t *testing.T) {
	w := newWorld(t, nil)
	const path = "/v1/asks?wait=1m&consume=1"
	ctx, cut := context.WithCancel(t.Context())
	lost := w.beside(ctx, "bot", "POST", path, askA1)
	first := w.firstAttached(t)
	cut()
	<-lost
	reply := w.beside(t.Context(), "bot", "POST", path, askA1)
	tk := w.firstAttached(t)
	if tk.Address != first.Address {
		t.Fatalf("asked %v and then %v", first.Address, tk.Address)
	}
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+w.hub.Handle(tk.Address)+"/answer", answerBody(api.Ticket{Ticket: *tk}, "pg"))
	told := decoded[api.Ticket](t, (<-reply).Body.Bytes())
	again := must[api.Ticket](t, w, "bot", "POST", path, askA1)
	if told.Consumed.IsZero() || !again.Replayed || again.Nonce != told.Nonce || !again.Consumed.Equal(told.Consumed) {
		t.Errorf("told %+v, and then %+v", told.Ticket, again.Ticket)
	}
}

// What was taken back before the asker had it is waited for again.
func TestOneRequestUndone(t *testing.T) {
	store := &undoingStore{Store: hub.NewMemory(nil)}
	w := newWorldOver(t, store, nil, nil)
	store.undo = func(addr hub.Address) {
		must[api.Ticket](t, w, "ada", "POST", "/v1/asks/"+w.hub.Handle(addr)+"/undo", "")
	}
	reply := w.beside(t.Context(), "bot", "POST", "/v1/asks?wait=1m&consume=1", askA1)
	tk := w.firstAttached(t)
	answer := func(option string) {
		must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+w.hub.Handle(tk.Address)+"/answer", answerBody(api.Ticket{Ticket: *tk}, option))
	}
	answer("pg")
	eventually(t, func() bool {
		now, err := w.hub.Get(t.Context(), tk.Address)
		return err == nil && now.Open() && len(now.History) == 1
	})
	answer("lite")
	if rec := <-reply; rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"selected":["lite"]`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// undoingStore lets the person be faster than the first consume.
type undoingStore struct {
	hub.Store
	closed atomic.Int32
	undo   func(hub.Address)
}

func (s *undoingStore) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if r.Kind == hub.KindTicket && r.Closed && s.closed.Add(1) == 2 {
		s.undo(r.Address)
	}
	return s.Store.Put(ctx, r, expect)
}

// Whoever is gone has not got the outcome: it stays for the next request.
func TestOneRequestGone(t *testing.T) {
	w := newWorld(t, nil)
	ctx, cut := context.WithCancel(t.Context())
	reply := w.beside(ctx, "bot", "POST", "/v1/asks?wait=1m&consume=1", askA1)
	tk := w.firstAttached(t)
	cut()
	<-reply
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+w.hub.Handle(tk.Address)+"/answer", answerBody(api.Ticket{Ticket: *tk}, "pg"))
	if now, err := w.hub.Get(t.Context(), tk.Address); err != nil || now.Open() || !now.Consumed.IsZero() {
		t.Errorf("%+v %v", now, err)
	}
	c := &call{s: w.Server, r: w.request("bot", "POST", "/", "").WithContext(ctx)}
	if _, err := w.take(c, tk); !errors.Is(err, context.Canceled) {
		t.Errorf("the outcome was taken for nobody: %v", err)
	}
}

// A server that ends tells those who wait that their ask is stored.
func TestOneRequestStopped(t *testing.T) {
	w := newWorld(t, nil)
	reply := w.beside(t.Context(), "bot", "POST", "/v1/asks?wait=1m&consume=1", askA1)
	tk := w.firstAttached(t)
	w.Close()
	rec := <-reply
	p := decoded[api.Problem](t, rec.Body.Bytes())
	if rec.Code != http.StatusServiceUnavailable || p.Ticket == nil || p.Ticket.ID != w.hub.Handle(tk.Address) || rec.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

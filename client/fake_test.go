package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// fake speaks enough of the API over a hub in memory to try the client on. The
// real server is tried in the app module.
type fake struct {
	t   *testing.T
	srv *httptest.Server

	mu     sync.Mutex
	hub    *hub.Hub
	old    bool                                                     // an earlier version, which knows no wait where it is asked
	before func(w http.ResponseWriter, r *http.Request) (done bool) // may spoil a request
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t}
	f.restart()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/asks", f.submit)
	mux.HandleFunc("GET /v1/asks", f.list)
	mux.HandleFunc("GET /v1/asks/{id}", f.get)
	mux.HandleFunc("PUT /v1/asks/{id}/answer", f.answer)
	mux.HandleFunc("POST /v1/asks/{id}/relay", f.relay)
	mux.HandleFunc("POST /v1/asks/{id}/withdraw", f.withdraw)
	mux.HandleFunc("POST /v1/asks/{id}/consumed", f.consumed)
	mux.HandleFunc("POST /v1/asks/{id}/undo", f.undo)
	mux.HandleFunc("/v1/asks/{id}/draft", f.draft)
	f.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		before := f.before
		f.mu.Unlock()
		if before == nil || !before(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(f.srv.Close)
	return f
}

// restart puts an empty hub in the place of the old one.
func (f *fake) restart() {
	h, err := hub.Open(f.t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(h.Stop)
	f.mu.Lock()
	old := f.hub
	f.hub = h
	f.mu.Unlock()
	if old != nil {
		old.Stop()
	}
}

func (f *fake) now() *hub.Hub {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hub
}

func (f *fake) spoil(before func(http.ResponseWriter, *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}

func (f *fake) client(opts *client.Options) *client.Client {
	f.t.Helper()
	if opts == nil {
		opts = &client.Options{}
	}
	opts.Pause.Min, opts.Pause.Max = time.Millisecond, 10*time.Millisecond
	c, err := client.New(f.srv.URL, opts)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

var person = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}

// say answers as soon as the ask is there.
func (f *fake) say(id, words string) *hub.Ticket {
	f.t.Helper()
	in := f.now().Inbox("t", person)
	t := f.find(id)
	closed, err := in.Close(f.t.Context(), t, answered(t.Ask, words))
	if err != nil {
		f.t.Error(err)
	}
	return closed
}

func answered(a *sayso.Ask, words string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: a.Questions[0].ID, Other: words}}}
}

// find waits until the ask is there.
func (f *fake) find(id string) *hub.Ticket {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 2*time.Minute)
	defer cancel()
	var found *hub.Ticket
	f.now().Watch(ctx, "t", nil, func(c hub.Change) {
		list, _ := f.now().List(ctx, "t", &hub.Filter{Status: hub.AnyStatus})
		for _, t := range list.Tickets {
			if t.Ask.ID == id {
				found = t
				cancel()
			}
		}
	})
	if found == nil {
		f.t.Fatal("the ask did not come")
	}
	return found
}

func (f *fake) submit(w http.ResponseWriter, r *http.Request) {
	var a sayso.Ask
	json.NewDecoder(r.Body).Decode(&a)
	a.Normalize()
	h := f.now()
	t, err := h.Submit(r.Context(), "t", &a)
	if err == nil && !f.old {
		t, err = f.outcome(r, h, t)
	}
	f.reply(w, t, err)
}

// outcome waits and consumes as the request says.
func (f *fake) outcome(r *http.Request, h *hub.Hub, t *hub.Ticket) (*hub.Ticket, error) {
	wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	closed, err := h.Wait(ctx, t.Address)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return t, nil
	case err != nil:
		return nil, err
	}
	if r.URL.Query().Get("consume") == "1" {
		return h.Consume(r.Context(), closed)
	}
	return closed, nil
}

func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	page, err := f.now().List(r.Context(), "t", &hub.Filter{
		Conversation: q.Get("conversation"), Status: sayso.Status(q.Get("status")), Cursor: q.Get("cursor"), Limit: 2,
		Unconsumed: !f.old && q.Get("consumed") == "false",
	})
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	out := api.TicketPage{Next: page.Next}
	for _, t := range page.Tickets {
		out.Tickets = append(out.Tickets, *f.view(t))
	}
	json.NewEncoder(w).Encode(out)
}

func (f *fake) get(w http.ResponseWriter, r *http.Request) {
	addr, err := f.now().Address(r.PathValue("id"))
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	t, err := f.now().Wait(ctx, addr)
	if errors.Is(err, context.DeadlineExceeded) {
		t, err = f.now().Get(r.Context(), addr)
	}
	f.reply(w, t, err)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) {
	var body struct {
		sayso.Outcome
		Digest, Surface string
	}
	json.NewDecoder(r.Body).Decode(&body)
	addr, err := f.now().Address(r.PathValue("id"))
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	body.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: body.Surface}
	t, err := f.now().Close(r.Context(), &hub.Ticket{Address: addr, Digest: body.Digest}, &body.Outcome, nil)
	f.reply(w, t, err)
}

func (f *fake) relay(w http.ResponseWriter, r *http.Request) {
	var body api.RelayRequest
	json.NewDecoder(r.Body).Decode(&body)
	addr, err := f.now().Address(r.PathValue("id"))
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	o := &sayso.Outcome{Status: body.Status, Answers: body.Answers, Reply: body.Reply, Reason: body.Reason, By: sayso.Responder{Surface: body.Surface}}
	t, err := f.now().Relay(r.Context(), &hub.Ticket{Address: addr, Digest: body.Digest}, o, sayso.Responder{ID: "robot"})
	f.reply(w, t, err)
}

func (f *fake) withdraw(w http.ResponseWriter, r *http.Request) {
	var body api.WithdrawRequest
	json.NewDecoder(r.Body).Decode(&body)
	addr, _ := f.now().Address(r.PathValue("id"))
	t, err := f.now().Withdraw(r.Context(), &hub.Ticket{Address: addr}, body.Status, body.Reason, sayso.Responder{ID: "robot"})
	f.reply(w, t, err)
}

func (f *fake) consumed(w http.ResponseWriter, r *http.Request) {
	addr, err := f.now().Address(r.PathValue("id"))
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	h := f.now()
	t, err := h.Get(r.Context(), addr)
	if err == nil && !f.old && r.URL.Query().Has("wait") {
		t, err = f.outcome(r, h, t)
	}
	if err == nil && (f.old || !t.Open()) {
		t, err = h.Consume(r.Context(), t)
	}
	f.reply(w, t, err)
}

func (f *fake) undo(w http.ResponseWriter, r *http.Request) {
	addr, _ := f.now().Address(r.PathValue("id"))
	t, err := f.now().Get(r.Context(), addr)
	if err == nil {
		t, err = f.now().Undo(r.Context(), t, person)
	}
	f.reply(w, t, err)
}

func (f *fake) draft(w http.ResponseWriter, r *http.Request) {
	addr, _ := f.now().Address(r.PathValue("id"))
	if r.Method == http.MethodPut {
		var d hub.Draft
		json.NewDecoder(r.Body).Decode(&d)
		if err := f.now().SaveDraft(r.Context(), addr, "ann", &d); err != nil {
			f.reply(w, nil, err)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	d, err := f.now().Draft(r.Context(), addr, "ann")
	if err != nil {
		f.reply(w, nil, err)
		return
	}
	json.NewEncoder(w).Encode(d)
}

func (f *fake) view(t *hub.Ticket) *api.Ticket {
	return &api.Ticket{ID: f.now().Handle(t.Address), Ticket: *t}
}

func (f *fake) reply(w http.ResponseWriter, t *hub.Ticket, err error) {
	if err == nil {
		json.NewEncoder(w).Encode(f.view(t))
		return
	}
	var closed *hub.ClosedError
	status, p := 503, map[string]any{"type": "unavailable"}
	switch {
	case errors.As(err, &closed):
		status, p = 409, map[string]any{"type": "already-closed", "ticket": f.view(closed.Ticket), "late": closed.Late}
	case errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrHandle):
		status, p = 404, map[string]any{"type": "not-found"}
	case errors.Is(err, hub.ErrNotAllowed):
		status, p = 403, map[string]any{"type": "not-allowed"}
	case errors.Is(err, hub.ErrAssurance):
		status, p = 403, map[string]any{"type": "assurance-too-low"}
	case errors.Is(err, hub.ErrOpen):
		status, p = 409, map[string]any{"type": "open"}
	}
	p["type"] = "urn:sayso:problem:" + p["type"].(string)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(p)
}

// Package telegramtest is a Bot API for tests: strict, and with the people at the other
// end. It was written from Telegram's documentation and from what its own server
// (tdlib/telegram-bot-api) answers; it is not Telegram.
//
// It refuses what Telegram refuses, in the same words, and also what Telegram would
// pass over in silence: fields that it does not know, for one. Updates are kept until an offset
// confirms them, and repeated otherwise. A second poll ends the first with a 409. More
// than a message a second in a chat, or 30 in all, is a 429.
//
//	s := telegramtest.New(t)
//	ann := s.User(42, "ann")
//	c := telegram.New(&telegram.Options{Token: telegramtest.Token, API: s.URL()})
//	…
//	ann.Start("CODE")                    // opens the link of the bot
//	ann.Press(ann.Last().ID, "1. SQLite")
//
// Inside a bubble of testing/synctest use [Server].Client, which needs no network.
package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is the token of the bot, and Bot its user name.
const (
	Token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
	Bot   = "sayso_test_bot"
	botID = 110201543
)

// Call is a request that came in.
type Call struct {
	Method  string
	Body    json.RawMessage
	At      time.Time
	Refusal string // empty: it was done
}

// Fault is something that goes wrong with a call.
type Fault struct {
	// Status is answered instead, with the text and retry_after. Zero: the connection
	// breaks.
	Status     int
	Text       string
	RetryAfter int

	// Done says that the call is done all the same, and only its answer is lost.
	Done bool
}

// Server is the Bot API of one bot.
type Server struct {
	t testing.TB

	mu       sync.Mutex
	web      *httptest.Server
	users    map[int64]*User
	updates  []*update
	nextID   int64
	nextMsg  int64
	queries  map[string]*query
	nextCall int64
	calls    []Call
	allowed  []string
	poll     *poller
	lastPoll struct {
		offset int64
		at     time.Time
	}
	offset  int64 // the highest that was confirmed
	sent    map[int64]time.Time
	all     []time.Time
	relaxed bool
	webhook bool
	fault   func(method string, body json.RawMessage) *Fault
	before  func(method string, body json.RawMessage)
}

// New returns a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{
		t: t, users: map[int64]*User{}, queries: map[string]*query{}, sent: map[int64]time.Time{}, nextID: 873214000, nextMsg: 10,
		allowed: []string{"message", "callback_query"},
	}
	t.Cleanup(func() {
		s.mu.Lock()
		web := s.web
		s.mu.Unlock()
		if web != nil {
			web.CloseClientConnections()
			web.Close()
		}
	})
	return s
}

// URL is the address of the API, on this machine.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.web == nil {
		s.web = httptest.NewServer(s)
	}
	return s.web.URL
}

// Client reaches the server without a network, by any address.
func (s *Server) Client() *http.Client { return &http.Client{Transport: inside{s}} }

type inside struct{ s *Server }

func (in inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	broken := false
	func() {
		defer func() {
			if p := recover(); p == http.ErrAbortHandler {
				broken = true
			} else if p != nil {
				panic(p)
			}
		}()
		in.s.ServeHTTP(w, r)
	}()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if broken {
		return nil, fmt.Errorf("telegramtest: %s: the connection broke", r.URL)
	}
	res := w.Result()
	res.Request = r
	return res, nil
}

// Relax lifts the limits on rates.
func (s *Server) Relax() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relaxed = true
}

// SetWebhook makes polling impossible, as a webhook does.
func (s *Server) SetWebhook(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook = on
}

// Fail has fn say of each call what goes wrong with it; nil: nothing.
func (s *Server) Fail(fn func(method string, body json.RawMessage) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fn
}

// FailNext makes the next so many calls of the method go wrong.
func (s *Server) FailNext(method string, times int, f Fault) {
	var mu sync.Mutex
	s.Fail(func(m string, _ json.RawMessage) *Fault {
		mu.Lock()
		defer mu.Unlock()
		if m != method || times <= 0 {
			return nil
		}
		times--
		return &f
	})
}

// Before has fn called with each call before anything is done about it.
func (s *Server) Before(fn func(method string, body json.RawMessage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = fn
}

// Calls returns the calls of a method, or of all if it is empty.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Refusals returns what was refused, apart from faults that a test wanted.
func (s *Server) Refusals() []string {
	var out []string
	for _, c := range s.Calls("") {
		if c.Refusal != "" {
			out = append(out, fmt.Sprintf("%s %s: %s", c.Method, c.Body, c.Refusal))
		}
	}
	return out
}

// refusal is an answer that says no.
type refusal struct {
	code  int
	text  string
	after int
}

func bad(format string, a ...any) *refusal {
	return &refusal{code: http.StatusBadRequest, text: "Bad Request: " + fmt.Sprintf(format, a...)}
}

// ServeHTTP is the Bot API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, found := strings.Cut(rest, "/")
	switch {
	case !ok || !found || !strings.Contains(token, ":"):
		answer(w, nil, &refusal{code: 404, text: "Not Found"})
		return
	case token != Token:
		answer(w, nil, &refusal{code: 401, text: "Unauthorized"})
		return
	}
	body, no := read(r)
	s.mu.Lock()
	before, fault := s.before, s.fault
	s.mu.Unlock()
	if before != nil {
		before(method, body)
	}
	var f *Fault
	if fault != nil {
		f = fault(method, body)
	}
	if f != nil && !f.Done {
		fail(w, f)
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, Call{Method: method, Body: body, At: time.Now()})
	i := len(s.calls) - 1
	var result any
	var wait *poller
	if no == nil {
		result, wait, no = s.do(method, body)
	}
	if no != nil {
		s.calls[i].Refusal = no.text
	}
	s.mu.Unlock()
	if wait != nil {
		if result, no = s.hold(r.Context(), wait); no != nil {
			s.mu.Lock()
			s.calls[i].Refusal = no.text
			s.mu.Unlock()
		}
	}
	if f != nil {
		fail(w, f)
		return
	}
	answer(w, result, no)
}

func fail(w http.ResponseWriter, f *Fault) {
	if f.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	answer(w, nil, &refusal{code: f.Status, text: f.Text, after: f.RetryAfter})
}

func answer(w http.ResponseWriter, result any, no *refusal) {
	w.Header().Set("Content-Type", "application/json")
	out := map[string]any{"ok": true, "result": result}
	if no != nil {
		out = map[string]any{"ok": false, "error_code": no.code, "description": no.text}
		if no.after > 0 {
			out["parameters"] = map[string]any{"retry_after": no.after}
		}
		w.WriteHeader(no.code)
	}
	json.NewEncoder(w).Encode(out)
}

package slacktest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The workspace, its app, and the people in it.
const (
	Team     = "T0WORK"
	TeamName = "Acme"
	App      = "A0SAYSO"
	Bot      = "U0BOT"
	Ann      = "U0ANN"
	Bob      = "U0BOB"

	BotToken = "xoxb-1-slacktest-bot-secret"
	AppToken = "xapp-1-slacktest-app-secret"
)

// Server is a Slack.
type Server struct {
	t    testing.TB
	http *http.Server

	inside *pipes
	client *http.Client
	wake   chan struct{}

	mu        sync.Mutex
	offset    time.Duration // of the clock
	scopes    []string
	users     map[string]bool
	tokens    map[string]bool
	messages  []*Message
	ephemeral map[string][]string
	lock      map[string][]string
	calls     []Call
	faults    map[string][]fault
	wrong     []string
	rates     bool
	last      map[string]time.Time // by channel: of the last message
	tickets   map[string]bool
	triggers  map[string]*trigger
	views     map[string]*View // by user: the one that is open
	conns     []*link
	pending   []*Delivery
	mute      bool
	serial    int
	turn      int
	url       string // on a port, if there is one
	work      sync.WaitGroup
	end       chan struct{}
}

// Call is a request to the Web API.
type Call struct {
	Method string
	Body   string
}

type fault struct {
	code  string // an error, or "" for the status
	after int    // seconds, with status 429
}

// New starts a Slack that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{
		t: t, scopes: []string{"chat:write", "commands", "im:write"},
		users: map[string]bool{Ann: true, Bob: true, Bot: true}, tokens: map[string]bool{BotToken: true, AppToken: true},
		ephemeral: map[string][]string{}, lock: map[string][]string{}, faults: map[string][]fault{}, last: map[string]time.Time{},
		tickets: map[string]bool{}, triggers: map[string]*trigger{}, views: map[string]*View{}, end: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/{method}", s.serve)
	mux.HandleFunc("GET /link/", s.connect)
	s.http = &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0), ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, wire{}, c)
	}}
	s.inside = newPipes()
	s.client = &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DialContext: s.inside.dial}}
	s.work.Go(func() { s.http.Serve(listener{s.inside}) })
	s.work.Go(s.repeat)
	t.Cleanup(func() {
		close(s.end)
		s.Cut()
		s.http.Close()
		s.client.CloseIdleConnections()
		s.work.Wait()
	})
	return s
}

// URL is the address of the Web API, on a port of this machine.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		s.url = "http://" + l.Addr().String()
		s.work.Go(func() { s.http.Serve(listener{l}) })
	}
	return s.url + "/api"
}

// Inside is the address of the Web API for the client that needs no network, and so
// works in a bubble of testing/synctest.
func (s *Server) Inside() (url string, client *http.Client) { return "http://slack.test/api", s.client }

// Advance moves the clock on.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
	s.poke()
}

func (s *Server) now() time.Time { return time.Now().Add(s.offset) }

// SetScopes says what the bot token allows.
func (s *Server) SetScopes(scopes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scopes = scopes
}

// Revoke makes a token worthless.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = false
}

// RemoveUser deletes the account of a person.
func (s *Server) RemoveUser(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, user)
}

// Fail has the next call of a method fail with the error.
func (s *Server) Fail(method, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fault{code: code})
}

// Limit has the next call of a method fail with status 429.
func (s *Server) Limit(method string, after int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fault{after: after})
}

// Break has the next call of a method fail with status 503.
func (s *Server) Break(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fault{})
}

// Rates switches the limit of one message a second and conversation on.
func (s *Server) Rates() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates = true
}

// Calls returns the requests so far, without those that were refused for their token.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			calls = append(calls, c)
		}
	}
	return calls
}

// Wrong returns what the client did on the connection that Slack does not allow.
func (s *Server) Wrong() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.wrong)
}

// refusal is an error of the Web API.
type refusal struct{ code, needed, detail string }

func (r *refusal) Error() string { return r.code + " " + r.detail }

func refuse(code, detail string, args ...any) *refusal {
	return &refusal{code: code, detail: fmt.Sprintf(detail, args...)}
}

// serve answers a call of the Web API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	method := r.PathValue("method")
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if f := s.faults[method]; len(f) > 0 {
		s.faults[method] = f[1:]
		switch {
		case f[0].code != "":
			json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": f[0].code})
		case f[0].after > 0:
			s.limited(w, f[0].after)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return
	}
	reply, refused := s.call(w, r, method, body)
	if refused != nil {
		if refused.code == "ratelimited" {
			s.limited(w, 1)
			return
		}
		reply = map[string]any{"ok": false, "error": refused.code}
		if refused.needed != "" {
			reply["needed"], reply["provided"] = refused.needed, strings.Join(s.scopes, ",")
		}
		if refused.detail != "" {
			reply["response_metadata"] = map[string]any{"messages": []string{"[ERROR] " + refused.detail}}
		}
	} else {
		reply["ok"] = true
	}
	json.NewEncoder(w).Encode(reply)
}

func (s *Server) limited(w http.ResponseWriter, after int) {
	w.Header().Set("Retry-After", fmt.Sprint(after))
	w.WriteHeader(http.StatusTooManyRequests)
	json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": "ratelimited"})
}

// next returns an id that was never used.
func (s *Server) next(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s%06d", prefix, s.serial)
}

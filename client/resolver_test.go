package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func ask(id string) *sayso.Ask {
	a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "Which database?"}}}
	a.Normalize()
	return a
}

// asking runs Ask beside the test.
func asking(ctx context.Context, c *client.Client, a *sayso.Ask) func() (*sayso.Outcome, error) {
	var o *sayso.Outcome
	var err error
	done := make(chan struct{})
	go func() { defer close(done); o, err = c.Ask(ctx, a) }()
	return func() (*sayso.Outcome, error) { <-done; return o, err }
}

func wantWords(t *testing.T, o *sayso.Outcome, err error, words string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := o.Answer("q1"); o.Status != sayso.StatusAnswered || got.Other != words {
		t.Fatalf("got %+v, want the answer %q", o, words)
	}
}

// TestAskConsumes counts the requests of an ask that is answered at once, of one
// that is answered after the first request, and at a hub of an earlier version.
func TestAskConsumes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		old  bool
		poll time.Duration
		open int // how many requests are made while the ask is open
		want string
	}{
		{"at once", false, time.Minute, 1, "POST /v1/asks"},
		{"later", false, time.Millisecond, 2, "POST /v1/asks, GET, POST consumed"},
		{"an earlier version", true, time.Minute, 2, "POST /v1/asks, GET, POST consumed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.old = tc.old
			var mu sync.Mutex
			var made []string
			f.spoil(func(w http.ResponseWriter, r *http.Request) bool {
				one := r.Method
				if r.Method == http.MethodPost {
					one += " " + handles.ReplaceAllString(r.URL.Path, "")
				}
				mu.Lock()
				defer mu.Unlock()
				if len(made) == 0 || made[len(made)-1] != one { // polls are made again
					made = append(made, one)
				}
				return false
			})
			c := f.client(&client.Options{Poll: tc.poll})
			result := asking(t.Context(), c, ask("a1"))
			f.find("a1")
			within(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(made) == tc.open })
			f.say("a1", "SQLite")
			o, err := result()
			wantWords(t, o, err, "SQLite")
			if f.find("a1").Consumed.IsZero() {
				t.Error("the hub was not told that the asker has the outcome")
			}
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(made, ", "); got != tc.want {
				t.Errorf("%s; want %s", got, tc.want)
			}
		})
	}
}

var handles = regexp.MustCompile(`/v1/asks/[^/]*/`)

// within waits until something is so.
func within(t *testing.T, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it did not come to be")
		}
	}
}

// TestAskThroughTrouble spoils the first requests of each kind in one way.
func TestAskThroughTrouble(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	for name, spoil := range map[string]func(w http.ResponseWriter){
		"cut":         cut,
		"unavailable": func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"too many":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"broken":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"half a reply": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte("{"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.old = name == "cut"
			var n atomic.Int32
			f.spoil(func(w http.ResponseWriter, r *http.Request) bool {
				if n.Add(1)%3 == 0 {
					return false
				}
				spoil(w)
				return true
			})
			result := asking(t.Context(), f.client(nil), ask("a1"))
			f.say("a1", "SQLite")
			o, err := result()
			wantWords(t, o, err, "SQLite")
		})
	}
}

// TestAskPatience shows the difference between a hub that was never there and
// one that has gone away: only for the second is there no end to patience.
func TestAskPatience(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.client(&client.Options{Patience: 50 * time.Millisecond})
	f.spoil(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(503); return true })
	if _, err := c.Ask(t.Context(), ask("a1")); !errors.Is(err, sayso.ErrUnreachable) {
		t.Fatalf("got %v, want unreachable", err)
	}
	var n atomic.Int32
	away := func(w http.ResponseWriter) bool { // at 10 ms each, far beyond the patience
		if n.Add(1) >= 30 {
			return false
		}
		w.WriteHeader(503)
		return true
	}
	for _, tc := range []struct {
		id    string
		old   bool
		gone  func(w http.ResponseWriter, r *http.Request)
		takes string // the method of the request that the hub takes before it goes away
	}{
		{"earlier-version", true, nil, http.MethodPost},
		{"cut-while-waiting", false, func(w http.ResponseWriter, r *http.Request) {
			f.store(r, "cut-while-waiting")
			<-time.After(100 * time.Millisecond) // twice the patience
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
		}, ""},
		{"told-stored", false, func(w http.ResponseWriter, r *http.Request) {
			tk := f.store(r, "told-stored")
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(503)
			json.NewEncoder(w).Encode(map[string]any{"type": "urn:sayso:problem:unavailable", "ticket": f.view(tk)})
		}, ""},
	} {
		f.old = tc.old
		n.Store(0)
		var first sync.Once
		f.spoil(func(w http.ResponseWriter, r *http.Request) (done bool) {
			if r.Method == tc.takes {
				return false
			}
			if tc.gone != nil {
				first.Do(func() { tc.gone(w, r); done = true })
			}
			return done || away(w)
		})
		result := asking(t.Context(), c, ask(tc.id))
		within(t, func() bool { return n.Load() > 0 })
		f.say(tc.id, "SQLite")
		o, err := result()
		wantWords(t, o, err, "SQLite")
		if n.Load() < 30 {
			t.Errorf("%s: the hub was away for %d requests", tc.id, n.Load())
		}
	}
}

// store stores the ask as the server does, whatever becomes of the request then.
func (f *fake) store(r *http.Request, id string) *hub.Ticket {
	t, err := f.now().Submit(r.Context(), "t", ask(id))
	if err != nil {
		f.t.Error(err)
	}
	return t
}

func TestAskOfAHubThatForgot(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	result := asking(t.Context(), f.client(nil), ask("a1"))
	for range 2 {
		f.find("a1")
		f.restart()
	}
	f.say("a1", "SQLite")
	o, err := result()
	wantWords(t, o, err, "SQLite")
}

func TestAskUndone(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.old = true // one that knows consume waits again by itself
	var once sync.Once
	undone := make(chan struct{})
	f.spoil(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/consumed") {
			once.Do(func() { // the person takes it back at the last moment
				defer close(undone)
				if _, err := f.now().Inbox("t", person).Undo(r.Context(), f.find("a1")); err != nil {
					t.Error(err)
				}
			})
		}
		return false
	})
	result := asking(t.Context(), f.client(nil), ask("a1"))
	f.say("a1", "SQLite")
	<-undone
	f.say("a1", "MongoDB")
	o, err := result()
	wantWords(t, o, err, "MongoDB")
}

func TestAskCancelledStaysOpen(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := asking(ctx, f.client(nil), ask("a1"))
	f.find("a1")
	cancel()
	if _, err := result(); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if !f.find("a1").Open() {
		t.Error("the ask was closed")
	}
}

func TestAskSuperseded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		kind sayso.ResponderKind
		sure sayso.Assurance
		want sayso.Status
		by   sayso.ResponderKind
	}{
		{"by the person here", sayso.ByPerson, 0, sayso.StatusAnswered, sayso.ByProgram},
		{"by an agent", sayso.ByAgent, 0, sayso.StatusAnswered, sayso.ByProgram},
		{"where the hub must be sure who answers", sayso.ByPerson, sayso.AssuranceKey, sayso.StatusSuperseded, sayso.ByAsker},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			a := ask("a1")
			a.MinAssurance = tc.sure
			result := asking(ctx, f.client(nil), a)
			f.find("a1")
			winner := answered(a, "SQLite")
			winner.By = sayso.Responder{Kind: tc.kind, Surface: "terminal"}
			cancel(&sayso.SupersededError{Winner: winner})
			if _, err := result(); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			got := f.find("a1")
			if got.Status() != tc.want || got.Outcome.By.Kind != tc.by || got.Consumed.IsZero() {
				t.Fatalf("the ask is %s by %s, consumed %v", got.Status(), got.Outcome.By.Kind, got.Consumed)
			}
			if tc.want == sayso.StatusAnswered && got.Outcome.By.Surface != "terminal" {
				t.Errorf("got %+v", got.Outcome)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.client(nil)
	open, err := c.Submit(t.Context(), ask("a1"))
	if err != nil {
		t.Fatal(err)
	}
	f.say("a1", "SQLite")
	var closed *hub.ClosedError
	if _, err := c.Answer(t.Context(), open, answered(open.Ask, "other")); !errors.As(err, &closed) || closed.Ticket.Outcome.By.ID != "ann" {
		t.Errorf("got %v, want the winner", err)
	}
	if _, err := c.Get(t.Context(), "nonsense/../x"); !errors.Is(err, hub.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	f.spoil(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		return true
	})
	var api *client.Error
	if _, err := c.Get(t.Context(), "x"); !errors.As(err, &api) || api.Status != 307 {
		t.Errorf("got %v, want the redirect to be refused", err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"http://localhost:7777": true, "https://hub.example/team/": true,
		"/run/sayso/hub.sock": true, "unix:/run/hub.sock": true, "unix:///run/hub.sock": true,
		"": false, "hub.example": false, "ftp://hub.example": false, "unix:hub.sock": false,
		"https://user:pass@hub.example": false, "https://hub.example/?x=1": false, "http://": false,
	} {
		if _, err := client.New(address, nil); (err == nil) != ok {
			t.Errorf("New(%q): %v", address, err)
		}
	}
}

// A limit that lasts longer than the client's patience is told at once.
func TestQuotaIsTold(t *testing.T) {
	f := newFake(t)
	q := api.Quota{Name: api.QuotaStored, Limit: 256 << 20, Used: 256 << 20, Unit: api.UnitBytes, Retry: 3 * 3600}
	f.spoil(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "10800")
		w.WriteHeader(http.StatusTooManyRequests)
		json.NewEncoder(w).Encode(q.Problem("asker ci-bot"))
		return true
	})
	c, err := client.New(f.srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = c.Submit(t.Context(), &sayso.Ask{Questions: []sayso.Question{{Text: "Deploy?"}}})
	var told *client.Error
	if !errors.As(err, &told) || told.Quota == nil || *told.Quota != q {
		t.Fatalf("%v", err)
	}
	want := "asker ci-bot has used 256.0 MiB of 256.0 MiB stored in 30 days; try again in 3 h, or raise the limit with sayso serve --quota stored=512MiB"
	if told.Detail != want {
		t.Errorf("%q, want %q", told.Detail, want)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("told after %v", took)
	}
}

// TestTry: a program that does not wait gets a handle, and asks again later.
func TestTry(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		f := newFake(t)
		f.old = old
		c := f.client(nil)
		open, err := c.Try(t.Context(), ask("a1"), 0)
		if err != nil || !open.Open() || open.Handle == "" {
			t.Fatalf("%+v, %v", open, err)
		}
		f.say("a1", "SQLite")
		has, err := c.Try(t.Context(), ask("a1"), 0)
		if err != nil || has.Handle != open.Handle || has.Consumed.IsZero() {
			t.Fatalf("%+v, %v", has, err)
		}
		again, err := c.Await(t.Context(), open)
		if err != nil || !again.Replayed || !again.Consumed.Equal(has.Consumed) {
			t.Errorf("%+v, %v", again, err)
		}
	}
}

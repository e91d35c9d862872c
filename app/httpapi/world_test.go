package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// world is a hub, its API and some holders of keys.
type world struct {
	*Server
	hub  *hub.Hub
	keys *auth.Keys
	key  map[string]string // the key of each name
	ids  map[string]string // and its id
	log  *logBook

	leave func() // leaves the other servers
}

// people are the subjects that every world has keys for.
var people = []struct {
	name string
	spec auth.KeySpec
}{
	{"bot", auth.KeySpec{Role: auth.Asker, Tenant: "acme", Subject: "bot"}},
	{"bot2", auth.KeySpec{Role: auth.Asker, Tenant: "acme", Subject: "bot2"}},
	{"ada", auth.KeySpec{Role: auth.Answerer, Tenant: "acme", Subject: "ada"}},
	{"bob", auth.KeySpec{Role: auth.Answerer, Tenant: "acme", Subject: "bob"}},
	{"eye", auth.KeySpec{Role: auth.Observer, Tenant: "acme", Subject: "eye"}},
	{"root", auth.KeySpec{Role: auth.Admin, Tenant: "acme", Subject: "root"}},
	{"spybot", auth.KeySpec{Role: auth.Asker, Tenant: "evil", Subject: "bot"}},
	{"spyada", auth.KeySpec{Role: auth.Answerer, Tenant: "evil", Subject: "ada"}},
	{"spyeye", auth.KeySpec{Role: auth.Observer, Tenant: "evil", Subject: "eye"}},
	{"spyroot", auth.KeySpec{Role: auth.Admin, Tenant: "evil", Subject: "root"}},
}

// newWorld opens a world; opts may be nil, and its Auth is set.
func newWorld(t testing.TB, opts *Options) *world {
	t.Helper()
	return newWorldOver(t, hub.NewMemory(nil), nil, opts)
}

func newWorldOver(t testing.TB, store hub.Store, hubOpts *hub.Options, opts *Options) *world {
	t.Helper()
	if hubOpts == nil {
		hubOpts = &hub.Options{People: func(context.Context, string) ([]string, error) { return []string{"ada", "bob", "eve"}, nil }}
	}
	h, err := hub.Open(context.Background(), store, hubOpts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	w := &world{hub: h, key: map[string]string{}, ids: map[string]string{}, log: &logBook{}}
	if w.keys, err = auth.OpenKeys(t.Context(), hub.NewMemory(nil), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.keys.Close)
	for _, p := range people {
		secret, key, err := w.keys.Create(t.Context(), p.spec)
		if err != nil {
			t.Fatal(err)
		}
		w.key[p.name], w.ids[p.name] = secret, key.ID
	}
	if opts == nil {
		opts = &Options{}
	}
	if opts.Auth == nil {
		opts.Auth = w.keys
	}
	if opts.Sessions == nil {
		sessions := auth.NewSessions(store, nil)
		t.Cleanup(sessions.Close)
		opts.Sessions = sessions
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if w.Server, err = New(h, opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// logBook keeps what was logged.
type logBook struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logBook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

func (l *logBook) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// request makes a request of a person; body is JSON, or empty.
func (w *world) request(who, method, path, body string, header ...string) *http.Request {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequest(method, "http://localhost"+path, r)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := w.key[who]; key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// do makes a request without a network.
func (w *world) do(who, method, path, body string, header ...string) *httptest.ResponseRecorder {
	return newRecorder(w, w.request(who, method, path, body, header...))
}

// newRecorder records what a handler says to a request.
func newRecorder(h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec
}

// must makes a request that must succeed, and decodes its reply.
func must[T any](t testing.TB, w *world, who, method, path, body string, header ...string) T {
	t.Helper()
	rec := w.do(who, method, path, body, header...)
	if rec.Code < 200 || rec.Code > 299 {
		t.Fatalf("%s %s by %s: %d %s", method, path, who, rec.Code, rec.Body)
	}
	return decoded[T](t, rec.Body.Bytes())
}

func decoded[T any](t testing.TB, data []byte) T {
	t.Helper()
	var v T
	if len(data) == 0 {
		return v
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// ask stores an ask of bot, with one question that has two options.
func (w *world) ask(t testing.TB, id string, change ...func(*sayso.Ask)) api.Ticket {
	t.Helper()
	a := sayso.Ask{ID: id, Origin: sayso.Origin{Conversation: "c1"}, Questions: []sayso.Question{
		{ID: "db", Header: "Database", Text: "Which database?", Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}}},
	}}
	for _, f := range change {
		f(&a)
	}
	body, err := json.Marshal(&a)
	if err != nil {
		t.Fatal(err)
	}
	return must[api.Ticket](t, w, "bot", "POST", "/v1/asks", string(body))
}

// waiting returns how many asks of acme are open.
func (w *world) waiting(t testing.TB) int {
	t.Helper()
	n, err := w.Waiting(within(t, soon), "acme")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// answerBody answers such an ask.
func answerBody(tk api.Ticket, option string) string {
	return `{"digest":"` + tk.Digest + `","surface":"test","answers":[{"questionId":"db","selected":["` + option + `"]}]}`
}

// listen serves the world on a loopback port and returns its URL.
func (w *world) listen(t testing.TB, change ...func(*http.Server)) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = w.HTTPServer()
	for _, f := range change {
		f(server.Config)
	}
	server.Start()
	t.Cleanup(func() {
		w.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// soon is how long a test waits for what should come at once.
const soon = time.Minute

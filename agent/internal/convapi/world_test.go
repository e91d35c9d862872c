package convapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/internal/convapi"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
)

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// world is an API with everything below it, in this process.
type world struct {
	t      *testing.T
	ctx    context.Context
	url    string
	engine *engine.Engine
	opts   agent.Options
	host   *agent.Host
	model  *modeltest.Server
}

// keyed knows one key.
type keyed struct{}

func (keyed) Authenticate(r *http.Request) (*auth.Principal, error) {
	if r.Header.Get("Authorization") != "Bearer letmein" {
		return nil, auth.ErrCredential
	}
	return &auth.Principal{Tenant: "home", Role: auth.Everything}, nil
}

func newWorld(t *testing.T, script modeltest.Script, change func(*convapi.Options), host ...func(*agent.Options)) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, model: modeltest.New(t, script)}
	var err error
	if w.engine, err = engine.Start(ctx, t.TempDir(), &engine.Options{MaxStore: 256 << 20}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.engine.Close(context.Background()) })
	m, err := model.Open(ctx, model.Config{Provider: model.Anthropic, Model: "claude-sonnet-4-5", APIKey: "none", BaseURL: w.model.URL, HTTPClient: &http.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	w.opts = agent.Options{
		Journal: w.engine.Journal, Asks: w.engine.Hub.Asker(w.engine.Tenant, sayso.Responder{}), Model: m,
		Name: "a", RetryDelay: time.Millisecond, Lease: time.Minute,
	}
	for _, change := range host {
		change(&w.opts)
	}
	w.host = w.open("a")
	hub, err := httpapi.New(w.engine.Hub, &httpapi.Options{Auth: keyed{}, OneAsker: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hub.Close() })
	var ids atomic.Int32
	o := convapi.Options{Host: w.host, Auth: keyed{}, Hub: hub, NewID: func() string { return fmt.Sprint("n", ids.Add(1)) }}
	if change != nil {
		change(&o)
	}
	server := httptest.NewServer(convapi.New(o))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// open opens a host over the same engine.
func (w *world) open(name string, tools ...agent.Tool) *agent.Host {
	w.t.Helper()
	o := w.opts
	o.Name, o.Tools = name, tools
	h, err := agent.Open(w.ctx, &o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(h.Stop)
	return h
}

// request makes a request; header are pairs of a name and a value.
func (w *world) request(method, path, body string, header ...string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer letmein")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// want makes a request and checks its status and that the answer has the words.
func (w *world) want(method, path, body string, status int, words ...string) *http.Response {
	w.t.Helper()
	resp := w.request(method, path, body)
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != status {
		w.t.Fatalf("%s %s: %s, want %d: %s", method, path, resp.Status, status, b)
	}
	for _, s := range words {
		if !strings.Contains(string(b), s) {
			w.t.Errorf("%s %s: no %s in %s", method, path, s, b)
		}
	}
	kind := "application/json"
	if status >= 400 {
		kind = "application/problem+json"
	}
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, kind) {
		w.t.Errorf("%s %s: content type %q, want %s", method, path, got, kind)
	}
	return resp
}

// rest waits until a conversation is at rest in a state.
func (w *world) rest(id, state string) {
	w.t.Helper()
	for {
		c, err := w.host.Wait(w.ctx, id)
		if err != nil {
			w.t.Fatalf("waiting for %s to be %s: %v", id, state, err)
		}
		if conversation.Name(c.State) == state {
			return
		}
	}
}

// event is one of a stream; a comment has no name.
type event struct{ id, name, data string }

// follow opens a stream of events. The function it returns gives the next one, and
// false at the end.
func (w *world) follow(path string, header ...string) (*http.Response, func() (event, bool)) {
	w.t.Helper()
	resp := w.request("GET", path, "", header...)
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", path, resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	return resp, func() (e event, ok bool) {
		for lines.Scan() {
			if lines.Text() == "" {
				return e, true
			}
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			}
		}
		return e, false
	}
}

// until returns all events up to the first of that name whose data have the words.
func (w *world) until(next func() (event, bool), name, words string) (all []event) {
	w.t.Helper()
	for {
		e, ok := next()
		if !ok {
			w.t.Fatalf("the stream ended before %s %s: %+v", name, words, all)
		}
		all = append(all, e)
		if e.name == name && strings.Contains(e.data, words) {
			return all
		}
	}
}

func asks(question string, options ...string) modeltest.Reply {
	var list []any
	for _, o := range options {
		list = append(list, map[string]any{"label": o})
	}
	return modeltest.Use("ask_user", map[string]any{"questions": []any{map[string]any{"question": question, "options": list}}})
}

// service asks once; a conversation about failing fails.
func service() modeltest.Script {
	return modeltest.Route(
		modeltest.Steps(asks("Which database?", "PostgreSQL", "SQLite"), modeltest.Say("done")),
		modeltest.RouteTo{Word: "Fail", Script: modeltest.Steps(modeltest.Reply{Status: 400})},
	)
}

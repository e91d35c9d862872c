package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// world is a hub with its API, and people who answer.
type world struct {
	t      testing.TB
	store  *hub.Memory
	boot   auth.Authenticator
	hub    *hub.Hub
	api    *httpapi.Server
	net    *within
	client *client.Client
}

func newWorld(t testing.TB) *world { return newWorldAs(t, auth.Everything) }

// newWorldAs is a world in which the agents have a key with this role.
func newWorldAs(t testing.TB, role auth.Role) *world {
	t.Helper()
	w := &world{t: t, store: hub.NewMemory(nil), net: &within{}}
	var token string
	w.boot, token = auth.NewBoot(auth.Principal{Tenant: "t", Role: role})
	w.start()
	t.Cleanup(w.stop)
	var err error
	w.client, err = client.New("http://localhost", &client.Options{Key: token, Surface: "mcp", Transport: w.net})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// start serves the hub.
func (w *world) start() {
	w.t.Helper()
	var err error
	w.hub, err = hub.Open(context.Background(), w.store, &hub.Options{Key: []byte("a key for handles in tests")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.api, err = httpapi.New(w.hub, &httpapi.Options{Auth: w.boot, Quota: httpapi.Quota{Open: -1, Rate: -1, Waits: -1}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.net.Store(w.api)
}

// stop ends the hub; what it stored is kept.
func (w *world) stop() {
	w.net.Store(nil)
	w.api.Close()
	w.hub.Stop()
}

// within takes requests to a handler in the same process, while there is one.
type within struct{ atomic.Pointer[httpapi.Server] }

func (h *within) RoundTrip(r *http.Request) (*http.Response, error) {
	api := h.Load()
	if api == nil {
		return nil, errors.New("connection refused")
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	body, out := io.Pipe()
	w := &pipe{header: http.Header{}, out: out, begun: make(chan struct{})}
	ctx, cancel := context.WithCancel(r.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		api.ServeHTTP(w, r.WithContext(ctx))
		w.WriteHeader(http.StatusOK)
		out.Close()
	}()
	select {
	case <-w.begun:
	case <-ctx.Done():
		body.Close()
		cancel()
		<-ended
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: w.status, Header: w.header.Clone(), Request: r, ContentLength: -1,
		Body: &pipeBody{body, func() { body.Close(); cancel(); <-ended }},
	}, nil
}

// pipe is a response that is read while it is written.
type pipe struct {
	header http.Header
	status int
	out    io.Writer
	begun  chan struct{}
}

func (w *pipe) Header() http.Header { return w.header }
func (w *pipe) Flush()              {}

func (w *pipe) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		close(w.begun)
	}
}

func (w *pipe) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(b)
}

type pipeBody struct {
	io.Reader
	close func()
}

func (b *pipeBody) Close() error { b.close(); return nil }

// answer answers the one ask that is open with an option of its first question.
func (w *world) answer(option string) {
	w.t.Helper()
	w.open()
	w.answerAny(option)
}

// open waits until exactly one ask is open.
func (w *world) open() *hub.Ticket {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(5 * time.Millisecond) {
		page, err := w.client.List(context.Background(), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(page.Tickets) == 1 {
			return page.Tickets[0]
		}
		if time.Now().After(end) {
			w.t.Fatalf("%d asks are open", len(page.Tickets))
		}
	}
}

// agent is a client that speaks to a door over a pipe, a line at a time.
type agent struct {
	t    testing.TB
	out  io.WriteCloser
	in   chan []byte // lines
	done chan error
}

func (w *world) connect(opts *mcp.Options) *agent {
	w.t.Helper()
	if opts == nil {
		opts = &mcp.Options{}
	}
	opts.Hub = w.client
	return dial(w.t, opts)
}

// dial starts a door, and an agent that speaks to it.
func dial(t testing.TB, opts *mcp.Options) *agent {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	a := &agent{t: t, out: w1, in: make(chan []byte, 10_000), done: make(chan error, 1)}
	go func() {
		defer close(a.in)
		lines := bufio.NewReader(r2)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			a.in <- line
		}
	}()
	go func() {
		a.done <- mcp.New(opts).Serve(t.Context(), r1, w2)
		w2.Close()
	}()
	t.Cleanup(func() { w1.Close(); r2.Close() })
	return a
}

func (a *agent) send(message string) {
	a.t.Helper()
	if _, err := io.WriteString(a.out, message+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// message is what a server sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Result struct {
		ResultType   string                  `json:"resultType"`
		RequestState string                  `json:"requestState"`
		TaskID       string                  `json:"taskId"`
		Status       string                  `json:"status"`
		Result       json.RawMessage         `json:"result"`
		Meta         map[string]any          `json:"_meta"`
		Content      []struct{ Text string } `json:"content"`
		IsError      bool                    `json:"isError"`
	} `json:"result"`
	line string
}

func (a *agent) receive() message {
	a.t.Helper()
	line, ok := <-a.in
	if !ok {
		a.t.Fatal("the server hung up")
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		a.t.Fatalf("%s: %v", line, err)
	}
	m.line = strings.TrimSpace(string(line))
	return m
}

func (a *agent) initialize(version, capabilities string) {
	a.t.Helper()
	a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"test","version":"1"}}}`)
	if m := a.receive(); m.Error != nil {
		a.t.Fatalf("%+v", m)
	}
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

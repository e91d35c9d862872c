package hubfake

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// World is a hub behind its API, which can be stopped and started. Whoever connects
// is asker and person in one, as on one's own machine.
type World struct {
	T     *testing.T
	store *hub.Memory

	mu  sync.Mutex
	on  *pipes // nil while the hub is away
	end func()
}

// New returns a world that ends with the test.
func New(t *testing.T) *World {
	w := &World{T: t, store: hub.NewMemory(nil)}
	w.Start()
	t.Cleanup(w.Stop)
	return w
}

type everybody struct{}

func (everybody) Authenticate(*http.Request) (*auth.Principal, error) {
	return &auth.Principal{Tenant: "local", Role: auth.Everything, ID: "ann"}, nil
}

// Start serves the hub, with what it stored before.
func (w *World) Start() {
	w.T.Helper()
	h, err := hub.Open(context.Background(), w.store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		w.T.Fatal(err)
	}
	api, err := httpapi.New(h, &httpapi.Options{Auth: everybody{}, Quota: httpapi.Quota{Open: -1, Rate: -1, Waits: -1}})
	if err != nil {
		w.T.Fatal(err)
	}
	server, ln := api.HTTPServer(), newPipes()
	var work sync.WaitGroup
	work.Go(func() { server.Serve(ln) })
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.end = ln, func() {
		server.Close()
		work.Wait()
		api.Close()
		h.Stop()
	}
}

// Stop ends the hub and cuts every connection.
func (w *World) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.on != nil {
		w.end()
		w.on = nil
	}
}

// On reports whether the hub is there.
func (w *World) On() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.on != nil
}

func (w *World) dial(ctx context.Context) (net.Conn, error) {
	w.mu.Lock()
	ln := w.on
	w.mu.Unlock()
	if ln == nil {
		return nil, errors.New("there is no hub")
	}
	return ln.dial(ctx)
}

// Client returns a client of the hub, which ends with the test.
func (w *World) Client(surface string) *client.Client {
	w.T.Helper()
	c, err := client.New("http://localhost", &client.Options{Dial: w.dial, Surface: surface})
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(c.Close)
	return c
}

// Find returns the ask that begins with this question, an open one if there is one.
func (w *World) Find(question string) *hub.Ticket {
	w.T.Helper()
	var found *hub.Ticket
	for _, t := range w.All() {
		if t.Ask.Questions[0].Text == question && (found == nil || t.Open()) {
			found = t
		}
	}
	if found == nil {
		w.T.Fatalf("nobody asks %q", question)
	}
	return found
}

// All returns all asks, the closed ones too.
func (w *World) All() []*hub.Ticket {
	w.T.Helper()
	c := w.Client("")
	defer c.Close()
	page, err := c.List(w.T.Context(), &hub.Filter{Status: hub.AnyStatus, Limit: 1000})
	if err != nil {
		w.T.Fatal(err)
	}
	return page.Tickets
}

// Say closes an ask on the web: with an option, own words, or one of the words for
// no answer.
func (w *World) Say(question, words string) {
	w.T.Helper()
	t := w.Find(question)
	q := &t.Ask.Questions[0]
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: q.ID, Other: words}}}
	switch status := sayso.Status(words); status {
	case sayso.StatusDeclined, sayso.StatusCancelled:
		o = &sayso.Outcome{Status: status}
	}
	for _, opt := range q.Options {
		if strings.EqualFold(opt.Label, words) {
			o.Answers = []sayso.Answer{{QuestionID: q.ID, Selected: []string{opt.ID}}}
		}
	}
	c := w.Client("web")
	defer c.Close()
	if _, err := c.Answer(w.T.Context(), t, o); err != nil {
		w.T.Fatal(err)
	}
}

// pipes is a listener without a network.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "hub", Net: "unix"} }

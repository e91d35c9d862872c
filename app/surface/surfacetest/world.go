package surfacetest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Tenant is whose asks a [World] holds, and Who the person at the surface.
const (
	Tenant = "home"
	Who    = "ann"
)

// World is a hub, which can be killed, and the people and programs around it.
type World struct {
	*testing.T
	Hub   *hub.Hub
	Store hub.Store // of the hub

	// Apart is how much time passes before each ask, for surfaces that put asks of one
	// moment together. Only a virtual one can have that much.
	Apart time.Duration

	// Ready is called before each ask is stored, for surfaces that put asks of one
	// moment together. Default: nothing.
	Ready func()

	mu      sync.Mutex
	down    bool
	watches map[*context.CancelFunc]context.CancelFunc
	onKill  []func()
	onBack  []func()
}

// NewWorld returns a world that ends with the test. [Run] makes one for each case.
func NewWorld(t *testing.T) *World {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return &World{T: t, Hub: h, Store: store, watches: map[*context.CancelFunc]context.CancelFunc{}}
}

// Submit stores an ask. Its origin is taken as a server would have stamped it.
func (w *World) Submit(a *sayso.Ask) *hub.Ticket {
	w.Helper()
	if w.Apart > 0 {
		<-time.After(w.Apart)
	}
	if w.Ready != nil {
		w.Ready()
	}
	c := a.Clone()
	c.Metadata = a.Metadata
	c.Normalize()
	t, err := w.Hub.Submit(w.Context(), Tenant, c)
	if err != nil {
		w.Fatal(err)
	}
	t.Handle = w.Hub.Handle(t.Address)
	return t
}

// Now returns the ticket as it is stored.
func (w *World) Now(t *hub.Ticket) *hub.Ticket {
	w.Helper()
	now, err := w.Hub.Get(w.Context(), t.Address)
	if err != nil {
		w.Fatal(err)
	}
	return now
}

// Elsewhere closes the ask as somebody else, on the web.
func (w *World) Elsewhere(t *hub.Ticket, answers ...sayso.Answer) {
	w.Helper()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "web"}}
	if _, err := w.Hub.Close(w.Context(), t, o, nil); err != nil {
		w.Fatal(err)
	}
}

// Attend has the asker wait for the ask until it is closed.
func (w *World) Attend(t *hub.Ticket) {
	w.Helper()
	var work sync.WaitGroup
	work.Go(func() { w.Hub.Wait(w.Context(), t.Address) })
	w.Cleanup(work.Wait)
	w.Eventually("the asker waits", func() bool { return w.Hub.Attached(t.Address) })
}

// patience is how long a test waits for what must happen: a minute, or SAYSO_PATIENCE,
// which mutants set, as they make tests wait in vain.
func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SAYSO_PATIENCE")); err == nil {
		return d
	}
	return time.Minute
}

// Eventually waits for a condition.
func (w *World) Eventually(what string, is func() bool) {
	w.Helper()
	for end := time.Now().Add(patience()); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("never: %s", what)
		}
	}
}

// Closed waits until the ask is closed, and returns the ticket.
func (w *World) Closed(t *hub.Ticket) *hub.Ticket {
	w.Helper()
	w.Eventually("the answer is stored", func() bool { return !w.Now(t).Open() })
	return w.Now(t)
}

// StaysOpen fails the test if the ask is closed. What the person did has come to its
// end when it is called.
func (w *World) StaysOpen(t *hub.Ticket, why string) {
	w.Helper()
	if now := w.Now(t); !now.Open() {
		w.Errorf("%s: stored %s", why, sayso.RenderResult(now.Ask, now.Outcome))
	}
}

// Kill makes the hub unreachable for the surface; Revive ends that.
func (w *World) Kill() {
	w.mu.Lock()
	w.down = true
	watches, hooks := w.watches, w.onKill
	w.watches = map[*context.CancelFunc]context.CancelFunc{}
	w.mu.Unlock()
	for _, cancel := range watches {
		cancel()
	}
	for _, fn := range hooks {
		fn()
	}
}

// Revive makes the hub reachable again.
func (w *World) Revive() {
	w.mu.Lock()
	w.down = false
	hooks := w.onBack
	w.mu.Unlock()
	for _, fn := range hooks {
		fn()
	}
}

// OnKill has a surface that reaches the hub in a way of its own lose it, and find it
// again.
func (w *World) OnKill(kill, revive func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onKill, w.onBack = append(w.onKill, kill), append(w.onBack, revive)
}

// away is the error of a hub that cannot be reached.
func (w *World) away() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return fmt.Errorf("surfacetest: the hub was killed: %w", sayso.ErrUnreachable)
	}
	return nil
}

// watch runs a watch that ends when the hub is killed.
func (w *World) watch(ctx context.Context, run func(context.Context) error) error {
	if err := w.away(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.watches[&cancel] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.watches, &cancel)
	}()
	err := run(ctx)
	if down := w.away(); down != nil {
		return down
	}
	return err
}

// Inbox is what the person may answer at a surface. It fails while the hub is killed.
func (w *World) Inbox(surface string) hub.Inbox {
	return &inbox{w, w.Hub.Inbox(Tenant, sayso.Responder{Kind: sayso.ByPerson, ID: Who, Surface: surface})}
}

type inbox struct {
	w *World
	hub.Inbox
}

func (in *inbox) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	if err := in.w.away(); err != nil {
		return nil, err
	}
	return in.Inbox.List(ctx, f)
}

func (in *inbox) Watch(ctx context.Context, fn func(hub.Change)) error {
	return in.w.watch(ctx, func(ctx context.Context) error { return in.Inbox.Watch(ctx, fn) })
}

func (in *inbox) Close(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if err := in.w.away(); err != nil {
		return nil, err
	}
	return in.Inbox.Close(ctx, seen, o)
}

func (in *inbox) Undo(ctx context.Context, seen *hub.Ticket) (*hub.Ticket, error) {
	if err := in.w.away(); err != nil {
		return nil, err
	}
	return in.Inbox.Undo(ctx, seen)
}

func (in *inbox) Draft(ctx context.Context, seen *hub.Ticket) (*hub.Draft, error) {
	if err := in.w.away(); err != nil {
		return nil, err
	}
	return in.Inbox.Draft(ctx, seen)
}

func (in *inbox) SaveDraft(ctx context.Context, seen *hub.Ticket, d *hub.Draft) error {
	if err := in.w.away(); err != nil {
		return err
	}
	return in.Inbox.SaveDraft(ctx, seen, d)
}

// Content makes the inbox a [hub.Contents].
func (in *inbox) Content(ctx context.Context, t *hub.Ticket, hash string, page int) (string, error) {
	if err := in.w.away(); err != nil {
		return "", err
	}
	return in.Inbox.(hub.Contents).Content(ctx, t, hash, page)
}

// Asker is the hub as the program that asks, or shows, knows it. It fails while the
// hub is killed.
func (w *World) Asker(id string) hub.Asker {
	return &asker{w, w.Hub.Asker(Tenant, sayso.Responder{ID: id})}
}

type asker struct {
	w *World
	hub.Asker
}

func (s *asker) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	if err := s.w.away(); err != nil {
		return nil, err
	}
	return s.Asker.Submit(ctx, a)
}

func (s *asker) Get(ctx context.Context, handle string) (*hub.Ticket, error) {
	if err := s.w.away(); err != nil {
		return nil, err
	}
	return s.Asker.Get(ctx, handle)
}

func (s *asker) Wait(ctx context.Context, handle string) (t *hub.Ticket, err error) {
	err = s.w.watch(ctx, func(ctx context.Context) (err error) { t, err = s.Asker.Wait(ctx, handle); return err })
	return t, err
}

func (s *asker) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	if err := s.w.away(); err != nil {
		return nil, err
	}
	return s.Asker.Consume(ctx, handle)
}

func (s *asker) Relay(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if err := s.w.away(); err != nil {
		return nil, err
	}
	return s.Asker.Relay(ctx, seen, o)
}

func (s *asker) Watch(ctx context.Context, f *hub.Filter, fn func(hub.Change)) error {
	return s.w.watch(ctx, func(ctx context.Context) error { return s.Asker.Watch(ctx, f, fn) })
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ErrSettled is what [Request].Reply returns if the agent has an answer already.
var ErrSettled = errors.New("bridge: the agent has an answer already")

// Options are the options of [New]. Host must be set.
type Options struct {
	// Host is how surfaces name the agent, and the place where a person is who answers in
	// its own dialog.
	Host string

	// Place says what people call a folder, and which branch is checked out there.
	// Default: the last part of its path, and none.
	Place func(dir string) (workspace, branch string)

	Log *slog.Logger // default: none is kept
}

// Bridge is between one agent and the hub. It may be used from several goroutines.
type Bridge struct {
	hub  hub.Asker
	opts Options

	life context.Context
	end  context.CancelCauseFunc
	work sync.WaitGroup

	storing context.Context // outlives life a little
	lastEnd context.CancelFunc

	mu   sync.Mutex
	open map[string]*request
	owed map[string][]*hub.Ticket // by session: what was taken from the hub and did not reach the agent
}

// New returns a bridge to the hub. Close it.
func New(h hub.Asker, o *Options) *Bridge {
	b := &Bridge{hub: h, opts: *o, open: map[string]*request{}, owed: map[string][]*hub.Ticket{}}
	if b.opts.Place == nil {
		b.opts.Place = func(dir string) (string, string) {
			if dir == "" {
				return "", ""
			}
			return filepath.Base(dir), ""
		}
	}
	if b.opts.Log == nil {
		b.opts.Log = slog.New(slog.DiscardHandler)
	}
	b.life, b.end = context.WithCancelCause(context.Background())
	b.storing, b.lastEnd = context.WithCancel(context.Background())
	return b
}

// Request is something that the agent asks, and waits for.
type Request struct {
	ID  string     // the agent's name for the request
	Ask *sayso.Ask // of [Bridge.Question] or [Bridge.Approval]

	// Now returns the ask as it would be made now, of a request for permission whose
	// files may have changed since. Default: nothing can change.
	Now func() (*sayso.Ask, error)

	// Again reports whether the agent still waits for a request whose answer was handed
	// over before: by another process that connects the same agent, or by one that was
	// killed before the agent had it. Then it is asked again. Default: it does.
	Again func(ctx context.Context) bool

	// Reply hands the answer to the agent. It is called once at most, and returns
	// [ErrSettled] if the agent's own dialog was faster.
	Reply func(ctx context.Context, t *Told) error
}

// Told is what the agent is told.
type Told struct {
	// Ask and Outcome are what came of the question: an answer, or the decision of a
	// person not to give one.
	Ask     *sayso.Ask
	Outcome *sayso.Outcome

	// Verdict is what was decided about a request for permission. Changed says that it was
	// allowed, and that something else would run now: the agent must refuse it.
	Verdict *sayso.Verdict
	Changed bool
}

// Why a request ends.
var (
	errClosed = errors.New("bridge: the connection to the agent has ended")
	errThere  = errors.New("answered in the agent's own dialog")
	errHanded = errors.New("another process has handed over the answer")
)

// Open asks the hub, and replies to the agent when there is an answer. It returns at
// once. A request that is open already is not asked again.
func (b *Bridge) Open(r *Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[r.ID] != nil || b.life.Err() != nil {
		return
	}
	q := &request{Request: r, bridge: b}
	q.ctx, q.stop = context.WithCancelCause(b.life)
	b.open[r.ID] = q
	b.work.Go(func() {
		if err := q.run(); err != nil {
			b.opts.Log.Info("a request ended without an answer from the hub", "host", b.opts.Host, "request", r.ID, "err", err)
		}
		q.stop(nil)
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.open, r.ID)
	})
}

// Waits reports whether a request is open.
func (b *Bridge) Waits(id string) bool { return b.find(id) != nil }

func (b *Bridge) find(id string) *request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[id]
}

// Settled says that the agent's own dialog has the answer. A nil outcome is one that is
// not known. It returns at once. What was just handed over to the agent is not settled
// by the echo of it.
func (b *Bridge) Settled(id string, said *sayso.Outcome) {
	if q := b.find(id); q != nil {
		q.settle(said)
	}
}

// Dropped says that the agent no longer waits, and why: the ask is withdrawn. It returns
// at once.
func (b *Bridge) Dropped(id, why string) {
	if q := b.find(id); q != nil {
		q.drop(why)
	}
}

// Left says that the agent no longer waits, and that nobody has said anything: a
// question stays open, a request for permission is withdrawn. It returns at once.
func (b *Bridge) Left(id string) {
	if q := b.find(id); q != nil {
		q.drop("")
	}
}

// Close ends the bridge and waits. Requests for permission are withdrawn, questions stay
// open.
func (b *Bridge) Close() {
	b.end(errClosed)
	defer time.AfterFunc(brief, b.lastEnd).Stop()
	b.work.Wait()
	b.lastEnd()
}

// brief is how long the hub is tried when the agent no longer waits.
const brief = 5 * time.Second

// withdraw closes an ask that nobody waits for any more.
func (b *Bridge) withdraw(t *hub.Ticket, status sayso.Status, why string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.life), brief)
	defer cancel()
	_, err := b.hub.Withdraw(ctx, t.Handle, status, why)
	var closed *hub.ClosedError
	if err == nil || errors.As(err, &closed) {
		return nil
	}
	return fmt.Errorf("withdrawing the ask: %w", err)
}

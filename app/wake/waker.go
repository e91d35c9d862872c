package wake

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Start].
type Options struct {
	Tenant string
	Notes  *Notes

	// Config returns what the person configured. It is read anew for each answer.
	Config func() (*Config, error)

	Grace time.Duration    // how long an answer can be undone before it counts; default: 5 seconds
	Env   []string         // of the commands; default: that of this process, without what agents say of themselves
	Now   func() time.Time // default: time.Now
	Log   *slog.Logger     // default: nothing is logged
}

// maxAge is how old an answer may be: one that was given while no hub ran, or that a
// session left alone that has ended since, does not start anything long after.
const maxAge = 10 * time.Minute

// lookAgain is how often the asks that are noted are looked at, in case a change was
// missed.
const lookAgain = 30 * time.Second

// again is how long a session that is being resumed is left alone.
const again = 5 * time.Second

// Waker resumes sessions.
type Waker struct {
	hub   *hub.Hub
	store hub.Store
	o     Options

	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	waiting map[hub.Address]bool
	left    map[hub.Address]bool     // their sessions ran, or were resumed
	turns   map[string]chan struct{} // by session: who holds the token resumes it
}

// Start begins to compare answers with the notes. Close the waker before the hub.
func Start(h *hub.Hub, store hub.Store, o *Options) *Waker {
	w := &Waker{hub: h, store: store, o: *o, waiting: map[hub.Address]bool{}, left: map[hub.Address]bool{}, turns: map[string]chan struct{}{}}
	if w.o.Grace == 0 {
		w.o.Grace = 5 * time.Second
	}
	if w.o.Now == nil {
		w.o.Now = time.Now
	}
	if w.o.Log == nil {
		w.o.Log = slog.New(slog.DiscardHandler)
	}
	if w.o.Env == nil {
		w.o.Env = environment(os.Environ())
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.wg.Go(func() { w.follow(ctx) })
	w.wg.Go(func() {
		for ctx.Err() == nil {
			w.o.Notes.Clear(w.o.Now())
			sleep(ctx, time.Hour)
		}
	})
	w.wg.Go(func() {
		for sleep(ctx, lookAgain); ctx.Err() == nil; sleep(ctx, lookAgain) {
			w.o.Notes.handles(func(handle string) { w.look(ctx, handle) })
		}
	})
	return w
}

// Close ends the waker. Commands that run go on.
func (w *Waker) Close() {
	w.stop()
	w.wg.Wait()
}

// follow learns of answers: those that came before it began, too.
func (w *Waker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		f, err := w.hub.Follow(ctx, w.o.Tenant, &hub.Filter{Unconsumed: true}, "")
		for err == nil {
			var events []hub.FollowEvent
			if events, err = f.Next(ctx); err == nil {
				for _, e := range events {
					w.hear(ctx, e.Ticket)
				}
			}
		}
		if f != nil {
			f.Close()
		}
		if errors.Is(err, hub.ErrStopped) {
			return
		}
		sleep(ctx, time.Second)
	}
}

// leave has the ask not looked at again.
func (w *Waker) leave(at hub.Address) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left[at] = true
}

// look hears of an ask that is noted, in case a change was missed. A session that was
// left alone, because it ran or was resumed, stays so.
func (w *Waker) look(ctx context.Context, handle string) {
	addr, err := w.hub.Address(handle)
	if err != nil {
		return
	}
	w.mu.Lock()
	left := w.left[addr]
	w.mu.Unlock()
	if left {
		return
	}
	if t, err := w.hub.Get(ctx, addr); err == nil {
		w.hear(ctx, t)
	}
}

// counts reports whether the ticket has an answer of a person that the agent lacks.
func (w *Waker) counts(t *hub.Ticket) bool {
	return t != nil && !t.Open() && t.Consumed.IsZero() && t.Ask.Approval == nil &&
		t.Outcome.Status == sayso.StatusAnswered && t.Outcome.By.Kind.Human() &&
		w.o.Now().Sub(t.Outcome.At) < maxAge
}

func (w *Waker) hear(ctx context.Context, t *hub.Ticket) {
	if !w.counts(t) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[t.Address] {
		return
	}
	w.waiting[t.Address] = true
	w.wg.Go(func() {
		w.consider(ctx, t)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, t.Address)
	})
}

// consider resumes the session that asked, if it has ended and does not have the answer
// by the time at which it can count on it.
func (w *Waker) consider(ctx context.Context, t *hub.Ticket) {
	for ctx.Err() == nil {
		sleep(ctx, t.Outcome.At.Add(w.o.Grace).Sub(w.o.Now()))
		note := w.o.Notes.Note(w.hub.Handle(t.Address))
		if note == nil || ctx.Err() != nil {
			return
		}
		next, pause := w.decide(ctx, t, note)
		if next == nil {
			return
		}
		t = next
		sleep(ctx, pause)
	}
}

// decide resumes the session, or returns the ticket to consider again after a pause.
func (w *Waker) decide(ctx context.Context, t *hub.Ticket, note *Note) (*hub.Ticket, time.Duration) {
	turn := w.turn(note)
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, 0
	}
	log := w.o.Log.With("ask", t.Ask.ID, "agent", note.Agent)
	now, err := w.hub.Get(ctx, t.Address)
	if err != nil {
		log.Warn("the session is not resumed", "error", err)
		return nil, 0
	}
	if !w.counts(now) {
		return nil, 0
	}
	if w.o.Now().Before(now.Outcome.At.Add(w.o.Grace)) {
		return now, 0 // undone, and answered again
	}
	c, err := w.o.Config()
	if err != nil {
		log.Warn("the session is not resumed", "error", err)
		return nil, 0
	}
	words, dir, err := c.command(&note.Session)
	if errors.Is(err, ErrOff) {
		return nil, 0
	}
	if err != nil {
		log.Warn("the session is not resumed", "error", err)
		return nil, 0
	}
	if note.Process.Life() != Gone || note.Through != "" && note.Through.Life() != Gone || w.o.Notes.Lives(note.Agent, note.ID) {
		log.Info("the session is not resumed: it still runs")
		w.leave(t.Address)
		return nil, 0
	}
	busy, err := w.busy(ctx, &note.Session, w.o.Now())
	if err != nil || busy {
		return now, again
	}
	run := &Run{
		Ask: now.Ask.ID, Agent: note.Agent, Session: note.ID, Dir: dir, Command: words, At: w.o.Now().UTC().Round(0), Nonce: rand.Text(),
		address: hub.Address{Tenant: w.o.Tenant, Conversation: now.Address.Conversation, ID: now.Ask.ID},
	}
	var revision uint64
	ours, err := w.record(ctx, run, &revision)
	switch {
	case err != nil:
		log.Warn("the session is not resumed", "error", err)
		return nil, 0
	case !ours:
		log.Info("the session is not resumed: a run for this answer is recorded")
		w.leave(t.Address)
		return nil, 0
	}
	w.leave(t.Address)
	w.resume(ctx, run, &revision, log)
	return nil, 0
}

// turn returns what one at a time holds who resumes the session.
func (w *Waker) turn(n *Note) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := n.Agent + "\x00" + n.ID
	if w.turns[key] == nil {
		w.turns[key] = make(chan struct{}, 1)
	}
	return w.turns[key]
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

package connlimit

import (
	"log/slog"
	"sync"
	"time"
)

// Reason is why the guard closed a connection.
type Reason string

// The reasons.
const (
	FromAddress       Reason = "address"            // one address had too many
	WithoutCredential Reason = "without-credential" // too many had no credential
	WithCredential    Reason = "with-credential"    // too many had one
	NoDescriptors     Reason = "no-descriptors"     // the process had no file descriptor left
)

var reasons = []Reason{FromAddress, WithoutCredential, WithCredential, NoDescriptors}

// report tells at intervals how many connections were closed.
type report struct {
	every time.Duration
	turn  sync.Mutex // one tells at a time

	mu     sync.Mutex
	counts map[Reason]int
	last   time.Time
	timer  *time.Timer // nil: there is nothing to tell
	ended  bool
	work   sync.WaitGroup
}

// add counts one. The first is told after a second, so that the line says more
// than 1.
func (r *report) add(g *Guard, why Reason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	if r.counts == nil {
		r.counts = map[Reason]int{}
	}
	r.counts[why]++
	if r.timer == nil {
		r.work.Add(1)
		r.timer = time.AfterFunc(max(time.Second, r.every-time.Since(r.last)), func() {
			defer r.work.Done()
			r.tell(g)
		})
	}
}

func (r *report) tell(g *Guard) {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	counts := r.counts
	r.counts, r.timer, r.last = nil, nil, time.Now()
	r.mu.Unlock()
	attrs := []any{slog.Int("limit", g.opts.Limits.Total()), slog.Int("limit-without-credential", g.opts.Limits.Anonymous)}
	for _, why := range reasons {
		if n := counts[why]; n > 0 {
			attrs = append(attrs, slog.Int(string(why), n))
			if g.opts.Closed != nil {
				g.opts.Closed(why, n)
			}
		}
	}
	g.opts.Log.Warn("closed the slowest connections to make room", attrs...)
}

// close tells nothing more, and waits for what is being told.
func (r *report) close() {
	r.mu.Lock()
	r.ended = true
	if r.timer != nil && r.timer.Stop() {
		r.timer = nil
		r.work.Done()
	}
	r.mu.Unlock()
	r.work.Wait()
}

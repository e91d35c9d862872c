package natsstore

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/hub"
)

// A subscription to a part of a stream sees gaps in the sequences all the time, so it cannot tell by them that the last
// notifications were lost. Instead, every now and then the newest sequence that a watch concerns is compared with the newest
// that it heard.

// maxChecks is how many checks there are at a time.
const maxChecks = 8

// doubts is the queue of checks, the next one first.
type doubts struct {
	mu    sync.Mutex
	queue checks
	wake  chan struct{} // holds one token
	done  atomic.Uint64 // how many checks were made
}

// suspicion is what was stored and not heard. It may be on its way.
type suspicion struct {
	newest  []uint64 // by mark
	pending uint64   // of the line: what was on its way then is delivered once it has delivered as many
}

func newDoubts() *doubts { return &doubts{wake: make(chan struct{}, 1)} }

// add makes sure that the watch is checked that soon. A check that is due earlier stays.
func (d *doubts) add(w *watcher, in time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := time.Now().Add(in)
	switch {
	case w.index < 0:
		w.due = due
		heap.Push(&d.queue, w)
	case due.Before(w.due):
		w.due = due
		heap.Fix(&d.queue, w.index)
	default:
		return
	}
	if w.index == 0 {
		select {
		case d.wake <- struct{}{}:
		default:
		}
	}
}

func (d *doubts) remove(w *watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.index >= 0 {
		heap.Remove(&d.queue, w.index)
	}
}

// next returns a watch whose check is due, or how long to wait.
func (d *doubts) next() (*watcher, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		return nil, time.Hour
	}
	if wait := time.Until(d.queue[0].due); wait > 0 {
		return nil, wait
	}
	return heap.Pop(&d.queue).(*watcher), 0
}

// first is when a watch is checked for the first time: soon on several nodes, where another may learn of the subscription
// a moment late.
func (s *Store) first() time.Duration {
	if s.routed {
		return s.soon()
	}
	return s.later()
}

// later is when a watch is checked again, soon is when that failed, and grace is how long a notification may be on its way.
func (s *Store) later() time.Duration { return s.opts.Doubt/2 + rand.N(s.opts.Doubt/2+1) }
func (s *Store) soon() time.Duration  { return s.grace() + rand.N(s.opts.Doubt/12+1) }
func (s *Store) grace() time.Duration { return s.opts.Doubt / 120 }

// check runs the checks that are due until ctx ends.
func (s *Store) check(ctx context.Context) {
	room := make(gate, maxChecks)
	var wg sync.WaitGroup
	defer wg.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		w, wait := s.doubts.next()
		if w == nil {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return
			case <-s.doubts.wake:
			case <-timer.C:
			}
			continue
		}
		if room.enter(ctx) != nil {
			return
		}
		wg.Go(func() {
			defer room.leave()
			in := s.examine(ctx, w)
			s.doubts.done.Add(1)
			if in > 0 {
				s.doubts.add(w, in)
				w.mu.Lock()
				ended := w.fn == nil
				w.mu.Unlock()
				if ended { // while it was examined
					s.doubts.remove(w)
				}
			}
		})
	}
}

// examine finds out whether a watch missed something, and returns when to look again, zero if it has ended.
func (s *Store) examine(ctx context.Context, w *watcher) time.Duration {
	w.mu.Lock()
	live, suspect := w.live, w.suspect
	w.mu.Unlock()
	switch {
	case !live:
		return 0
	case suspect == nil:
		newest, err := s.compare(ctx, w)
		if err != nil {
			return s.soon()
		}
		suspect = &suspicion{newest, s.line.pending()}
		w.mu.Lock()
		defer w.mu.Unlock()
		if !suspect.stands(w) {
			return s.later()
		}
		w.suspect = suspect
		return s.grace()
	case s.line.done.Load() < suspect.pending:
		return s.grace()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suspect = nil
	if w.live && suspect.stands(w) {
		for i, seq := range suspect.newest {
			w.marks[i].heard = max(w.marks[i].heard, seq)
		}
		w.fn(hub.Record{})
	}
	return s.later()
}

// stands reports whether something was not heard still. The watch is locked.
func (p *suspicion) stands(w *watcher) bool {
	for i, seq := range p.newest {
		if seq > w.marks[i].heard {
			return true
		}
	}
	return false
}

// compare returns the newest sequences that the watch should have heard, by mark.
func (s *Store) compare(ctx context.Context, w *watcher) ([]uint64, error) {
	newest := make([]uint64, len(w.marks))
	for i := range newest {
		sh := s.shards[w.shard(i)]
		if w.wide() { // most often there is nothing new at all, which costs less to see
			state, err := s.state(ctx, sh.stream(w.area))
			if err != nil {
				return nil, err
			}
			w.mu.Lock()
			heard := w.marks[i].heard
			w.mu.Unlock()
			if state.Last <= heard {
				continue
			}
		}
		var err error
		if newest[i], err = s.newest(ctx, sh, w); err != nil {
			return nil, err
		}
	}
	return newest, nil
}

// checks is a heap.
type checks []*watcher

func (c checks) Len() int           { return len(c) }
func (c checks) Less(i, j int) bool { return c[i].due.Before(c[j].due) }
func (c checks) Swap(i, j int) {
	c[i], c[j] = c[j], c[i]
	c[i].index, c[j].index = i, j
}

func (c *checks) Push(x any) {
	w := x.(*watcher)
	w.index = len(*c)
	*c = append(*c, w)
}

func (c *checks) Pop() any {
	old := *c
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*c = old[:len(old)-1]
	w.index = -1
	return w
}

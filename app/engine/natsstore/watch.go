package natsstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// Watch reports changes; see hub.Store. It subscribes to what the query selects and to nothing else. All watches
// share a goroutine.
func (s *Store) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	w, err := s.subscribe(ctx, q, ready, fn) // apart, so that little of the stack is in use while nothing happens
	if err != nil {
		return err
	}
	defer s.unsubscribe(w)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.over.Done():
		return context.Cause(s.over)
	}
}

func (s *Store) subscribe(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) (*watcher, error) {
	if s.over.Err() != nil {
		return nil, context.Cause(s.over)
	}
	w, err := s.newWatcher(q, fn)
	if err != nil {
		return nil, fmt.Errorf("natsstore: watch: %w", err)
	}
	if err := s.line.add(s.nc, s.names.event(w.area, w.ss(s), w.q), w); err != nil {
		return nil, fmt.Errorf("natsstore: watch: %w", err)
	}
	// The requests go the way of the subscription: once they are answered, the server has it.
	base, err := s.base(ctx, w)
	if err != nil {
		s.unsubscribe(w)
		return nil, fmt.Errorf("natsstore: watch: %w", err)
	}
	w.begin(base, ready)
	s.doubts.add(w, s.first())
	return w, nil
}

func (s *Store) unsubscribe(w *watcher) {
	w.end()
	s.doubts.remove(w)
	s.line.remove(w)
}

// base returns, for each shard that the watch concerns, a sequence before which nothing is news for it.
func (s *Store) base(ctx context.Context, w *watcher) ([]uint64, error) {
	base := make([]uint64, len(w.marks))
	err := each(len(base), func(i int) error {
		sh := s.shards[w.shard(i)]
		return s.patient(ctx, func() (err error) { // a new stream may have no leader yet
			if w.wide() || s.fenced(w.area) {
				base[i], err = s.last(ctx, sh, w.area)
				return err
			}
			base[i], err = s.newest(ctx, sh, w)
			return err
		})
	})
	return base, err
}

// last returns the last sequence of a shard's stream. Where a node that is cut off might answer, it is that of a fence.
func (s *Store) last(ctx context.Context, sh *shard, area string) (uint64, error) {
	if s.fenced(area) {
		return s.passFence(ctx, sh)
	}
	state, err := s.state(ctx, sh.stream(area))
	if err == nil {
		sh.know(area, state.Last)
	}
	return state.Last, err
}

// newest returns the last sequence of what the watch concerns in a shard, as the leader has it; zero if there is nothing.
func (s *Store) newest(ctx context.Context, sh *shard, w *watcher) (uint64, error) {
	seq, err := s.newestOf(ctx, sh.stream(w.area), s.names.filter(w.area, sh.ss, w.q))
	if err == nil {
		sh.know(w.area, seq)
	}
	return seq, err
}

func (s *Store) newestOf(ctx context.Context, stream, filter string) (uint64, error) {
	read := s.readLeader
	if s.opts.Replicas == 1 {
		read = s.readLast
	}
	m, err := read(ctx, stream, filter)
	return m.seq, err
}

// watcher is one call of Watch.
type watcher struct {
	q    hub.Query
	area string
	one  int // the shard it concerns; -1: all
	sub  *nats.Subscription

	due     time.Time // of its next check, and where it is in the queue of them
	index   int
	dropped int // how many of its notifications the client had dropped when it was last looked at

	mu      sync.Mutex // one call of fn at a time, and none after the end
	fn      func(hub.Record)
	live    bool
	marks   []mark // of the shards it concerns
	suspect *suspicion
}

// mark is how far a watch is in one shard.
type mark struct {
	base  uint64 // what is not behind it is older than the watch
	heard uint64 // the newest that was heard
}

func (s *Store) newWatcher(q hub.Query, fn func(hub.Record)) (*watcher, error) {
	ar, err := area(q.Kind)
	if err != nil {
		return nil, err
	}
	q.Due, q.After, q.Limit, q.Bytes, q.Cursor = time.Time{}, nil, 0, 0, ""
	w := &watcher{q: q, area: ar, one: s.only(q), fn: fn, index: -1}
	n := len(s.shards)
	if w.one >= 0 {
		n = 1
	}
	w.marks = make([]mark, n)
	return w, nil
}

// only returns the one shard that has what a query selects, or -1.
func (s *Store) only(q hub.Query) int {
	ar, _ := area(q.Kind)
	switch {
	case len(s.shards) == 1 || shared(ar):
		return 0
	case q.Tenant != "" && q.Person != nil:
		return shardOf(q.Tenant, *q.Person, len(s.shards))
	}
	return -1
}

// ss is the token of the shards in the subjects it wants.
func (w *watcher) ss(s *Store) string {
	if w.one < 0 {
		return "*"
	}
	return s.shards[w.one].ss
}

func (w *watcher) shard(mark int) int {
	if w.one >= 0 {
		return w.one
	}
	return mark
}

func (w *watcher) mark(shard int) (int, bool) {
	if w.one >= 0 {
		return 0, shard == w.one
	}
	return shard, shard < len(w.marks)
}

// wide reports whether it concerns so much that its newest is better looked for in the whole stream.
func (w *watcher) wide() bool { return w.q.Person == nil && w.q.Asker == nil && w.q.Conversation == "" }

// begin says that the watch is ready. What was heard before is left out: a list from now on has it.
func (w *watcher) begin(base []uint64, ready func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.marks {
		m := &w.marks[i]
		m.base = max(base[i], m.heard)
		m.heard = m.base
	}
	if ready != nil {
		ready()
	}
	w.live = true
}

func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fn, w.live = nil, false
}

// hear takes a notification: of a record, of something else, or of one that cannot be read.
func (w *watcher) hear(shard int, seq uint64, r hub.Record, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, mine := w.mark(shard)
	if !mine {
		return
	}
	m := &w.marks[i]
	switch {
	case !w.live:
		m.heard = max(m.heard, seq)
	case seq <= m.base: // late, and from before
	case seq <= m.heard || err != nil: // overtaken, as when the leader changed
		w.fn(hub.Record{})
	default:
		m.heard = seq
		if ok && w.q.Match(r) {
			w.fn(r)
		}
	}
}

// each calls f for 0 to n-1, all at once, and joins the errors.
func each(n int, f func(int) error) error {
	if n == 1 {
		return f(0)
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

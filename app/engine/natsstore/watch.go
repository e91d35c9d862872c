package natsstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/saysohq/sayso/hub"
)

// Watch reports changes; see hub.Store. All calls share one subscription.
func (s *Store) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	ar, err := area(q.Kind)
	if err != nil {
		return fmt.Errorf("natsstore: watch: %w", err)
	}
	q.Due = hub.Query{}.Due
	w := &watcher{q: q, fn: fn}
	for _, sh := range s.shards {
		var state streamState
		err := s.patient(ctx, func() (err error) {
			state, err = s.state(ctx, sh.stream(ar))
			return err
		})
		if err != nil {
			return fmt.Errorf("natsstore: watch: %w", err)
		}
		w.from = append(w.from, state.Last)
	}
	if err := s.bell.add(w); err != nil {
		return err
	}
	defer s.bell.remove(w)
	if ready != nil {
		ready()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.bell.done:
		return s.bell.err()
	}
}

// watcher is one call of Watch.
type watcher struct {
	q    hub.Query
	from []uint64   // by shard: events up to this sequence are older than the watch, and only late
	mu   sync.Mutex // one call of fn at a time, and none after the end
	fn   func(hub.Record)
}

func (w *watcher) call(r hub.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fn != nil {
		w.fn(r)
	}
}

// bell hands events to the watchers whose query they match.
type bell struct {
	mu       sync.RWMutex
	watchers map[inbox]map[*watcher]struct{}
	last     map[int]uint64 // the newest sequence of the tickets in each shard
	why      error
	done     chan struct{}
}

// inbox is what watchers are looked up by, so that an event costs what those cost who may want it.
type inbox struct {
	anyone bool // of the tenant, or of all when tenant is empty
	tenant string
	person string
}

func inboxOf(q hub.Query) inbox {
	switch {
	case q.Tenant == "":
		return inbox{anyone: true}
	case q.Person == nil:
		return inbox{anyone: true, tenant: q.Tenant}
	}
	return inbox{tenant: q.Tenant, person: *q.Person}
}

func newBell() *bell {
	return &bell{watchers: map[inbox]map[*watcher]struct{}{}, last: map[int]uint64{}, done: make(chan struct{})}
}

func (b *bell) add(w *watcher) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why != nil {
		return b.why
	}
	k := inboxOf(w.q)
	if b.watchers[k] == nil {
		b.watchers[k] = map[*watcher]struct{}{}
	}
	b.watchers[k][w] = struct{}{}
	return nil
}

func (b *bell) remove(w *watcher) {
	b.mu.Lock()
	k := inboxOf(w.q)
	delete(b.watchers[k], w)
	if len(b.watchers[k]) == 0 {
		delete(b.watchers, k)
	}
	b.mu.Unlock()
	w.mu.Lock()
	w.fn = nil
	w.mu.Unlock()
}

// ring tells everybody who wants to know of a record in a shard.
func (b *bell) ring(shard int, r hub.Record) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, k := range [...]inbox{{tenant: r.Address.Tenant, person: r.Address.Person}, {anyone: true, tenant: r.Address.Tenant}, {anyone: true}} {
		for w := range b.watchers[k] {
			if r.Revision > w.from[shard] && w.q.Match(r) {
				w.call(r)
			}
		}
	}
}

// missed tells everybody that changes may have been missed.
func (b *bell) missed() {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, ws := range b.watchers {
		for w := range ws {
			w.call(hub.Record{})
		}
	}
}

// arrived notes the sequence of an event. It reports whether the event is news, and whether others are missing before it.
func (b *bell) arrived(shard int, seq uint64) (news, gap bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, known := b.last[shard]
	if known && seq <= last {
		return false, false // overtaken when the leader changed; the gap was reported then
	}
	b.last[shard] = seq
	return true, known && seq != last+1
}

// start says that the shard's newest sequence was this one after the subscription was made.
func (b *bell) start(shard int, seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.last[shard]; !known {
		b.last[shard] = seq
	}
}

// heard returns the newest sequence of a shard that was heard of.
func (b *bell) heard(shard int) uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.last[shard]
}

// catchUp says that the shard's newest sequence is this one.
func (b *bell) catchUp(shard int, seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last[shard] = seq
}

// end makes every Watch return.
func (b *bell) end(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why == nil {
		b.why = why
		close(b.done)
	}
}

func (b *bell) err() error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.why
}

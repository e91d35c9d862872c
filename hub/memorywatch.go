package hub

import (
	"context"
	"maps"
	"slices"
)

// watchQueue is how many changes wait before the watchers have to read again.
const watchQueue = 4096

// memoryWatch is one call of Watch.
type memoryWatch struct {
	q    Query
	fn   func(Record)
	from uint64 // what is older is not for it
}

// Watch reports changes; see [Store]. Put fills the queue of the store, and whoever
// watches empties it, on behalf of all: so that they are told in one order.
func (m *Memory) Watch(ctx context.Context, q Query, ready func(), fn func(Record)) error {
	q.Due, q.After = Record{}.Due, nil
	w := &memoryWatch{q: q, fn: fn}
	m.mu.Lock()
	w.from = m.last
	m.watchers[w] = struct{}{}
	m.mu.Unlock()
	defer func() {
		m.telling <- struct{}{} // it is not being told any more
		m.mu.Lock()
		delete(m.watchers, w)
		m.mu.Unlock()
		<-m.telling
		m.wakeOne() // if it was woken, another takes its turn
	}()
	if ready != nil {
		ready()
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wake:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m.telling <- struct{}{}:
		}
		m.tell()
		<-m.telling
	}
}

// tell tells every watcher what is queued. One does so at a time.
func (m *Memory) tell() {
	m.mu.Lock()
	queue, missed := m.queue, m.missed
	m.queue, m.missed = nil, false
	watchers := slices.Collect(maps.Keys(m.watchers))
	m.mu.Unlock()
	if missed {
		for _, w := range watchers {
			w.fn(Record{})
		}
	}
	for _, r := range queue {
		for _, w := range watchers {
			if r.Revision > w.from && w.q.Match(r) {
				w.fn(r)
			}
		}
	}
}

// ring queues a change. The lock is held.
func (m *Memory) ring(r Record) {
	if len(m.watchers) == 0 {
		return
	}
	if len(m.queue) == watchQueue {
		m.queue, m.missed = nil, true
	}
	m.queue = append(m.queue, r)
	m.wakeOne()
}

func (m *Memory) wakeOne() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

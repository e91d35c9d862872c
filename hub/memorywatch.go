package hub

import "context"

// watchQueue is how many changes wait for a watcher before it has to read again.
const watchQueue = 4096

// memoryWatch is one call of Watch. Put fills its queue, the caller's own
// goroutine empties it.
type memoryWatch struct {
	q      Query
	queue  []Record
	missed bool
	wake   chan struct{} // holds one token
}

// Watch reports changes; see [Store].
func (m *Memory) Watch(ctx context.Context, q Query, ready func(), fn func(Record)) error {
	q.Due = Record{}.Due
	w := &memoryWatch{q: q, wake: make(chan struct{}, 1)}
	m.mu.Lock()
	m.watchers[w] = struct{}{}
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.watchers, w)
		m.mu.Unlock()
	}()
	if ready != nil {
		ready()
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.wake:
		}
		m.mu.Lock()
		queue, missed := w.queue, w.missed
		w.queue, w.missed = nil, false
		m.mu.Unlock()
		if missed {
			fn(Record{})
		}
		for _, r := range queue {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fn(r)
		}
	}
}

// ring is called with the store's lock held.
func (w *memoryWatch) ring(r Record) {
	if !w.q.Match(r) {
		return
	}
	if len(w.queue) == watchQueue {
		w.queue, w.missed = nil, true
	} else if !w.missed {
		w.queue = append(w.queue, r)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

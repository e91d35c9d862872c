package hub

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// readers is how many asks are read on others' behalf at the same time.
const readers = 8

// keep looks, at every tick, for asks to read again and for deadlines that have
// passed. Reads are paced by ticks, so that a jump of the wall clock does not
// hold them up; deadlines follow the wall clock, which the asker meant.
func (h *Hub) keep(ctx context.Context) {
	ticker := time.NewTicker(h.opts.Tick)
	defer ticker.Stop()
	sweep := make(chan struct{}, 1) // held by the sweep that runs
	var next time.Time
	before := h.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			h.wakeSnoozed(before)
			before = h.now()
			h.interests.turn()
			h.counts.turn(h.interests.linger)
			h.turnSearches()
			h.reads.again(h.waiting.due())
			h.reads.again(h.deadlines.passed(h.now()))
		}
		now := h.now()
		if now.Before(next) {
			continue
		}
		select {
		case sweep <- struct{}{}:
			next = now.Add(h.opts.Sweep)
			h.work.Go(func() {
				defer func() { <-sweep }()
				h.collect(ctx, now)
			})
		default:
		}
	}
}

// collect finds the deadlines of the time until the sweep after the next.
func (h *Hub) collect(ctx context.Context, now time.Time) {
	until := now.Add(2 * h.opts.Sweep)
	h.deadlines.reach(until)
	for pause := h.opts.Tick; ; pause = min(2*pause, time.Minute) {
		err := h.eachDue(ctx, until, func(r Record) error {
			h.deadlines.add(r.Address, r.Due, r.Revision)
			return nil
		})
		if err == nil || sleep(ctx, pause) != nil {
			return
		}
	}
}

// reread reads an ask on behalf of those who wait for it, and of its deadline.
// What fails is tried again at its next turn.
func (h *Hub) reread(ctx context.Context, addr Address) {
	began := h.waiting.last()
	deliver := func(n *news) { h.waiting.deliverTo(&addr, n, began) }
	r, err := h.store.Get(ctx, KindTicket, addr)
	hopeless := errors.Is(err, ErrNotFound)
	if err == nil {
		err = Verify(r)
		hopeless = err != nil
	}
	switch {
	case hopeless:
		h.deadlines.drop(addr)
		deliver(&news{err: fmt.Errorf("hub: reading ask %s: %w", addr.ID, err)})
	case err != nil:
	case r.Closed:
		h.deadlines.drop(addr)
		deliver(&news{change: &change{record: r}, read: true})
	case h.overdue(r.Due):
		if t, err := h.Get(ctx, addr); err == nil && !t.Open() {
			h.deadlines.drop(addr)
			// Without data, so that whoever waits reads it.
			deliver(&news{change: &change{record: Record{Address: addr, Closed: true, Revision: t.Revision}}, read: true})
		}
	default:
		h.deadlines.add(addr, r.Due, r.Revision)
		r.Data = nil
		deliver(&news{change: &change{record: r}, read: true})
	}
}

// reads is a queue of addresses to read.
type reads struct {
	mu      sync.Mutex
	filled  sync.Cond
	queue   []*Address           // pointers, as those who wait have small stacks
	queued  map[Address]struct{} // so that a slow store does not make it grow
	stopped bool
}

func (q *reads) init() {
	q.filled.L = &q.mu
	q.queued = map[Address]struct{}{}
}

// first asks for the first read on behalf of somebody who waits.
func (q *reads) first(addr *Address) {
	q.mu.Lock()
	q.queue = append(q.queue, addr)
	q.filled.Signal()
	q.mu.Unlock()
}

// again asks for reads that may be queued still.
func (q *reads) again(addrs []Address) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, addr := range addrs {
		if _, ok := q.queued[addr]; !ok {
			q.queued[addr] = struct{}{}
			q.queue = append(q.queue, &addr)
			q.filled.Signal()
		}
	}
}

// next returns what to read next, or false when the hub has stopped.
func (q *reads) next() (Address, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 && !q.stopped {
		q.filled.Wait()
	}
	if q.stopped {
		return Address{}, false
	}
	addr := *q.queue[0]
	if q.queue = q.queue[1:]; len(q.queue) == 0 {
		q.queue = nil // it may have been long
	}
	delete(q.queued, addr)
	return addr, true
}

func (q *reads) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	q.filled.Broadcast()
}

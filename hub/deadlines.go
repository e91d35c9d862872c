package hub

import (
	"container/heap"
	"sync"
	"time"
)

// again is how long after a deadline its ask is looked at again.
const again = 5 * time.Second

// deadlines are those that come soon. Later ones are left in the store until the
// next sweep, so that a million asks with a deadline next month cost nothing here.
type deadlines struct {
	mu    sync.Mutex
	until time.Time // later ones are not kept
	at    map[Address]*deadline
	queue deadlineQueue
}

type deadline struct {
	addr     Address
	at       time.Time
	revision uint64 // of the record that says so
	index    int
}

func (d *deadlines) init(until time.Time) {
	d.at, d.until = map[Address]*deadline{}, until
}

// reach lets deadlines be kept until then.
func (d *deadlines) reach(until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = until
}

// add notes when an ask is due, as the record of that revision says; zero is never.
// What an older record said no longer counts: an answer that is held makes an ask due
// earlier, and one that is taken back makes it due later.
func (d *deadlines) add(addr Address, at time.Time, revision uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one, none := d.at[addr], at.IsZero() || at.After(d.until)
	switch {
	case one == nil && none, one != nil && revision <= one.revision:
	case one == nil:
		one = &deadline{addr: addr, at: at, revision: revision}
		d.at[addr] = one
		heap.Push(&d.queue, one)
	case none:
		d.remove(one)
	default:
		one.at, one.revision = at, revision
		heap.Fix(&d.queue, one.index)
	}
}

func (d *deadlines) remove(one *deadline) {
	heap.Remove(&d.queue, one.index)
	delete(d.at, one.addr)
}

// drop forgets the deadline of an ask that is closed.
func (d *deadlines) drop(addr Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.at[addr]; one != nil {
		d.remove(one)
	}
}

// passed returns what is due. It comes again, in case that something goes wrong
// with it, until it is dropped.
func (d *deadlines) passed(now time.Time) []Address {
	d.mu.Lock()
	defer d.mu.Unlock()
	var addrs []Address
	for len(d.queue) > 0 && !now.Before(d.queue[0].at) {
		one := d.queue[0]
		one.at = now.Add(again)
		heap.Fix(&d.queue, 0)
		addrs = append(addrs, one.addr)
	}
	return addrs
}

// deadlineQueue is a heap of deadlines, the soonest first.
type deadlineQueue []*deadline

func (q deadlineQueue) Len() int           { return len(q) }
func (q deadlineQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q deadlineQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *deadlineQueue) Push(x any) {
	one := x.(*deadline)
	one.index = len(*q)
	*q = append(*q, one)
}

func (q *deadlineQueue) Pop() any {
	old := *q
	one := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return one
}

package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// How much a feed keeps for streams that come back.
const (
	keepEvents = 4096
	keepBytes  = 16 << 20
)

// feed is one tenant's waiting room as its streams are told of it. It watches the
// hub once, knows which asks are open, and puts their changes into one order in
// which each comes once, so that a stream that was cut goes on where it was.
type feed struct {
	hub    *hub.Hub
	tenant string
	keep   int           // events at most
	ready  chan struct{} // closed when it knows what is open

	mu     sync.Mutex
	listed bool
	open   map[hub.Address]mark
	askers map[string]int // how many open asks each has, reserved ones too

	epoch  string
	log    []*event                    // the last changes
	recent map[hub.Address]*hub.Ticket // the newest of each ask in the log: bells may ring twice
	first  uint64                      // the number of log[0]
	bytes  int
	wake   chan struct{} // closed at the next change
}

// mark is what is kept of an open ask. One that is only reserved has revision 0.
type mark struct {
	revision uint64
	asker    string
}

func newFeed(h *hub.Hub, tenant string, keep int) *feed {
	f := &feed{
		hub: h, tenant: tenant, keep: keep, ready: make(chan struct{}),
		open: map[hub.Address]mark{}, askers: map[string]int{}, wake: make(chan struct{}),
	}
	f.restart()
	return f
}

// restart gives up the order of events, so that every stream begins anew. The
// lock is held, or nobody else knows f yet.
func (f *feed) restart() {
	b := make([]byte, 8)
	rand.Read(b) // never fails
	f.epoch, f.log, f.recent, f.first, f.bytes = hex.EncodeToString(b), nil, map[hub.Address]*hub.Ticket{}, 1, 0
	f.ring()
}

// ring wakes the streams. The lock is held.
func (f *feed) ring() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// run follows the hub until ctx ends or the hub stops.
func (f *feed) run(ctx context.Context) {
	var next time.Time // when it may list again
	f.hub.Watch(ctx, f.tenant, nil, func(c hub.Change) {
		switch {
		case c.Reset:
			// Who cannot keep up has to list again, and must not do only that.
			if !sleep(ctx, time.Until(next)) {
				return
			}
			start := time.Now()
			f.relist(ctx)
			next = time.Now().Add(10 * time.Since(start))
		case c.Ticket != nil:
			f.tell(c.Ticket)
		}
	})
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// tell takes in a ticket, and tells the streams if it is news.
func (f *feed) tell(t *hub.Ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hear(t)
}

// hear is tell with the lock held.
func (f *feed) hear(t *hub.Ticket) {
	if last := f.recent[t.Address]; t.Revision <= f.open[t.Address].revision || last != nil && t.Revision <= last.Revision {
		return
	}
	f.take(t)
	e := &event{at: place{f.epoch, f.first + uint64(len(f.log)) + 1}, ticket: t, size: sizeOf(t)}
	f.log = append(f.log, e)
	f.recent[t.Address] = t
	f.bytes += e.size
	drop := 0
	if len(f.log) > f.keep {
		drop = f.keep / 8 // several at a time: to close the gap costs as much for one
	}
	for i := 0; i < drop || f.bytes > keepBytes && i < len(f.log)-1; i++ {
		old := f.log[i]
		f.bytes -= old.size
		if f.recent[old.ticket.Address] == old.ticket {
			delete(f.recent, old.ticket.Address)
		}
		drop = max(drop, i+1)
	}
	f.log, f.first = slices.Delete(f.log, 0, drop), f.first+uint64(drop)
	f.ring()
}

// take notes whether the ask is open. The lock is held.
func (f *feed) take(t *hub.Ticket) {
	f.drop(t.Address)
	if t.Open() {
		f.add(t.Address, mark{t.Revision, t.Ask.Origin.Asker})
	}
}

func (f *feed) add(addr hub.Address, m mark) {
	f.open[addr] = m
	f.askers[m.asker]++
}

func (f *feed) drop(addr hub.Address) {
	m, ok := f.open[addr]
	if !ok {
		return
	}
	delete(f.open, addr)
	if f.askers[m.asker]--; f.askers[m.asker] == 0 {
		delete(f.askers, m.asker)
	}
}

// reserve counts an ask that is about to be submitted, unless the asker has as
// many as it may. release takes it back if it did not come to be.
func (f *feed) reserve(addr hub.Address, asker string, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.open[addr]; ok {
		return true // the same ask again
	}
	if f.askers[asker] >= most {
		return false
	}
	f.add(addr, mark{asker: asker})
	return true
}

func (f *feed) release(addr hub.Address) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, ok := f.open[addr]; ok && m.revision == 0 {
		f.drop(addr)
	}
}

// relist compares what is open with what the hub lists, which it does when bells
// may have been lost. The first time there is nobody to tell.
func (f *feed) relist(ctx context.Context) {
	listed := map[hub.Address]*hub.Ticket{}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		if f.listAll(ctx, listed) == nil {
			break
		}
		if !sleep(ctx, pause) {
			return
		}
	}
	f.mu.Lock()
	if !f.listed {
		f.listed = true
		for _, t := range listed {
			f.take(t)
		}
		close(f.ready)
		f.mu.Unlock()
		return
	}
	var doubtful []hub.Address // lists may lag, so they are no proof
	for addr, t := range listed {
		if m, ok := f.open[addr]; !ok || m.revision < t.Revision {
			doubtful = append(doubtful, addr)
		}
	}
	for addr, m := range f.open {
		if listed[addr] == nil && m.revision > 0 {
			doubtful = append(doubtful, addr)
		}
	}
	f.mu.Unlock()
	for _, addr := range doubtful {
		t, err := f.hub.Get(ctx, addr)
		switch {
		case err == nil && (t.Open() || f.knows(addr)):
			f.tell(t)
		case errors.Is(err, hub.ErrNotFound) && f.knows(addr):
			f.mu.Lock() // an open ask is gone, which no event can say
			f.drop(addr)
			f.restart()
			f.mu.Unlock()
		}
	}
}

func (f *feed) listAll(ctx context.Context, into map[hub.Address]*hub.Ticket) error {
	for filter := (hub.Filter{Limit: 1000}); ; {
		page, err := f.hub.List(ctx, f.tenant, &filter)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			into[t.Address] = t
		}
		if page.Next == "" {
			return nil
		}
		filter.Cursor = page.Next
	}
}

// knows reports whether the ask is open as far as the streams know.
func (f *feed) knows(addr hub.Address) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open[addr].revision > 0
}

// end returns the place behind the last event.
func (f *feed) end() place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return place{f.epoch, f.first + uint64(len(f.log))}
}

// since returns the events behind a place, and what is closed when there are
// more. It is not ok if they are no longer known: then the stream begins anew.
func (f *feed) since(p place) (events []*event, wake <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.epoch != f.epoch || p.next < f.first || p.next > f.first+uint64(len(f.log)) {
		return nil, nil, false
	}
	if fresh := f.log[p.next-f.first:]; len(fresh) > 0 {
		events = slices.Clone(fresh)
	}
	return events, f.wake, true
}

// confirm reports whether an open ticket that was read is what the feed has. One
// that is newer it takes in, so that no later event tells it again.
func (f *feed) confirm(t *hub.Ticket) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.open[t.Address]
	if !ok || m.revision == 0 || t.Revision < m.revision {
		return false
	}
	f.hear(t)
	return true
}

// unlisted returns the open asks that match and are not among those told.
func (f *feed) unlisted(match func(hub.Address) bool, told map[hub.Address]uint64) []hub.Address {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []hub.Address
	for addr, m := range f.open {
		if _, ok := told[addr]; !ok && m.revision > 0 && match(addr) {
			list = append(list, addr)
		}
	}
	return list
}

// latest returns an ask as it was when it last changed, if the feed of its tenant
// still has that.
func (fs *feeds) latest(addr hub.Address) *hub.Ticket {
	fs.mu.Lock()
	f := fs.all[addr.Tenant]
	fs.mu.Unlock()
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent[addr]
}

// feeds are the feeds of the tenants that have been heard of since the start.
type feeds struct {
	ctx  context.Context // ends with the server
	hub  *hub.Hub
	work *sync.WaitGroup
	keep int // events that each feed keeps
	mu   sync.Mutex
	all  map[string]*feed
}

func (fs *feeds) init(ctx context.Context, h *hub.Hub, work *sync.WaitGroup) {
	fs.ctx, fs.hub, fs.work, fs.keep, fs.all = ctx, h, work, keepEvents, map[string]*feed{}
}

// of returns the feed of a tenant once it knows what is open.
func (fs *feeds) of(ctx context.Context, tenant string) (*feed, error) {
	fs.mu.Lock()
	f := fs.all[tenant]
	if f == nil {
		if fs.ctx.Err() != nil {
			fs.mu.Unlock()
			return nil, hub.ErrStopped
		}
		f = newFeed(fs.hub, tenant, fs.keep)
		fs.all[tenant] = f
		fs.work.Go(func() { f.run(fs.ctx) })
	}
	fs.mu.Unlock()
	select {
	case <-f.ready:
		return f, nil
	case <-fs.ctx.Done():
		return nil, hub.ErrStopped
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Waiting returns how many asks of a tenant are open.
func (s *Server) Waiting(ctx context.Context, tenant string) (int, error) {
	f, err := s.feeds.of(ctx, tenant)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open), nil
}

// waiting returns how many asks are open.
func (fs *feeds) waiting() (n int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.all {
		f.mu.Lock()
		n += len(f.open)
		f.mu.Unlock()
	}
	return n
}

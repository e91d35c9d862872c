package hub

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// searches are the indexes of the tenants in which somebody searches here.
type searches struct {
	mu      sync.Mutex
	tick    uint64
	all     map[string]*searchIndex
	stopped bool
}

// searchFeed keeps an index up to date.
type searchFeed struct {
	used uint64 // the tick of the last search; guarded by searches

	turn   chan struct{} // held by the one that reads
	follow *Follower
	steps  []step // of the follower, and not in the index yet
	swept  time.Time

	opened atomic.Bool   // what is open is in the index
	gone   chan struct{} // closed when the index is dropped

	mu      sync.Mutex
	opening *attempt  // to open it
	filling *attempt  // to take in what is closed
	full    bool      // that was done
	ready   uint32    // the last round in which what is open was listed
	filled  uint32    // and what is closed
	own     []*Ticket // what this hub has stored, and the index does not have yet
}

const (
	searchOwn    = 256  // so many writes of this hub wait for the next search
	searchQueue  = 4096 // and so many while the index is being made
	searchLinger = 30   // times [Options].Linger without a search, and the index is dropped
)

// feed takes in what has changed, and gives up its turn. What could not be taken in is
// the first that the next one does.
func (h *Hub) feed(ctx context.Context, x *searchIndex) error {
	f := &x.feed
	defer func() { <-f.turn }()
	if f.follow == nil {
		follow, err := h.followAll(ctx, x.tenant)
		if err != nil {
			return err
		}
		f.follow, f.steps = follow, nil
	}
	if f.follow.page != nil {
		f.follow.when = h.now() // somebody waits, so it is tried at once
	}
	for {
		for len(f.steps) > 0 {
			if err := h.fed(ctx, x, f.steps[0]); err != nil {
				return err
			}
			f.steps = f.steps[1:]
		}
		var err error
		if f.steps, err = f.follow.poll(ctx); err != nil {
			return err
		}
		wait := f.follow.when.Sub(h.now())
		switch {
		case len(f.steps) > 0 || f.follow.page != nil && wait <= 0:
			continue
		case f.follow.page == nil:
		case !errors.Is(f.follow.failed, ErrUndecided), FaultOf(f.follow.failed) != "", h.now().Sub(f.follow.since) >= h.opts.Patience:
			return f.fail()
		case !f.opened.Load():
			if err := sleep(ctx, wait); err != nil {
				return err
			}
			continue
		}
		f.opened.Store(true)
		x.catchUp()
		x.sweep(h.now(), f)
		return nil
	}
}

// fail returns why the follower cannot read. What was not opened is begun anew.
func (f *searchFeed) fail() error {
	err := f.follow.failed
	if f.opened.Load() {
		return fmt.Errorf("listing what has changed: %w", err)
	}
	f.follow.Close()
	f.follow = nil
	return fmt.Errorf("listing what is open: %w", err)
}

// followAll follows all asks of a tenant, if the store can be listened to soon.
func (h *Hub) followAll(ctx context.Context, tenant string) (*Follower, error) {
	soon, cancel := context.WithTimeout(ctx, h.opts.Patience)
	defer cancel()
	f, err := h.Follow(soon, tenant, nil, "")
	if err == nil || ctx.Err() != nil || soon.Err() == nil {
		return f, err
	}
	if why := h.interests.why(scope{tenant: tenant}); why != nil {
		err = why
	}
	return nil, fmt.Errorf("listening for changes: %w", err)
}

// fed takes in a step of the follower.
func (h *Hub) fed(ctx context.Context, x *searchIndex, s step) error {
	switch {
	case s.change != nil:
		t, err := h.changedTo(ctx, s.change)
		if err != nil {
			return fmt.Errorf("reading what has changed: %w", err)
		}
		if t != nil {
			x.put(t)
		}
	case s.Reset:
		x.mu.Lock()
		x.round++
		x.mu.Unlock()
	case s.Ticket != nil:
		x.put(s.Ticket)
	case s.Ready:
		x.mu.RLock()
		round := x.round
		x.mu.RUnlock()
		x.feed.mu.Lock()
		x.feed.ready = round
		x.feed.mu.Unlock()
		h.filling(x)
	}
	return nil
}

// changedTo returns the ticket of a change. What is forgotten or damaged is nil: it is
// not found.
func (h *Hub) changedTo(ctx context.Context, c *change) (*Ticket, error) {
	if len(c.record.Data) > 0 {
		t, err := h.told(ctx, c)
		if err != nil {
			return nil, nil
		}
		return t, nil
	}
	r, err := h.record(ctx, c.record.Address)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	t, err := ticketOf(r, c.known)
	if err != nil {
		return nil, nil
	}
	return t, nil
}

// sweep takes out what the store has forgotten, now and then.
func (x *searchIndex) sweep(now time.Time, f *searchFeed) {
	if now.Sub(f.swept) < time.Minute {
		return
	}
	f.swept = now
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dropIf(func(d *searchDoc) bool { return d.until != 0 && d.until <= now.UnixNano() })
}

// note keeps what this hub has stored for the index of its tenant, if there is one.
// It never waits.
func (s *searches) note(t *Ticket) {
	s.mu.Lock()
	x := s.all[t.Address.Tenant]
	s.mu.Unlock()
	if x == nil {
		return
	}
	f := &x.feed
	f.mu.Lock()
	if f.own = append(f.own, t); len(f.own) > searchQueue {
		f.own = f.own[1:] // the follower hears of it, too
	}
	full := len(f.own) >= searchOwn
	f.mu.Unlock()
	if full && x.mu.TryLock() {
		x.takeOwn()
		x.mu.Unlock()
	}
}

// catchUp takes in what this hub has stored.
func (x *searchIndex) catchUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.takeOwn()
}

func (x *searchIndex) takeOwn() {
	x.feed.mu.Lock()
	own := x.feed.own
	x.feed.own = nil
	x.feed.mu.Unlock()
	for _, t := range own {
		x.take(t)
	}
}

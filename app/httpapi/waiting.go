package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// MaxWaiting is how far [Server.Waiting] counts. More than anybody answers, and
// little to keep.
const MaxWaiting = 10_000

// keepTally is how long a tenant's asks are counted on after somebody asked how many
// there are: longer than a monitor pauses.
const keepTally = 2 * time.Minute

// Waiting returns how many asks of a tenant are open, or [MaxWaiting] if there are
// as many or more. The first call counts them; then the number is kept up to date
// until nobody has asked for it for two minutes.
func (s *Server) Waiting(ctx context.Context, tenant string) (int, error) {
	t := s.tallies.of(s, tenant)
	select {
	case <-t.ready:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count, t.err
}

// tallies are the counts of tenants that somebody has asked for lately.
type tallies struct {
	mu  sync.Mutex
	all map[string]*tally
}

// tally is how many asks of a tenant are open.
type tally struct {
	tenant string
	ready  chan struct{} // closed when they are counted, or cannot be

	mu    sync.Mutex
	used  time.Time // when somebody asked
	count int
	err   error
	known bool // ready is closed
	whole bool // open has all of them
	open  map[hub.Address]struct{}
}

func (ts *tallies) of(s *Server, tenant string) *tally {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.all[tenant]
	if t == nil {
		t = &tally{tenant: tenant, ready: make(chan struct{}), used: time.Now(), open: map[hub.Address]struct{}{}}
		if ts.all == nil {
			ts.all = map[string]*tally{}
		}
		if s.life.Err() != nil {
			t.err = hub.ErrStopped
			t.know()
			return t
		}
		ts.all[tenant] = t
		s.work.Go(func() { t.run(s) })
	}
	t.mu.Lock()
	t.used = time.Now()
	t.mu.Unlock()
	return t
}

// run counts until the server ends or nobody wants to know any more.
func (t *tally) run(s *Server) {
	full, err := t.follow(s)
	if full { // for a while that is all there is to know
		sleep(s.life, keepTally)
	}
	s.tallies.mu.Lock()
	delete(s.tallies.all, t.tenant)
	s.tallies.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	t.know()
}

func (t *tally) follow(s *Server) (full bool, err error) {
	from, err := s.hub.Follow(s.life, t.tenant, nil, "")
	if err != nil {
		return false, err
	}
	defer from.Close()
	for !full && t.wanted() {
		ctx, cancel := context.WithTimeout(s.life, keepTally)
		events, err := from.Next(ctx)
		cancel()
		if err != nil && (s.life.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return false, err
		}
		full = t.take(events)
	}
	return full, nil
}

func (t *tally) wanted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.used) < keepTally
}

// take counts, and reports whether there are as many as are counted.
func (t *tally) take(events []hub.FollowEvent) (full bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range events {
		switch {
		case e.Reset:
			t.whole = false
			clear(t.open)
		case e.Ready:
			t.whole = true
		case e.Ticket == nil:
		case e.Ticket.Open():
			t.open[e.Ticket.Address] = struct{}{}
		default:
			delete(t.open, e.Ticket.Address)
		}
		if len(t.open) >= MaxWaiting {
			full = true
			break
		}
	}
	if t.whole || full {
		t.count = len(t.open)
		t.know()
	}
	return full
}

// know says that there is something to know. The lock is held.
func (t *tally) know() {
	if !t.known {
		t.known = true
		close(t.ready)
	}
}

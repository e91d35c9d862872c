package auth

import (
	"context"
	"errors"
	"time"

	"github.com/saysohq/sayso/hub"
)

// live is a session that is used in this process.
type live struct {
	life  context.Context
	end   context.CancelFunc
	until time.Time // as far as is known
}

// attach returns the context that ends with the session. It is false if a session
// was ended since that number of changes: then the caller reads again, so that no
// end comes between the reading and this.
func (s *Sessions) attach(addr hub.Address, until time.Time, changes uint64) (context.Context, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes.Load() != changes {
		return nil, false
	}
	l := s.live[addr]
	if l == nil {
		l = &live{}
		l.life, l.end = context.WithCancel(context.Background())
		s.live[addr] = l
	}
	if until.After(l.until) {
		l.until = until
	}
	return l.life, true
}

// ended ends what is under way on behalf of a session.
func (s *Sessions) ended(addr hub.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes.Add(1)
	if l := s.live[addr]; l != nil {
		l.end()
		delete(s.live, addr)
	}
}

// watch follows the store. Whenever it may have missed something, the sessions in
// use are read again.
func (s *Sessions) watch(ctx context.Context) {
	for ctx.Err() == nil {
		s.store.Watch(ctx, hub.Query{Kind: hub.KindSession}, s.missed, func(r hub.Record) {
			switch {
			case r.Kind == "":
				s.missed()
			case r.Closed:
				s.ended(r.Address)
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *Sessions) missed() {
	select {
	case s.recheck <- struct{}{}:
	default:
	}
}

// expire ends sessions in time, and those whose end was missed.
func (s *Sessions) expire(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	read := time.Time{} // when all were read
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.recheck:
			read = time.Time{}
		case <-timer.C:
		}
		now := s.opts.Now()
		all := now.Sub(read) >= s.opts.Reread
		if all {
			read = now
		}
		var check []hub.Address
		s.mu.Lock()
		for addr, l := range s.live {
			if all || !now.Before(l.until) {
				check = append(check, addr)
			}
		}
		s.mu.Unlock()
		for _, addr := range check {
			s.check(ctx, addr)
		}
		next := read.Add(s.opts.Reread)
		s.mu.Lock()
		for _, l := range s.live {
			if l.until.Before(next) {
				next = l.until
			}
		}
		s.mu.Unlock()
		timer.Reset(max(next.Sub(s.opts.Now()), time.Millisecond))
	}
}

// check reads a session again and ends it if it does not hold. While nobody can
// tell, it goes on until its time is over.
func (s *Sessions) check(ctx context.Context, addr hub.Address) {
	r, err := s.store.Get(ctx, hub.KindSession, addr)
	now := s.opts.Now()
	var until time.Time
	if err == nil {
		if n, _, err := parseRecord(r); err == nil && s.holds(r, n, now) == "" {
			until = n.Until
		}
	}
	s.mu.Lock()
	l := s.live[addr]
	unknown := err != nil && !errors.Is(err, hub.ErrNotFound) && l != nil && now.Before(l.until)
	if l != nil && !until.IsZero() {
		l.until = until
	}
	s.mu.Unlock()
	if until.IsZero() && !unknown {
		s.ended(addr)
	}
}

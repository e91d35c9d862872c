package httpapi

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

const (
	day        = 24 * time.Hour
	ledgerDays = 31 // what was written on one of them is kept by the audit: 30 days and what is left of the first

	// copies is how often an ask counts: it is stored, and the audit keeps it as it
	// was asked and as it was closed. So nobody's close has to be refused.
	copies       = 3
	recordExtra  = 300 // about what headers add to a record
	ownerStored  = 4   // times the quota: the owner's agents all share one
	refusedUntil = 5 * time.Second
)

// ledger is how many bytes were written on behalf of one holder, by days.
type ledger struct {
	mu      sync.Mutex
	days    map[int64]int64 // since 1970: what other servers and this one have noted in the store
	fresh   map[int64]int64 // and what this one has not noted yet
	pending int64           // of asks that are being stored
	known   bool            // the store was read
}

func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// used adds up what counts today. The lock is held.
func (g *ledger) used(today int64) (n int64) {
	for _, days := range []map[int64]int64{g.days, g.fresh} {
		for d, bytes := range days {
			if d > today-ledgerDays {
				n += bytes
			}
		}
	}
	return n + g.pending
}

// add counts what was written.
func (g *ledger) add(now time.Time, bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fresh == nil {
		g.fresh = map[int64]int64{}
	}
	g.fresh[dayOf(now)] += bytes
}

// reserve counts what is about to be written until it is released, or returns how
// much is used and when there will be room.
func (g *ledger) reserve(now time.Time, need, limit int64) (used int64, retry time.Duration, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	today := dayOf(now)
	used = g.used(today)
	if used+need <= limit {
		g.pending += need
		return used, 0, true
	}
	return used, g.room(now, used+need-limit), false
}

// room returns in how long so many bytes no longer count. The lock is held.
func (g *ledger) room(now time.Time, bytes int64) time.Duration {
	today := dayOf(now)
	for d := today - ledgerDays + 1; d <= today; d++ {
		if bytes -= g.days[d] + g.fresh[d]; bytes <= 0 {
			return time.Unix((d+ledgerDays)*int64(day/time.Second), 0).Sub(now)
		}
	}
	return refusedUntil // what is being stored may yet fail
}

func (g *ledger) release(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending -= bytes
}

// unnoted returns what was not noted yet.
func (g *ledger) unnoted() map[int64]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.fresh)
}

// noted sets what the store has now that these were noted there.
func (g *ledger) noted(days, fresh map[int64]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.days, g.known = days, true
	for d, bytes := range fresh {
		if g.fresh[d] -= bytes; g.fresh[d] == 0 {
			delete(g.fresh, d)
		}
	}
}

// begin sets what the store had at first.
func (g *ledger) begin(days map[int64]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.known {
		g.days, g.known = days, true
	}
}

// sum adds up two ledgers, without the days that no longer count.
func sum(a, b map[int64]int64, today int64) map[int64]int64 {
	out := map[int64]int64{}
	for _, days := range []map[int64]int64{a, b} {
		for d, bytes := range days {
			if d > today-ledgerDays {
				out[d] += bytes
			}
		}
	}
	return out
}

// store counts what the call is about to write, or refuses it: called before a
// write that nobody is owed. The actual size is told to written.
func (s *Server) store(c *call, need int64) (written func(actual int64), err error) {
	limit := s.limits.bounds().Stored
	if limit == math.MaxInt64 {
		return func(int64) {}, nil
	}
	if c.who.Role == auth.Everything {
		limit *= ownerStored
	}
	u := s.limits.usageOf(c.who)
	if err := s.usages.load(c.r.Context(), holderOf(c.who), &u.ledger); err != nil {
		return nil, err
	}
	used, retry, ok := u.ledger.reserve(s.opts.Now(), need, limit)
	if !ok {
		return nil, u.over(api.QuotaStored, api.UnitBytes, float64(limit), float64(used), retry)
	}
	return func(actual int64) {
		u.ledger.release(need)
		u.ledger.add(s.opts.Now(), actual)
	}, nil
}

// stored counts what the call has written.
func (s *Server) stored(c *call, size int) {
	if s.limits.bounds().Stored < math.MaxInt64 {
		s.limits.usageOf(c.who).ledger.add(s.opts.Now(), int64(size+recordExtra))
	}
}

// usageOf returns what the holder is using.
func (l *limits) usageOf(who *auth.Principal) *usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of(who)
}

// holders lists those that have been seen, in an order.
func (l *limits) holders() []holder {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []holder
	for h := range l.all {
		all = append(all, h)
	}
	slices.SortFunc(all, holder.compare)
	return all
}

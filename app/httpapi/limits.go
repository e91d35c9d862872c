package httpapi

import (
	"context"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"golang.org/x/time/rate"
)

// limits counts what each holder of credentials is using.
type limits struct {
	quota atomic.Pointer[Quota] // with a number in every field
	now   func() time.Time

	changed func() // what others are to know; nil: there are none

	mu     sync.Mutex
	all    map[holder]*usage
	byHash map[uint64]*usage          // also of holders that are only known elsewhere
	others map[string]map[uint64]load // what other servers told
}

// holder is whom a bound holds for: all keys of one subject share it.
type holder struct {
	tenant, id string
	role       auth.Role
}

func holderOf(who *auth.Principal) holder { return holder{who.Tenant, who.ID, who.Role} }

// usage is what one holder is using. There is one for each subject that has keys,
// so it is never dropped.
type usage struct {
	who            string // in words
	rate           *rate.Limiter
	refusals       *rate.Limiter // those that come at once
	held           chan struct{} // refusals that are held back at the moment
	streams, waits int
	budget         budget
	ledger         ledger
	reading        atomic.Pointer[chan struct{}] // large reads at the moment; nil: as many as there are

	here      load      // for the others to know; the streams, waits and sessions are not in it
	active    time.Time // when it last did something that is in it
	elsewhere load      // streams, waits and sessions at all others
}

func (l *limits) init(q Quota, now func() time.Time) {
	l.now, l.all = now, map[holder]*usage{}
	l.byHash, l.others = map[uint64]*usage{}, map[string]map[uint64]load{}
	l.set(q)
}

func (l *limits) bounds() *Quota { return l.quota.Load() }

// set makes these the bounds, for whoever is using something already, too. What is
// in use beyond them stays.
func (l *limits) set(q Quota) {
	q = q.WithDefaults()
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.quota.Swap(&q)
	for _, u := range l.byHash {
		u.rate.SetLimitAt(l.now(), rate.Limit(q.Rate))
		u.rate.SetBurstAt(l.now(), q.Burst)
		if q.Reading != before.Reading {
			u.reading.Store(turns(q.Reading))
		}
	}
}

// turns returns room for so many at a time, nil if there is no bound.
func turns(n int) *chan struct{} {
	if n == math.MaxInt {
		return nil
	}
	c := make(chan struct{}, n)
	return &c
}

// of returns what the holder is using. The lock is held.
func (l *limits) of(who *auth.Principal) *usage {
	h := holderOf(who)
	u := l.all[h]
	if u == nil {
		u = l.hashed(h.hash())
		u.who = who.Name()
		l.all[h] = u
	}
	return u
}

// hashed returns what the holder with that hash is using. The lock is held.
func (l *limits) hashed(hash uint64) *usage {
	u := l.byHash[hash]
	if u == nil {
		u = &usage{
			rate:     rate.NewLimiter(rate.Limit(l.bounds().Rate), l.bounds().Burst),
			refusals: rate.NewLimiter(freeRefusals, 2*freeRefusals),
			held:     make(chan struct{}, heldRefusals),
		}
		u.reading.Store(turns(l.bounds().Reading))
		l.byHash[hash] = u
	}
	return u
}

// over says which quota is used up.
func (u *usage) over(name, unit string, limit, used float64, retry time.Duration) *problem {
	retry = max(retry, time.Second)
	q := &api.Quota{Name: name, Unit: unit, Limit: limit, Used: used, Retry: int(math.Ceil(retry.Seconds()))}
	return &problem{Problem: q.Problem(u.who), retry: retry}
}

// unit of the rate: a larger body takes longer to read, and more room.
const changeBytes = 16 << 10

// refuses says why a request comes too soon, if it does: before its body is read
// and before anything is looked up.
func (l *limits) refuses(who *auth.Principal, r *http.Request) *problem {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return l.readable(who)
	}
	return l.allow(who, r)
}

// Refuses says why a request to another door of this process comes too soon, if it
// does. It is counted like one to this server. Whoever meets the limit again and
// again is held for a moment.
func (s *Server) Refuses(who *auth.Principal, r *http.Request) *api.Problem {
	p := s.limits.refuses(who, r)
	if p == nil {
		return nil
	}
	if p.Quota != nil {
		s.counts.quotas.Add(1, p.Quota.Name)
	}
	s.limits.hold(r.Context(), who)
	return &p.Problem
}

// allow refuses a change that comes too soon.
func (l *limits) allow(who *auth.Principal, r *http.Request) *problem {
	u := l.usageOf(who)
	size := r.ContentLength
	if size < 0 {
		size = maxBody
	}
	n := min(1+int(min(size, maxBody)/changeBytes), l.bounds().Burst)
	now := l.now()
	if u.rate.AllowN(now, n) {
		l.spent(u, n, 0)
		return nil
	}
	missing := float64(n) - u.rate.TokensAt(now)
	return u.over(api.QuotaRate, api.UnitRate, l.bounds().Rate, l.bounds().Rate, time.Duration(missing/l.bounds().Rate*float64(time.Second)))
}

// enter counts a stream or a wait until leave is called.
func (l *limits) enter(who *auth.Principal, stream bool) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(who)
	n, most, name, elsewhere := &u.waits, l.bounds().Waits, api.QuotaWaits, u.elsewhere.waits
	if stream {
		n, most, name, elsewhere = &u.streams, l.bounds().Streams, api.QuotaStreams, u.elsewhere.streams
	}
	if used := *n + int(elsewhere); used >= most {
		return nil, u.over(name, api.UnitCount, float64(most), float64(used), 5*time.Second)
	}
	*n++
	l.tellOthers()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		*n--
		l.tellOthers()
	}, nil
}

func (l *limits) tellOthers() {
	if l.changed != nil {
		l.changed()
	}
}

// tooManyOpen is the refusal of an ask beyond those that may be open.
func (l *limits) tooManyOpen(who *auth.Principal) *problem {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of(who).over(api.QuotaOpen, api.UnitCount, float64(l.bounds().Open), float64(l.bounds().Open), 5*time.Second)
}

// How refusals are paced. A refusal costs little, but not nothing: whoever goes on
// asking after a second's worth of them is made to wait for each.
const (
	freeRefusals = 10 // a second
	heldRefusals = 8  // at a time; the others wait for their turn
	holdFor      = 500 * time.Millisecond
)

// hold makes a refused request wait if many were refused before. It is false if
// the client went away meanwhile.
func (l *limits) hold(ctx context.Context, who *auth.Principal) bool {
	u := l.usageOf(who)
	if u.refusals.AllowN(l.now(), 1) {
		return true
	}
	select {
	case u.held <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-u.held }()
	return sleep(ctx, holdFor)
}

// using returns how many streams and waits there are.
func (l *limits) using() (streams, waits int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.all {
		streams += u.streams
		waits += u.waits
	}
	return streams, waits
}

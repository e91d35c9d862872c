package httpapi

import (
	"math"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"golang.org/x/time/rate"
)

// Quota bounds what one credential may take of a person's attention and of the
// server. A field that is zero means its default, a negative one no bound.
type Quota struct {
	Open    int     // asks that one asker may have open; default: 50
	Rate    float64 // requests a second that change something; default: 50
	Burst   int     // how many of them may come at once; default: 200
	Streams int     // event streams at a time; default: 32
	Waits   int     // requests at a time that wait for an answer; default: 512
}

func (q *Quota) setDefaults() {
	for _, n := range []struct {
		field *int
		value int
	}{{&q.Open, 50}, {&q.Burst, 200}, {&q.Streams, 32}, {&q.Waits, 512}} {
		switch {
		case *n.field == 0:
			*n.field = n.value
		case *n.field < 0:
			*n.field = math.MaxInt
		}
	}
	switch {
	case q.Rate == 0:
		q.Rate = 50
	case q.Rate < 0:
		q.Rate = float64(rate.Inf)
	}
}

// limits counts what each holder of credentials is using.
type limits struct {
	quota Quota
	mu    sync.Mutex
	all   map[holder]*usage
}

// holder is whom a bound holds for: all keys of one subject share it.
type holder struct {
	tenant, id string
	role       auth.Role
}

type usage struct {
	rate           *rate.Limiter
	streams, waits int
}

func (l *limits) init(q Quota) {
	q.setDefaults()
	l.quota, l.all = q, map[holder]*usage{}
}

// of returns what the holder is using. There is one entry for each subject that
// has keys, so it is never dropped. The lock is held.
func (l *limits) of(who *auth.Principal) *usage {
	h := holder{who.Tenant, who.ID, who.Role}
	u := l.all[h]
	if u == nil {
		u = &usage{rate: rate.NewLimiter(rate.Limit(l.quota.Rate), l.quota.Burst)}
		l.all[h] = u
	}
	return u
}

// allow refuses a change that comes too soon.
func (l *limits) allow(c *call) error {
	if c.route.method == "GET" {
		return nil
	}
	l.mu.Lock()
	u := l.of(c.who)
	l.mu.Unlock()
	now := c.s.opts.Now()
	if u.rate.AllowN(now, 1) {
		return nil
	}
	p := tooMany.problemf("at most %g changes a second", l.quota.Rate)
	p.retry = time.Duration(float64(time.Second) / l.quota.Rate)
	return p
}

// enter counts a stream or a wait until leave is called.
func (l *limits) enter(who *auth.Principal, stream bool) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(who)
	n, most, what := &u.waits, l.quota.Waits, "waits"
	if stream {
		n, most, what = &u.streams, l.quota.Streams, "streams"
	}
	if *n >= most {
		p := tooMany.problemf("at most %d %s at a time", most, what)
		p.retry = 5 * time.Second
		return nil, p
	}
	*n++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		*n--
	}, nil
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

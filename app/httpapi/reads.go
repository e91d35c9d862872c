package httpapi

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const (
	readCost   = 8 << 10         // the least that a request counts: it takes about as long
	recordCost = 4 << 10         // of a record in a list, beside its bytes
	readBurst  = 16              // seconds' worth that may be read at once
	readTurn   = 2 * time.Second // how long a large read waits for others of the same holder

	// A holder that has read much lately reads more slowly before it is refused:
	// it rests for seven times as long as it has read.
	restBelow = 14 // seconds' worth that are left
	restTimes = 7
	restMost  = 250 * time.Millisecond
)

// budget is what a holder may still read. What a read costs is known afterwards,
// so it may fall below zero; then nothing is read until it has recovered.
type budget struct {
	mu   sync.Mutex
	left float64
	at   time.Time
}

// take spends n bytes and returns how much is left.
func (b *budget) take(now time.Time, perSecond, n float64) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := readBurst * perSecond
	if b.at.IsZero() {
		b.left = most
	} else {
		b.left = min(most, b.left+max(0, now.Sub(b.at).Seconds())*perSecond)
	}
	b.at = now
	b.left -= n
	return b.left
}

// readable refuses a read if the holder has used up its budget.
func (l *limits) readable(who *auth.Principal) *problem {
	if l.bounds().Reads == math.MaxInt64 {
		return nil
	}
	u := l.usageOf(who)
	perSecond := float64(l.bounds().Reads)
	left := u.budget.take(l.now(), perSecond, 0)
	if left > 0 {
		u.budget.take(l.now(), perSecond, readCost)
		l.spent(u, 0, readCost)
		return nil
	}
	return u.over(api.QuotaReads, api.UnitVolume, perSecond, perSecond-left/readBurst, time.Duration((1-left/perSecond)*float64(time.Second)))
}

// spend counts what was read.
func (l *limits) spend(who *auth.Principal, n int) {
	if n <= 0 || l.bounds().Reads == math.MaxInt64 {
		return
	}
	u := l.usageOf(who)
	u.budget.take(l.now(), float64(l.bounds().Reads), float64(n))
	l.spent(u, 0, n)
}

// read counts a ticket that was read. One that is read to be changed is counted as
// a change.
func (c *call) read(n int) {
	if c.route.method == "GET" {
		c.s.limits.spend(c.who, n-readCost)
	}
}

// scanned counts a part of a list: each record that was looked at, however small,
// and what was written of it. What was left out takes a quarter of the time.
func (c *call) scanned(page *hub.Tickets, written int) {
	c.s.limits.spend(c.who, page.Looked*recordCost+written+max(0, page.Scanned-written)/4)
}

// rest makes a list that goes on after part of it took so long leave time to
// others. It is false if the client goes away.
func (c *call) rest(ctx context.Context, took time.Duration) bool {
	l := &c.s.limits
	if l.bounds().Reads == math.MaxInt64 {
		return true
	}
	perSecond := float64(l.bounds().Reads)
	if l.usageOf(c.who).budget.take(l.now(), perSecond, 0) > restBelow*perSecond {
		return true
	}
	return sleep(ctx, min(restTimes*took, restMost))
}

// reading counts a large read until leave is called. If the holder has as many as
// it may, it waits for its turn, for so long at most.
func (l *limits) reading(ctx context.Context, who *auth.Principal, turn time.Duration) (leave func(), err error) {
	u := l.usageOf(who)
	turns := u.reading.Load()
	if turns == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	select {
	case *turns <- struct{}{}:
		return func() { <-*turns }, nil
	case <-ctx.Done():
		most := float64(l.bounds().Reading)
		return nil, u.over(api.QuotaReading, api.UnitCount, most, most, turn)
	}
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

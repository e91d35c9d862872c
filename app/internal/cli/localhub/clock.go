package localhub

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// A clock that is wrong has questions and keys expire too early or too late. Nothing else
// shows it, so the hub compares its clock with what it can know: the times of the records
// in its store, the clocks of the servers that keep them, and the clock that never jumps.
const (
	clockEvery  = time.Second      // how often a jump is looked for
	clockAsk    = 10 * time.Second // how often a server is asked
	clockApart  = 10 * time.Second // clocks that are further apart are wrong; synchronized ones differ by much less
	clockName   = "clock"
	clockAdvice = "set the clock and keep it synchronized with NTP; check with: timedatectl"
)

// clockReader is a store that knows other clocks.
type clockReader interface {
	Shards() int
	ReadClock(ctx context.Context, shard int, now func() time.Time) (natsstore.ClockReading, error)
}

// clockWatch compares the clock of this machine with others.
type clockWatch struct {
	store clockReader
	own   bool // the server that we are connected to is in this process, and so has the same clock
	now   func() time.Time
	warn  *warned
	log   *slog.Logger

	next int          // the shard that is asked next
	off  map[int]bool // the shards whose times say that our clock is wrong
}

// watchClock begins to watch the clock, and returns what ends it.
func (o *ServeOptions) watchClock(e *Engine, warn *warned, log *slog.Logger) (end func()) {
	c := &clockWatch{store: e.store, own: e.server != nil, now: o.Now, warn: warn, log: log}
	if c.now == nil {
		c.now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// run looks until ctx ends.
func (c *clockWatch) run(ctx context.Context) {
	c.off = map[int]bool{}
	c.lookAtAll(ctx)
	wall, steady := c.now(), time.Now()
	asked := steady
	for tick := time.NewTicker(clockEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		by := c.now().Round(0).Sub(wall.Round(0)) - time.Since(steady)
		wall, steady = c.now(), time.Now()
		if by.Abs() > clockApart { // the steady clock does not jump
			c.log.Warn("the clock of this machine jumped: it was set, or the machine was suspended", "by", by.Round(time.Second).String(), "fix", clockAdvice)
			c.lookAtAll(ctx)
		}
		if time.Since(asked) >= clockAsk {
			c.look(ctx)
			asked = time.Now()
		}
	}
}

func (c *clockWatch) lookAtAll(ctx context.Context) {
	for range c.store.Shards() {
		c.look(ctx)
	}
}

// look asks for one shard, the next one the next time.
func (c *clockWatch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockAsk)
	defer cancel()
	shard := c.next % c.store.Shards()
	c.next++
	r, err := c.store.ReadClock(ctx, shard, c.now)
	if err != nil {
		return // others tell that the store cannot be reached
	}
	if c.own && r.Near {
		r.Ahead = 0
	}
	w, wrong := clockWarning(r, c.now())
	if wrong {
		c.off[shard] = true
		c.warn.set(w)
		return
	}
	delete(c.off, shard)
	if len(c.off) == 0 && c.warn.clear(clockName) {
		c.log.Info("the clock of this machine agrees with the storage again")
	}
}

// clockWarning returns what a reading says about our clock, if that is bad.
func clockWarning(r natsstore.ClockReading, now time.Time) (Warning, bool) {
	w := Warning{Name: clockName, Fix: clockAdvice, Wrong: true}
	by := func(d time.Duration) string { return d.Abs().Round(time.Second).String() }
	ahead := r.Newest.Sub(now.Round(0))
	switch {
	case r.Ahead.Abs() > clockApart:
		where, who := "behind", "the server of the storage"
		if r.Ahead < 0 {
			where = "ahead of"
		}
		if r.Server != "" {
			who = "node " + r.Server
		}
		w.Text = fmt.Sprintf("the clock of this machine is %s %s that of %s: questions and keys expire at the wrong time", by(r.Ahead), where, who)
	case !r.Newest.IsZero() && ahead > clockApart:
		w.Text = fmt.Sprintf("the clock of this machine says %s, but the newest question was stored at %s (%s later): the clock went back, and questions and keys expire at the wrong time",
			now.UTC().Format(time.DateTime), r.Newest.UTC().Format(time.DateTime), by(ahead))
	default:
		return Warning{}, false
	}
	return w, true
}

package gateway

import (
	"context"
	"time"

	"github.com/saysohq/sayso/hub"
)

// run tells the others what they are to know, and forgets those that have ended.
func (g *Group) run(ctx context.Context) {
	refresh := g.opts.Alive * 3 / 10
	var told time.Time   // when we last said something
	loud := g.opts.Now() // since when somebody may not know that we are there
	dirty := true        // there is something to tell
	timer := time.NewTimer(0)
	defer timer.Stop()
	g.list(ctx)
	for ctx.Err() == nil {
		g.expire()
		now := g.opts.Now()
		every := g.opts.Alone
		if g.Others() > 0 || now.Sub(loud) < g.opts.Alone {
			every = refresh
		}
		due := told.Add(every)
		if dirty {
			due = told.Add(g.opts.Pace)
		}
		if !now.Before(due) {
			data := g.opts.Tell()
			if now.Sub(told) > g.opts.Alive {
				g.revision = 0 // the store has forgotten it
			}
			if g.put(ctx, hub.Record{TTL: g.opts.Alive, Data: data}) == nil {
				dirty = false
			}
			told = g.opts.Now()
			continue
		}
		timer.Reset(min(due.Sub(now), refresh))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-g.wake:
			dirty = true
		case <-g.greet:
			dirty = true
		case r := <-g.heard:
			switch {
			case r.Kind == "": // we were cut off, perhaps, and the others have forgotten us
				loud, dirty = g.opts.Now(), true
				g.list(ctx)
			case len(r.Data) == 0 && !r.Closed: // nothing, or more than a notification has room for
				if full, err := g.store.Get(ctx, hub.KindGateway, r.Address); err == nil {
					g.see(full)
				}
			default:
				g.see(r)
			}
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.opts.Pace)
	defer cancel()
	g.put(last, hub.Record{Closed: true, TTL: g.opts.Alive})
}

// expire forgets those that were not heard of for too long.
func (g *Group) expire() {
	now := g.opts.Now()
	var over []string
	g.mu.Lock()
	for id, o := range g.others {
		if now.Sub(o.seen) >= g.opts.Alive {
			over = append(over, id)
		}
	}
	g.mu.Unlock()
	for _, id := range over {
		g.forget(id)
	}
}

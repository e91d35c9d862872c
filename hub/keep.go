package hub

import (
	"context"
	"errors"
	"sync"
	"time"
)

// readers is how many asks are read again at the same time.
const readers = 8

// keep looks, at every tick, for asks to read again and for deadlines that have
// passed. Reads are paced by ticks, so that a jump of the wall clock does not
// hold them up; deadlines follow the wall clock, which the asker meant.
func (h *Hub) keep(ctx context.Context) {
	ticker := time.NewTicker(h.opts.Tick)
	defer ticker.Stop()
	sweep := make(chan struct{}, 1) // held by the sweep that runs
	var next time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.gap:
			next = time.Time{}
			each(h.waiting.all(), func(addr Address) { h.reread(ctx, addr) })
		case <-ticker.C:
			h.surfaces.relist()
			each(h.waiting.due(), func(addr Address) { h.reread(ctx, addr) })
			each(h.deadlines.passed(h.now()), func(addr Address) {
				if err := h.expireAt(ctx, addr); err != nil && !errors.Is(err, ErrNotFound) {
					h.deadlines.add(addr, h.now()) // the next tick tries again
				}
			})
		}
		now := h.now()
		if now.Before(next) {
			continue
		}
		select {
		case sweep <- struct{}{}:
			next = now.Add(h.opts.Sweep)
			h.work.Go(func() {
				defer func() { <-sweep }()
				h.collect(ctx, now)
			})
		default:
		}
	}
}

// collect finds the deadlines of the time until the sweep after the next.
func (h *Hub) collect(ctx context.Context, now time.Time) {
	until := now.Add(2 * h.opts.Sweep)
	h.deadlines.reach(until)
	for pause := h.opts.Tick; ; pause = min(2*pause, time.Minute) {
		err := h.eachDue(ctx, until, func(r Record) error {
			h.deadlines.add(r.Address, r.Due)
			return nil
		})
		if err == nil || sleep(ctx, pause) != nil {
			return
		}
	}
}

// each calls fn for all addresses, a few at a time, and waits.
func each(addrs []Address, fn func(Address)) {
	if len(addrs) == 0 {
		return
	}
	work := make(chan Address)
	var wg sync.WaitGroup
	for range min(readers, len(addrs)) {
		wg.Go(func() {
			for addr := range work {
				fn(addr)
			}
		})
	}
	for _, addr := range addrs {
		work <- addr
	}
	close(work)
	wg.Wait()
}

package hub

import (
	"context"
	"fmt"
	"sync"
)

// fill takes in everything that is closed, and then takes out what was not listed in
// this round. If there is another one by then, it goes on with that.
func (h *Hub) fill(ctx context.Context, x *searchIndex) error {
	f := &x.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.filled != f.ready {
		round := f.ready
		f.mu.Unlock()
		err := h.listClosed(ctx, x)
		if err == nil {
			x.settle(round)
		}
		f.mu.Lock()
		if err != nil {
			return fmt.Errorf("listing what is closed: %w", err)
		}
		f.filled, f.full = round, true
	}
	return nil
}

// settle takes out what was not listed in a round, unless the next one has begun.
func (x *searchIndex) settle(round uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.round == round {
		x.dropIf(func(d *searchDoc) bool { return d.round != round })
	}
}

// listClosed takes in everything that is closed, a page while the next one is read.
// What cannot be read is not found.
func (h *Hub) listClosed(ctx context.Context, x *searchIndex) error {
	closed := true
	q := Query{Tenant: x.tenant, Closed: &closed, Limit: 1000, Loose: true}
	pages := make(chan []Record, 1)
	var work sync.WaitGroup
	work.Go(func() {
		for records := range pages {
			for _, r := range records {
				if t, err := ticketOf(r, nil); err == nil {
					x.put(t)
				}
			}
		}
	})
	defer work.Wait()
	defer close(pages)
	for p := (patience{left: h.opts.Patience}); ; {
		page, err := h.store.List(ctx, q)
		if err != nil {
			if err := p.with(ctx, err); err != nil {
				return err
			}
			continue
		}
		pages <- page.Records
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// turnSearches moves on by one tick: what nobody has searched in for a while is dropped, and
// the others take in what has changed, so that their followers do not fall behind.
func (h *Hub) turnSearches() {
	s := &h.searches
	s.mu.Lock()
	s.tick++
	var due []*searchIndex
	crowded := s.oldest(2 * searchMost)
	for tenant, x := range s.all {
		select {
		case x.feed.turn <- struct{}{}:
		default:
			continue // somebody reads
		}
		switch unused := s.tick - x.feed.used; {
		case unused >= searchLinger*h.interests.linger, x == crowded:
			if x.feed.follow != nil {
				x.feed.follow.Close()
			}
			close(x.feed.gone)
			delete(s.all, tenant)
		case x.feed.opened.Load() && unused > 0 && unused%10 == 0:
			due = append(due, x)
			continue // with its turn
		}
		<-x.feed.turn
	}
	s.mu.Unlock()
	for _, x := range due {
		if !h.searching(x, func(ctx context.Context) { _ = h.feed(ctx, x) }) {
			<-x.feed.turn
		}
	}
}

// oldest returns the index that was not used for longest, if all together have more
// asks than most and there are several.
func (s *searches) oldest(most int) (least *searchIndex) {
	n := 0
	for _, x := range s.all {
		if x.mu.TryRLock() { // else it is being written, and counted at the next turn
			n += len(x.docs)
			x.mu.RUnlock()
		}
		if least == nil || x.feed.used < least.feed.used {
			least = x
		}
	}
	if n <= most || len(s.all) < 2 {
		return nil
	}
	return least
}

// stop lets nobody begin to search any more.
func (s *searches) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

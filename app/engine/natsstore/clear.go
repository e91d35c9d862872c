package natsstore

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A settled ticket is rarely read again. The archive has it, so after a while it is removed from the stream of tickets,
// whose subjects the server keeps in memory and whose lists should not pass over what is long closed. What was not copied
// is never removed: copies are what this goes by.

const (
	clearEvery  = 30 * time.Second
	clearAtOnce = 8 // requests to the server

	// listTime is how long a ticket stays after lists have it from the archive, for lists that began before.
	listTime = 5 * time.Minute
)

// clear removes settled tickets that have been in the archive for long enough. The caller holds the lock.
func (s *Store) clear(ctx context.Context, sh *shard, now time.Time) error {
	c := &sh.copying
	if now.Before(c.look) || now.Before(c.mark.Hold) {
		return nil
	}
	sc := scan{stream: sh.archive, filters: []string{s.names.all(areaArchive, sh.ss)}, from: c.clear + 1, more: true, walk: true}
	for n := 1; sc.more; n = maxCopies { // most often the first is too young
		var old []uint64
		var bad error
		var last uint64
		young := false
		err := s.next(ctx, &sc, n, func(f found) bool {
			a, err := s.original(f)
			if err != nil {
				bad = err
				return false
			}
			if young = now.Before(a.lists(s.opts.Settled).Add(s.listTime)); young {
				return false
			}
			if a.Settled && s.keeps(a) {
				old = append(old, a.Revision)
			}
			last = f.seq
			return true
		})
		if err := errors.Join(err, bad); err != nil {
			return err
		}
		if err := s.forget(ctx, sh, old); err != nil {
			return err
		}
		c.clear = max(c.clear, last)
		if young {
			break
		}
	}
	c.look = now.Add(clearEvery)
	return nil
}

// keeps reports whether the archive has a ticket for as long as it is to be kept.
func (s *Store) keeps(a *archived) bool {
	return a.kept > 0 && !a.stored.Add(a.kept).After(a.copied.Add(s.opts.AuditAge))
}

// forget removes tickets by their revisions. One that was changed since has another.
func (s *Store) forget(ctx context.Context, sh *shard, revisions []uint64) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	at := make(gate, clearAtOnce)
	for _, rev := range revisions {
		if err := at.enter(ctx); err != nil {
			break
		}
		wg.Go(func() {
			defer at.leave()
			var got answer
			req := struct {
				Seq     uint64 `json:"seq"`
				NoErase bool   `json:"no_erase"`
			}{rev, true}
			err := s.call(ctx, "$JS.API.STREAM.MSG.DELETE."+sh.ask, req, &got)
			if refused(err, codeNoSequence) || refused(err, codeNotDeleted) {
				err = nil // it is gone already
			}
			mu.Lock()
			defer mu.Unlock()
			first = errors.Join(first, err)
		})
	}
	wg.Wait()
	return errors.Join(first, ctx.Err())
}

// hold keeps settled tickets where they are for a while, whichever Store would remove them.
func (s *Store) hold(ctx context.Context, sh *shard, d time.Duration) error {
	c := &sh.copying
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.patient(ctx, func() error {
		if err := s.readMark(ctx, sh); err != nil {
			return err
		}
		c.mark.Hold = time.Time{}
		if d > 0 {
			c.mark.Hold = time.Now().Add(d).UTC()
		}
		return s.writeMark(ctx, sh)
	})
}

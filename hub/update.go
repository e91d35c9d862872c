package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// update changes a ticket by compare-and-set, and copes with a store that does not
// know what became of a write. Every change of a ticket goes through here.
//
// It begins with the ticket as the caller saw it, so that an unhindered change is
// one write and no read. change returns the ticket to store, or nil if there is
// nothing to do, or an error; only its verdict on what is stored now counts. It
// may be called several times and must know its own write again.
//
// update returns the ticket as it is stored, and whether this call wrote it.
func (h *Hub) update(ctx context.Context, seen *Ticket, change func(*Ticket) (*Ticket, error)) (t *Ticket, written bool, err error) {
	p := patience{left: h.opts.Patience}
	t, current := seen, false
	if seen.ask == nil {
		if t, err = h.current(ctx, seen); err != nil {
			return nil, false, err
		}
		current = true
	}
	var put Record     // whose fate is in doubt
	var before *Ticket // it
	var putErr error   // of a Put that is not worth another
	for {
		next, err := change(t)
		switch {
		case err == nil && next != nil && putErr != nil:
			return nil, false, putErr
		case err == nil && next != nil:
			r, err := next.record(h.keeping())
			if err != nil {
				return nil, false, err
			}
			revision, err := h.store.Put(ctx, r, t.Revision)
			if err == nil {
				h.noted(t, next)
				next.Revision, next.size = revision, len(r.Data)
				h.searches.note(next)
				h.tellGiven(ctx, next)
				return next, true, nil
			}
			if !errors.Is(err, ErrConflict) {
				put, before = r, t
			}
			if putErr = p.with(ctx, err); putErr != nil {
				putErr = fmt.Errorf("hub: storing ask %s: %w", seen.Address.ID, putErr)
			}
		case current:
			if written = t.wrote(put); written {
				h.noted(before, t)
				h.searches.note(t)
				h.tellGiven(ctx, t)
			}
			return t, written, err
		}
		// Also after an error that says nothing: the write may have been made.
		if t, err = h.current(ctx, seen); err != nil {
			return nil, false, errors.Join(putErr, err)
		}
		current = true
	}
}

// noted tells who wants to know of a change that was stored.
func (h *Hub) noted(before, after *Ticket) {
	if h.opts.Stored == nil {
		return
	}
	if before.Revision == 0 {
		before = nil
	}
	h.opts.Stored(before, after)
}

// current reads what is stored for a ticket, which is the ticket itself if it is
// new and nothing is.
func (h *Hub) current(ctx context.Context, seen *Ticket) (*Ticket, error) {
	t, err := h.read(ctx, seen.Address, seen)
	if errors.Is(err, ErrNotFound) && seen.ask != nil && seen.Revision == 0 {
		return seen, nil
	}
	return t, err
}

// wrote reports whether the ticket is what was put: a write that looked lost was
// made after all.
func (t *Ticket) wrote(put Record) bool {
	if put.Data == nil {
		return false
	}
	again, err := t.record(keeping{put.TTL, put.TTL})
	return err == nil && bytes.Equal(again.Data, put.Data)
}

// patience is how long an undecided store is asked again.
type patience struct {
	left      time.Duration
	pause     time.Duration
	conflicts int
}

// with returns nil, perhaps after a pause, if it is worth trying again after err,
// and otherwise the error to give up with.
func (p *patience) with(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil, FaultOf(err) != "": // nobody knows when a fault passes
		return err
	case errors.Is(err, ErrConflict) && p.conflicts < 8:
		p.conflicts++ // somebody got on with it, so there is something new to read
		return nil
	case !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUndecided), p.left <= 0:
		return err
	}
	p.pause = min(max(2*p.pause, 5*time.Millisecond), time.Second)
	p.left -= p.pause
	return sleep(ctx, p.pause)
}

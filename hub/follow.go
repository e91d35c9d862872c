package hub

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// FollowEvent is what a [Follower] is told: a ticket, or where it stands.
type FollowEvent struct {
	Ticket *Ticket // nil when one of the others is set
	Reset  bool    // what was told before does not count: everything that is open comes anew
	Ready  bool    // all of that has come
	Open   int     // with Ready: how many tickets there are
	Err    error   // a record that cannot be read
	Again  bool    // with Err: that may pass, and who follows anew behind the event before is told the record

	// ID is where the follower is behind this event. With it, [Hub.Follow] goes on
	// from here, at any hub over the same store. It is empty between Reset and Ready.
	ID string
}

// Follower follows the tickets that a filter selects. It is not for several
// goroutines. Close it after use.
type Follower struct {
	hub    *Hub
	tenant string
	filter Filter
	s      *surface
	leave  func()

	at    *Position         // all up to here is told; nil: nothing is
	told  map[Address]mark  // changes that at does not cover yet
	skip  map[mark]struct{} // what the reader had before it came back, and at does not cover
	later []*change         // heard, and to be told when at has moved on
	doubt bool              // changes behind at may have been missed: it stays there until they are read
	when  time.Time         // to read again, in doubt
	pause time.Duration

	failed error     // why what is to be read cannot be
	since  time.Time // and since when that is so

	page  *followPage        // being read
	given map[Address]uint64 // the revisions told of what lies in another's inbox
}

// Follow returns a follower of the tenant's tickets that match the filter. It tells
// Reset, every ticket that is open, Ready, and then every change, whatever the
// status becomes. With Unconsumed in the filter, tickets whose outcome the asker has
// not had come with the open ones. Limit, Bytes, Status and Cursor do not count.
//
// after is the id of an event that the reader has had: then it goes on behind that
// event, at any hub over the same store, and tells each ticket that changed as it is
// now. If it is empty, or older than [Resumable], the follower begins with a Reset.
//
// The cost depends on what the filter selects, and not on what else is stored.
func (h *Hub) Follow(ctx context.Context, tenant string, f *Filter, after string) (*Follower, error) {
	if tenant == "" {
		return nil, errors.New("hub: following: no tenant")
	}
	if f == nil {
		f = &Filter{}
	}
	fw := &Follower{hub: h, tenant: tenant, filter: *f, s: newSurface(f)}
	fw.filter.Limit, fw.filter.Bytes, fw.filter.Status, fw.filter.Cursor = 0, 0, "", ""
	var err error
	if fw.leave, err = h.attach(ctx, tenant, fw.s, false); err != nil {
		return nil, err
	}
	fw.resume(after)
	return fw, nil
}

// Close ends the follower.
func (f *Follower) Close() { f.leave() }

// ID returns where the follower is, also when nothing happened since the last event.
// It is empty before Ready.
func (f *Follower) ID() string {
	if f.at == nil {
		return ""
	}
	if !f.doubt && f.page == nil {
		f.at.At = f.hub.now()
	}
	return f.id()
}

// Next returns what there is to tell, and waits if that is nothing. It returns the
// error of ctx when that ends, and [ErrStopped] when the hub stops. A reader that
// calls it rarely misses nothing, and costs nobody anything.
func (f *Follower) Next(ctx context.Context) ([]FollowEvent, error) {
	for {
		events, err := f.poll(ctx)
		if len(events) > 0 || err != nil {
			return f.decoded(ctx, events), err
		}
		if err := f.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// wait returns when there may be something to tell.
func (f *Follower) wait(ctx context.Context) error {
	var timer <-chan time.Time
	if f.doubt {
		t := time.NewTimer(f.when.Sub(f.hub.now()))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.hub.done:
		return ErrStopped
	case <-f.s.wake:
	case <-timer:
	}
	return nil
}

// step is an event before its ticket is made, which not everybody needs.
type step struct {
	FollowEvent
	change *change
}

// poll returns what there is to tell now. It reads if it has to.
func (f *Follower) poll(ctx context.Context) ([]step, error) {
	if f.page != nil {
		if f.hub.now().Before(f.when) {
			return nil, nil
		}
		return f.read(ctx)
	}
	queue, missed := f.s.take()
	switch {
	case f.told == nil: // it is being opened, and reads what was rung before
		f.told, f.doubt, f.when = map[Address]mark{}, true, f.hub.now()
		queue, f.later = nil, queue
	case !f.doubt:
		queue, f.later = append(f.later, queue...), nil
	}
	if missed {
		f.suspect(0, f.hub.opts.Spread)
	}
	var steps []step
	for _, c := range queue {
		if s, ok := f.hear(c); ok {
			steps = append(steps, s)
		}
	}
	if len(steps) > 0 || !f.doubt || f.hub.now().Before(f.when) {
		return steps, nil
	}
	f.begin(f.at)
	return f.read(ctx)
}

// suspect has the follower read what changed behind its position, at some time between.
func (f *Follower) suspect(least, most time.Duration) {
	when := f.hub.now().Add(least + time.Duration(f.hub.below(uint64(most-least))))
	switch {
	case !f.doubt:
		f.doubt, f.when, f.pause = true, when, 0
	case f.pause == 0 && when.Before(f.when):
		f.when = when
	}
}

// hear takes in a change that was rung.
func (f *Follower) hear(c *change) (step, bool) {
	r := &c.record
	switch {
	case r.Kind == KindPerson: // no position is about it
		return step{change: c, FollowEvent: FollowEvent{ID: f.ID()}}, f.at != nil
	case f.at == nil: // the list has it, unless the list lags
		f.postpone(c)
		return step{}, false
	case r.Revision <= f.at.Parts[r.Part]:
		return step{}, false // it is in what was read
	}
	if r.Unsure && !f.doubt {
		f.suspect(f.hub.opts.Confirm/2, f.hub.opts.Confirm)
	}
	known := f.knows(r)
	switch {
	case f.doubt && known:
		return step{}, false
	case f.doubt && len(f.told)+len(f.skip) >= maxAhead: // it has to wait for what is missing
		f.when = f.hub.now()
		f.postpone(c)
		return step{}, false
	case f.doubt: // what is missing lies before it
		f.told[r.Address] = mark{r.Revision, r.Part}
		f.postpone(c) // in case of a Reset
	default:
		f.at.Parts[r.Part], f.at.At = r.Revision, f.hub.now()
		f.prune()
	}
	return step{change: c, FollowEvent: FollowEvent{ID: f.id()}}, !known
}

// postpone keeps a change until the follower has read.
func (f *Follower) postpone(c *change) {
	if len(f.later) == surfaceQueue {
		f.later = nil
		f.s.lose(false) // then it reads once more
		return
	}
	f.later = append(f.later, c)
}

// decoded makes tickets of steps.
func (f *Follower) decoded(ctx context.Context, steps []step) []FollowEvent {
	events := make([]FollowEvent, 0, len(steps))
	for _, s := range steps {
		e := s.FollowEvent
		if s.change != nil {
			t, err := f.hub.told(ctx, s.change)
			switch {
			case err == nil && f.s.filter.match(t) && f.isNews(s.change.record, t):
				e.Ticket = t
			case err != nil && !errors.Is(err, ErrNotFound): // else it is forgotten already
				var unread *unreadError
				e.Err, e.Again = fmt.Errorf("hub: following: %w", err), errors.As(err, &unread)
			}
		}
		switch n := len(events); {
		case e.Ticket != nil || e.Err != nil || e.Reset || e.Ready:
			events = append(events, e)
		case n > 0 && e.ID != "" && events[n-1].ID != "": // nothing to tell, but it moved on
			events[n-1].ID = e.ID
		}
	}
	return events
}

package hub

import (
	"context"
	"errors"
	"maps"
	"time"
)

// followPage is a list that a follower is reading, page by page.
type followPage struct {
	*walk
	after *Position // nil: everything that is open
	at    *Position // where the follower is when it is read
	told  map[Address]mark
	held  []Record // of the first of two lists: they have their place among those of the second
	open  int
	began bool
}

// begin lists what changed behind a position, or everything that is open.
func (f *Follower) begin(after *Position) {
	filter := f.filter
	if after != nil {
		filter.Status, filter.Unconsumed = AnyStatus, false
		after = &Position{Store: after.Store, At: after.At, Parts: maps.Clone(after.Parts)} // the follower moves on as it reads
	}
	w, _ := filter.start(f.tenant) // there is no cursor to refuse
	w.query.After, w.query.Limit = after, 1000
	if after != nil {
		w.query.Least = f.ahead() // or what the reader had elsewhere would be told as it was before
	}
	f.page = &followPage{walk: w, after: after, told: map[Address]mark{}}
}

// read reads a page. A store that cannot be read is tried again later.
func (f *Follower) read(ctx context.Context) ([]step, error) {
	p := f.page
	page, err := f.hub.pageOf(ctx, p.walk, p.query)
	switch {
	case errors.Is(err, ErrPosition) && p.after != nil:
		f.begin(nil)
		return f.read(ctx)
	case ctx.Err() != nil:
		return nil, ctx.Err() // the page is read again
	case err != nil: // what was told of it stays told
		if f.failed == nil {
			f.since = f.hub.now()
		}
		f.failed = err
		f.pause = min(max(2*f.pause, 100*time.Millisecond), 5*time.Second)
		f.when = f.hub.now().Add(f.pause)
		return nil, nil
	}
	f.pause, f.failed = 0, nil
	p.cover(page.Position)
	var steps []step
	if !p.began && p.after == nil {
		steps = append(steps, step{FollowEvent: FollowEvent{Reset: true}})
	}
	p.began = true
	for _, r := range page.Records {
		switch {
		case p.given: // the position is not about it, so it is told again
			steps = f.aside(ctx, r, steps)
		case p.after == nil:
			steps = f.listed(ctx, r, steps)
		case p.person != "" && !p.shared:
			p.held = append(p.held, r)
		default:
			steps = f.release(&r, steps)
			steps = f.pass(r, steps)
		}
	}
	if len(p.held) > maxHeld {
		f.begin(nil)
		return f.read(ctx)
	}
	if !p.next(page.Next) {
		steps = f.release(nil, steps)
		steps = append(steps, f.finish())
	}
	return steps, nil
}

// maxHeld is how many changes of one inbox are put in order with those of another.
// Where there are more, the follower begins anew.
const maxHeld = 4096

// release tells what was held back and comes before a record, or all of it.
func (f *Follower) release(before *Record, steps []step) []step {
	p := f.page
	for len(p.held) > 0 && (before == nil || p.held[0].Part != before.Part || p.held[0].Revision < before.Revision) {
		steps = f.pass(p.held[0], steps)
		p.held = p.held[1:]
	}
	return steps
}

// pass tells a record of a list behind a position. In each part such records come in
// the order of their revisions, so the follower moves on with each of them: who is
// cut off goes on from there.
func (f *Follower) pass(r Record, steps []step) []step {
	if newest, ok := f.page.at.Parts[r.Part]; ok && r.Revision > newest {
		return steps // it has changed since the list was begun, so it is heard of
	}
	known := f.knows(&r)
	f.at.Parts[r.Part] = max(f.at.Parts[r.Part], r.Revision)
	if known {
		return steps
	}
	return append(steps, step{change: f.hub.recent.change(r, f.hub.waiting.asked), FollowEvent: FollowEvent{ID: f.id()}})
}

// cover notes what a list has, in the part of the store that it begins with.
func (p *followPage) cover(at *Position) {
	if at == nil {
		at = &Position{} // of a later page, or of a store that has none
	}
	if p.at == nil {
		p.at = &Position{Store: at.Store, At: at.At, Parts: map[int]uint64{}}
	}
	for part, revision := range at.Parts {
		if known, ok := p.at.Parts[part]; ok { // two inboxes in one part
			revision = min(revision, known)
		}
		p.at.Parts[part] = revision
	}
}

// listed tells a record of a list of what is open.
func (f *Follower) listed(ctx context.Context, r Record, steps []step) []step {
	p := f.page
	t, err := f.hub.told(ctx, f.hub.recent.change(r, f.hub.waiting.asked))
	if err == nil {
		t = f.hub.shown(ctx, t)
	}
	switch {
	case err != nil:
		return append(steps, step{FollowEvent: FollowEvent{Err: err}})
	case !f.filter.match(t):
		return steps
	}
	p.told[r.Address] = mark{t.Revision, r.Part}
	p.open++
	return append(steps, step{FollowEvent: FollowEvent{Ticket: t}})
}

// finish moves the follower on to where the list was made.
func (f *Follower) finish() step {
	p := f.page
	told := p.told
	if p.after != nil {
		for part, revision := range f.at.Parts { // parts in which nothing changed are as they were
			p.at.Parts[part] = max(p.at.Parts[part], revision)
		}
		told = f.told
	} else {
		f.skip = nil
	}
	f.page, f.at, f.told, f.doubt = nil, p.at, told, false
	f.prune()
	return step{FollowEvent: FollowEvent{Ready: p.after == nil, Open: p.open, ID: f.id()}}
}

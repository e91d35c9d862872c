package hub

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// scope is what one watch of the store is about. A hub hears of what its clients
// need, and of nothing else.
type scope struct {
	tenant string
	by     scopeKind
	name   string // of the person, asker or conversation
}

type scopeKind byte

const (
	byTenant       scopeKind = iota // everything of the tenant
	byPerson                        // one inbox; without a name: the shared one
	byAsker                         // what one asker asks, by its token
	byConversation                  // one conversation
	personal                        // what a person has, beside asks
)

func (s scope) query() Query {
	q := Query{Tenant: s.tenant}
	switch s.by {
	case byPerson:
		q.Person = &s.name
	case byAsker:
		q.Asker = &s.name
	case byConversation:
		q.Conversation = s.name
	case personal:
		q.Kind, q.Person = KindPerson, &s.name
	}
	return q
}

// askerScope is where those listen who wait for the ask at the address.
func askerScope(addr *Address) scope { return scope{addr.Tenant, byAsker, addr.Asker} }

// interests are the watches of the store that somebody here needs, and those that
// somebody needed a moment ago: who comes back finds it listening.
type interests struct {
	mu      sync.Mutex
	all     map[scope]*interest
	tick    uint64
	linger  uint64 // ticks that an interest outlives its last use
	relist  uint64 // ticks after which a surface lists again in any case
	jitter  func(n uint64) uint64
	stopped bool
}

// interest is one watch of the store, shared by all who need it.
type interest struct {
	scope
	ready chan struct{} // closed when it listens for the first time
	stop  context.CancelFunc

	person *personState // of a personal one

	// What follows is guarded by interests.
	users    int
	unused   uint64 // the tick at which the last user left
	err      error  // why it could not listen when it last tried
	surfaces map[*surface]struct{}
}

func (in *interests) init(linger, relist uint64, jitter func(uint64) uint64) {
	in.all, in.linger, in.relist, in.jitter = map[scope]*interest{}, linger, relist, jitter
}

// use returns the interest in a scope, which begins to listen if nobody else has
// it. Each use ends with leave.
func (h *Hub) use(s scope, sf *surface) *interest {
	in := &h.interests
	in.mu.Lock()
	defer in.mu.Unlock()
	one := in.all[s]
	if one == nil {
		one = &interest{scope: s, ready: make(chan struct{}), surfaces: map[*surface]struct{}{}}
		if s.by == personal {
			one.person = newPersonState()
		}
		ctx, stop := context.WithCancel(context.Background())
		one.stop = stop
		in.all[s] = one
		if in.stopped {
			stop()
		} else {
			h.work.Go(func() { h.listen(ctx, one) })
		}
	}
	one.users++
	if sf != nil {
		one.surfaces[sf] = struct{}{}
	}
	return one
}

func (h *Hub) leave(one *interest, sf *surface) {
	in := &h.interests
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(one.surfaces, sf)
	one.users--
	one.unused = in.tick
}

// awaitReady returns when the interest listens.
func (h *Hub) awaitReady(ctx context.Context, one *interest) error {
	select {
	case <-one.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.done:
		return ErrStopped
	}
}

// turn moves on by one tick: interests that nobody has needed for a while end, and
// surfaces whose turn it is list again.
func (in *interests) turn() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.tick++
	for s, one := range in.all {
		if one.users == 0 && in.tick-one.unused >= in.linger {
			one.stop()
			delete(in.all, s)
			continue
		}
		for sf := range one.surfaces {
			if sf.next == in.tick {
				sf.next = in.tick + in.relist + in.jitter(in.relist/4)
				sf.lose(false)
			}
		}
	}
}

// note keeps why an interest does not listen.
func (in *interests) note(one *interest, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	one.err = err
}

// why returns why nobody listens in a scope, if that is known.
func (in *interests) why(s scope) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if one := in.all[s]; one != nil {
		return one.err
	}
	return nil
}

// end has nobody listen any more.
func (in *interests) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	for _, one := range in.all {
		one.stop()
	}
}

// firstPause is how soon a watch that ended is started again.
const firstPause = 100 * time.Millisecond

// listen watches the store for one interest. It starts the watch again when it
// ends, and says so to everybody who may have missed something.
func (h *Hub) listen(ctx context.Context, one *interest) {
	first := sync.OnceFunc(func() { close(one.ready) })
	for pause := firstPause; ; pause = min(2*pause, 5*time.Second) {
		var began atomic.Bool
		err := h.store.Watch(ctx, one.query(), func() {
			began.Store(true)
			// Whoever came before it listened may have missed something, too.
			h.missed(one)
			first()
		}, func(r Record) { h.changed(one, r) })
		if ctx.Err() != nil {
			return
		}
		if began.Load() {
			pause = firstPause
			h.missed(one)
		}
		h.interests.note(one, err)
		if sleep(ctx, pause) != nil {
			return
		}
	}
}

// changed is told of every change that an interest is in.
func (h *Hub) changed(one *interest, r Record) {
	switch {
	case r.Kind == "":
		h.missed(one)
		return
	case one.by == personal:
		h.personal(one, r)
		return
	case r.Closed:
		h.deadlines.drop(r.Address)
	default:
		h.deadlines.add(r.Address, r.Due, r.Revision)
	}
	c := h.recent.change(r, h.waiting.asked)
	if r.Closed {
		h.waiting.deliver(&r.Address, &news{change: c})
	}
	in := &h.interests
	in.mu.Lock()
	defer in.mu.Unlock()
	for sf := range one.surfaces {
		sf.offer(c)
	}
}

// missed is called when changes that an interest is in may have gone unseen.
func (h *Hub) missed(one *interest) {
	switch one.by {
	case byAsker:
		h.waiting.doubt(one.scope)
	case personal:
		one.person.doubt()
	}
	in := &h.interests
	in.mu.Lock()
	defer in.mu.Unlock()
	for sf := range one.surfaces {
		sf.lose(false)
	}
}

// recent are the last changes, so that a record is decoded once for all: an ask is
// heard of by its asker, its person and others, each by their own watch.
type recent struct {
	mu   sync.Mutex
	last lately[changeKey, *change]
}

type changeKey struct {
	part     int
	revision uint64
	unsure   bool // what was heard is not what was read
}

func (rc *recent) change(r Record, known func(*Address) *Ticket) *change {
	key := changeKey{r.Part, r.Revision, r.Unsure}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if c := rc.last.all[key]; c != nil && c.record.Address == r.Address && c.record.Kind == r.Kind {
		return c
	}
	c := &change{record: r, known: known(&r.Address)}
	rc.last.put(key, c)
	return c
}

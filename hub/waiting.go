package hub

import (
	"math"
	"sync"
)

// waiting knows who waits for which ask in this process, and when to read an ask
// again although no bell rang. A waiter costs a channel and an entry in a map; it
// has no goroutine, timer or watch of its own. All who wait for asks of one asker
// share a watch of the store.
type waiting struct {
	hub     *Hub
	mu      sync.Mutex
	posts   map[Address]*post
	groups  map[scope]*group
	entered uint64 // how many waiters there have been
	stopped bool

	tick     uint64
	min, max uint64             // ticks between two reads of a post
	spread   uint64             // ticks over which many reads at once are spread
	reads    map[uint64][]*post // by the tick of the next read
}

// group is those who wait for asks of one asker.
type group struct {
	interest *interest
	first    *post
}

// post is where the waiters of one ask stand.
type post struct {
	addr  Address
	first *waiter
	pause uint64 // ticks until the next read but one; zero: not read again yet
	next  uint64 // tick of the next read

	group         *group // nil: it has not joined one yet
	before, after *post  // in the group
}

// waiter is one call of Wait.
type waiter struct {
	post *post
	next *waiter
	bell chan *news // holds one: the newest

	asked  *Ticket // what it submitted, for others in this process to share, or nil
	number uint64  // how many had entered when it did

	// What follows is the waiting goroutine's own.
	from uint64 // the newest revision it knows; zero: none yet
	held *news  // a bell that may be older than what is stored
}

// news is what a waiter is told: a committed record, or why there is none.
type news struct {
	*change      // nil: there is no record
	read    bool // it was read, not rung: no newer one was stored at that time
	err     error
}

func (n *news) revision() uint64 {
	if n.change == nil {
		return 0
	}
	return n.record.Revision
}

// with adds earlier news: the newer of the two records counts, and is as good as
// read if the older was. An error counts until a later read.
func (n *news) with(old *news) *news {
	if old == nil {
		return n
	}
	both := *n
	if old.revision() > n.revision() {
		both.change = old.change
	}
	if n.err == nil && !n.read {
		both.err = old.err
	}
	both.read = n.read || old.read
	return &both
}

func (w *waiting) init(h *Hub, least, most, spread uint64) {
	w.hub, w.posts, w.groups = h, map[Address]*post{}, map[scope]*group{}
	w.min, w.max, w.spread = least, most, spread
	w.reads = map[uint64][]*post{}
}

// enter registers a waiter, with the ticket that it submits, or nil. It is told
// nothing until join, and nothing is read on its behalf until rearm.
func (w *waiting) enter(addr *Address, asked *Ticket) (*waiter, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return nil, ErrStopped
	}
	p := w.posts[*addr]
	if p == nil {
		p = &post{addr: *addr}
		w.posts[p.addr] = p
	}
	w.entered++
	one := &waiter{post: p, next: p.first, bell: make(chan *news, 1), asked: asked, number: w.entered}
	p.first = one
	return one, nil
}

// join has whoever waits for the ask told of what the asker's asks become. Whoever
// reads on behalf of others calls it, to keep the stacks of those small.
func (w *waiting) join(addr *Address) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.posts[*addr]
	if p == nil || p.group != nil || w.stopped {
		return
	}
	s := askerScope(addr)
	g := w.groups[s]
	if g == nil {
		g = &group{interest: w.hub.use(s, nil)}
		w.groups[s] = g
	}
	p.group, p.after = g, g.first
	if g.first != nil {
		g.first.before = p
	}
	g.first = p
}

// part takes a post out of its group.
func (w *waiting) part(p *post) {
	g := p.group
	if g == nil {
		return
	}
	if p.before != nil {
		p.before.after = p.after
	} else {
		g.first = p.after
	}
	if p.after != nil {
		p.after.before = p.before
	}
	if g.first == nil {
		delete(w.groups, g.interest.scope)
		w.hub.leave(g.interest, nil)
	}
}

// rearm lets the waiter's post be read again, soon at first.
func (w *waiting) rearm(one *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := one.post; p.pause == 0 {
		p.pause = w.min
		w.schedule(p)
	}
}

func (w *waiting) leave(one *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := one.post
	for at := &p.first; *at != nil; at = &(*at).next {
		if *at == one {
			*at = one.next
			break
		}
	}
	if p.first != nil {
		return
	}
	p.next = 0 // it is let go of when its turn comes
	delete(w.posts, p.addr)
	w.part(p)
}

// deliver hands the news to everybody who waits for the ask. It never blocks.
func (w *waiting) deliver(addr *Address, n *news) { w.deliverTo(addr, n, math.MaxUint64) }

// deliverTo hands what was read to those of the first waiters who wait for the ask: who
// entered after the read began may find something newer.
func (w *waiting) deliverTo(addr *Address, n *news, first uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.posts[*addr]
	if p == nil || w.stopped { // nothing takes the place of the word that it stopped
		return
	}
	for one := p.first; one != nil; one = one.next {
		if one.number <= first {
			one.put(n)
		}
	}
}

// last returns how many waiters have entered.
func (w *waiting) last() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entered
}

// put adds to what the waiter has not looked at yet. Only holders of the lock put.
func (one *waiter) put(n *news) {
	var old *news
	select {
	case old = <-one.bell:
	default:
	}
	one.bell <- n.with(old)
}

// asked returns the ticket that somebody who waits here has submitted, or nil.
func (w *waiting) asked(addr *Address) *Ticket {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.posts[*addr]; p != nil {
		for one := p.first; one != nil; one = one.next {
			if one.asked != nil {
				return one.asked
			}
		}
	}
	return nil
}

func (w *waiting) attached(addr *Address) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.posts[*addr] != nil
}

// schedule notes when a post is read next, and doubles its pause. Those that began
// together drift apart.
func (w *waiting) schedule(p *post) {
	p.next = w.tick + p.pause
	if p.pause > w.min {
		p.next -= w.hub.below(p.pause/4 + 1)
	}
	w.reads[p.next] = append(w.reads[p.next], p)
	p.pause = min(2*p.pause, w.max)
}

// due moves on by one tick and returns what is to be read now.
func (w *waiting) due() []Address {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tick++
	posts := w.reads[w.tick]
	delete(w.reads, w.tick)
	var addrs []Address
	for _, p := range posts {
		if p.next == w.tick { // else it was rescheduled, or everybody left
			addrs = append(addrs, p.addr)
			w.schedule(p)
		}
	}
	return addrs
}

// fewPosts are read at once.
const fewPosts = 16

// doubt has everything read that is waited for in a scope: a little of it at once,
// much of it spread over a few seconds.
func (w *waiting) doubt(s scope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.groups[s]
	if g == nil {
		return
	}
	var now []Address
	for p := g.first; p != nil; p = p.after {
		if p.pause == 0 {
			continue // being submitted just now
		}
		p.pause = w.min
		if len(now) < fewPosts {
			now = append(now, p.addr)
			w.schedule(p)
			continue
		}
		p.next = w.tick + 1 + w.hub.below(w.spread)
		w.reads[p.next] = append(w.reads[p.next], p)
	}
	w.hub.reads.again(now)
}

// stop sends everybody home and closes done, once.
func (w *waiting) stop(done chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	close(done)
	for _, p := range w.posts {
		for one := p.first; one != nil; one = one.next {
			one.put(&news{err: ErrStopped})
		}
	}
}

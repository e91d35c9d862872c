package hub

import "sync"

// waiting knows who waits for which ask in this process, and when to read an ask
// again although no bell rang. A waiter costs a channel and an entry in a map; it
// has no goroutine, timer or watch of its own.
type waiting struct {
	mu      sync.Mutex
	posts   map[Address]*post
	stopped bool

	tick     uint64
	min, max uint64             // ticks between two reads of a post
	reads    map[uint64][]*post // by the tick of the next read
}

// post is where the waiters of one ask stand.
type post struct {
	addr  Address
	first *waiter
	pause uint64 // ticks until the next read but one; zero: not read again yet
	next  uint64 // tick of the next read
}

// waiter is one call of Wait.
type waiter struct {
	post *post
	next *waiter
	bell chan *news // holds one: the newest

	asked *Ticket // what it submitted, for others in this process to share, or nil

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

func (w *waiting) init(least, most uint64) {
	w.posts = map[Address]*post{}
	w.min, w.max = least, most
	w.reads = map[uint64][]*post{}
}

// enter registers a waiter, with the ticket that it submits, or nil. Nothing is
// read on its behalf until rearm.
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
	one := &waiter{post: p, next: p.first, bell: make(chan *news, 1), asked: asked}
	p.first = one
	return one, nil
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
	if p.first == nil {
		p.next = 0 // it is let go of when its turn comes
		delete(w.posts, p.addr)
	}
}

// deliver hands the news to everybody who waits for the ask. It never blocks.
func (w *waiting) deliver(addr Address, n *news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.posts[addr]
	if p == nil || w.stopped { // nothing takes the place of the word that it stopped
		return
	}
	for one := p.first; one != nil; one = one.next {
		one.put(n)
	}
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
func (w *waiting) asked(addr Address) *Ticket {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.posts[addr]; p != nil {
		for one := p.first; one != nil; one = one.next {
			if one.asked != nil {
				return one.asked
			}
		}
	}
	return nil
}

func (w *waiting) attached(addr Address) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.posts[addr] != nil
}

// schedule notes when a post is read next, and doubles its pause.
func (w *waiting) schedule(p *post) {
	p.next = w.tick + p.pause
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

// all returns everything that is waited for, and lets it be read soon again.
func (w *waiting) all() []Address {
	w.mu.Lock()
	defer w.mu.Unlock()
	var addrs []Address
	for addr, p := range w.posts {
		if p.pause == 0 {
			continue // being submitted just now
		}
		addrs = append(addrs, addr)
		p.pause = w.min
		w.schedule(p)
	}
	return addrs
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

package connlimit

import (
	"container/list"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// Options are the options of [New].
type Options struct {
	Limits Limits       // default: those of Derive(0, Files())
	Log    *slog.Logger // default: none is kept

	// Closed is told what the log is told: how many connections were closed since
	// the last time, and why. Default: nobody is.
	Closed func(Reason, int)
}

// Guard holds the connections of all listeners of a process to its limits.
type Guard struct {
	opts Options

	mu      sync.Mutex
	holders map[netip.Addr]*holder
	count   [kinds]int
	order   uint64 // of the last change

	report report
}

// kind says what a connection is.
type kind int

const (
	anonymous kind = iota // its last request had no credential, or there was none
	idle                  // its last request had one, and nothing is under way
	active                // a request with a credential is under way: perhaps a stream, or a wait
	kinds
)

// holder is an address that has connections, by their kind: the one that made
// progress longest ago is first.
type holder struct{ conns [kinds]list.List }

// New returns a guard. Close it after its listeners.
func New(opts *Options) *Guard {
	g := &Guard{holders: map[netip.Addr]*holder{}}
	if opts != nil {
		g.opts = *opts
	}
	if g.opts.Limits == (Limits{}) {
		g.opts.Limits = Derive(0, Files())
	}
	if g.opts.Log == nil {
		g.opts.Log = slog.New(slog.DiscardHandler)
	}
	g.report.every = time.Minute
	return g
}

// Close ends the log. Connections stay open.
func (g *Guard) Close() { g.report.close() }

// put gives the connection a kind, as the last of its address. The lock is held.
func (g *Guard) put(c *conn, k kind) {
	g.take(c)
	h := g.holders[c.from]
	if h == nil {
		h = &holder{}
		g.holders[c.from] = h
	}
	g.order++
	c.kind, c.order, c.at = k, g.order, h.conns[k].PushBack(c)
	g.count[k]++
}

// take takes the connection out. The lock is held.
func (g *Guard) take(c *conn) {
	if c.at == nil {
		return
	}
	h := g.holders[c.from]
	h.conns[c.kind].Remove(c.at)
	c.at = nil
	g.count[c.kind]--
	if h.conns[anonymous].Len()+h.conns[idle].Len()+h.conns[active].Len() == 0 {
		delete(g.holders, c.from)
	}
}

// slowest returns the connection of a kind to close: of the address that has the
// most, the one that made progress longest ago. The lock is held.
func (g *Guard) slowest(k kind) *conn {
	var worst *conn
	most := 0
	for _, h := range g.holders {
		n := h.conns[k].Len()
		if n == 0 || n < most {
			continue
		}
		if c := h.conns[k].Front().Value.(*conn); n > most || c.order < worst.order {
			worst, most = c, n
		}
	}
	return worst
}

// first returns the slowest of an address. The lock is held.
func (h *holder) first(k kind) *conn {
	if e := h.conns[k].Front(); e != nil {
		return e.Value.(*conn)
	}
	return nil
}

// excess returns the connection that must give way after c got its place, or nil.
// The lock is held.
func (g *Guard) excess(c *conn) (*conn, Reason) {
	l, h := &g.opts.Limits, g.holders[c.from]
	if c.kind == anonymous {
		switch {
		case l.AnonymousPerAddress > 0 && h.conns[anonymous].Len() > l.AnonymousPerAddress:
			return h.first(anonymous), FromAddress
		case g.count[anonymous] > l.Anonymous:
			return g.slowest(anonymous), WithoutCredential
		}
		return nil, ""
	}
	switch {
	case l.PerAddress > 0 && h.conns[idle].Len()+h.conns[active].Len() > l.PerAddress:
		if out := h.first(idle); out != nil {
			return out, FromAddress
		}
		return h.first(active), FromAddress
	case g.count[idle]+g.count[active] > l.Credential:
		if out := g.slowest(idle); out != nil {
			return out, WithCredential
		}
		return g.slowest(active), WithCredential
	}
	return nil, ""
}

// become gives a connection a kind, and closes another one if that is one too
// many. A connection that was closed already stays so.
func (g *Guard) become(c *conn, k kind) {
	g.mu.Lock()
	if c.closed || c.kind == k && k == active && c.at != nil {
		g.mu.Unlock()
		return
	}
	g.put(c, k)
	out, why := g.excess(c)
	g.drop(out)
	g.mu.Unlock()
	g.end(out, why)
}

// shed closes the connection that is needed least, because there are no file
// descriptors left. It reports whether there was one.
func (g *Guard) shed() bool {
	g.mu.Lock()
	out := g.slowest(anonymous)
	if out == nil {
		out = g.slowest(idle)
	}
	if out == nil {
		out = g.slowest(active)
	}
	g.drop(out)
	g.mu.Unlock()
	g.end(out, NoDescriptors)
	return out != nil
}

// drop takes out a connection that is to be closed. The lock is held.
func (g *Guard) drop(c *conn) {
	if c != nil {
		g.take(c)
		c.closed = true
	}
}

// end closes it. The descriptor is free when this returns.
func (g *Guard) end(c *conn, why Reason) {
	if c != nil {
		c.Conn.Close()
		g.report.add(g, why)
	}
}

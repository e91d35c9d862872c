package gateway

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Join].
type Options struct {
	// ID names this process among all that ever served the store; must be set.
	ID string

	// Tell returns what the others are to know of this process. Default: only that
	// it is there.
	Tell func() []byte

	// Hear is told what another process tells, one call at a time. When that has
	// ended, or is not heard of any more, data is nil. Default: nobody is.
	Hear func(id string, data []byte)

	Pace  time.Duration // how often it tells what changed, at most; default: 1 s
	Alive time.Duration // a process that is not heard of for so long has ended; default: 10 s
	Alone time.Duration // how often a process says that it is there if there is no other; default: 1 min

	Now func() time.Time // default: time.Now
}

// Group is the processes that serve one store, as one of them sees it. All methods
// may be called from several goroutines.
type Group struct {
	store hub.Store
	opts  Options
	began time.Time

	mu       sync.Mutex
	others   map[string]other
	ended    uint64
	revision uint64 // of our own record

	some  atomic.Bool   // there are others
	wake  chan struct{} // something changed that they are to know
	greet chan struct{} // somebody may not know that we are there
	heard chan hub.Record

	stop context.CancelFunc
	work sync.WaitGroup
}

// other is another process.
type other struct {
	seen     time.Time // when it was last heard of
	revision uint64    // of what it told then
}

// Join joins the processes that serve the store. Close it before the store.
func Join(store hub.Store, opts *Options) *Group {
	g := &Group{
		store: store, opts: *opts, others: map[string]other{},
		wake: make(chan struct{}, 1), greet: make(chan struct{}, 1), heard: make(chan hub.Record, 256),
	}
	o := &g.opts
	o.Pace, o.Alive, o.Alone = cmp.Or(o.Pace, time.Second), cmp.Or(o.Alive, 10*time.Second), cmp.Or(o.Alone, time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func() []byte { return nil }
	}
	if o.Hear == nil {
		o.Hear = func(string, []byte) {}
	}
	g.began = o.Now()
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.work.Go(func() { g.watch(ctx) })
	g.work.Go(func() { g.run(ctx) })
	return g
}

// Close leaves the others, and tells them.
func (g *Group) Close() {
	g.stop()
	g.work.Wait()
}

// Changed says that there is something new to tell. It costs next to nothing, and
// nothing at all if nobody else is there.
func (g *Group) Changed() {
	if g == nil || !g.some.Load() {
		return
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// Others returns how many other processes serve the store.
func (g *Group) Others() int {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.others)
}

// Ended reports whether the process of that name serves the store no longer. While
// this one is too new to know all others, none has.
func (g *Group) Ended(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, there := g.others[id]
	return id != g.opts.ID && !there && g.settled()
}

// Ends counts how often another process may have ended, so that whoever asked
// [Group.Ended] knows when to ask again.
func (g *Group) Ends() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.settled() {
		return 0
	}
	return 1 + g.ended
}

func (g *Group) settled() bool { return g.opts.Now().Sub(g.began) >= g.opts.Alive }

// forget forgets another process.
func (g *Group) forget(id string) {
	g.mu.Lock()
	_, there := g.others[id]
	delete(g.others, id)
	if there {
		g.ended++
	}
	g.some.Store(len(g.others) > 0)
	g.mu.Unlock()
	if there {
		g.opts.Hear(id, nil)
	}
}

// see notes what another process tells.
func (g *Group) see(r hub.Record) {
	id := r.Address.ID
	if id == g.opts.ID {
		return
	}
	if r.Closed {
		g.forget(id)
		return
	}
	g.mu.Lock()
	was, known := g.others[id]
	if known && r.Revision <= was.revision {
		g.mu.Unlock()
		return // a list may be late
	}
	g.others[id] = other{g.opts.Now(), r.Revision}
	g.some.Store(true)
	g.mu.Unlock()
	if !known {
		signal(g.greet) // it may not know us
	}
	data := r.Data
	if data == nil {
		data = []byte{}
	}
	g.opts.Hear(id, data)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const tenant = "hub" // of the records; an address needs one

func (g *Group) address() hub.Address { return hub.Address{Tenant: tenant, ID: g.opts.ID} }

// watch hears what others tell.
func (g *Group) watch(ctx context.Context) {
	missed := func() {
		select {
		case g.heard <- hub.Record{}:
		default: // they say it again
		}
	}
	for ctx.Err() == nil {
		g.store.Watch(ctx, hub.Query{Kind: hub.KindGateway}, missed, func(r hub.Record) {
			select {
			case g.heard <- r:
			default: // they say it again
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// list reads what all others tell.
func (g *Group) list(ctx context.Context) {
	q := hub.Query{Kind: hub.KindGateway, Limit: 1000}
	for {
		page, err := g.store.List(ctx, q)
		if err != nil {
			return // they say it again
		}
		for _, r := range page.Records {
			g.see(r)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return
		}
	}
}

// put writes our own record.
func (g *Group) put(ctx context.Context, r hub.Record) error {
	ctx, cancel := context.WithTimeout(ctx, g.opts.Alive/2)
	defer cancel()
	r.Kind, r.Address = hub.KindGateway, g.address()
	for {
		revision, err := g.store.Put(ctx, r, g.revision)
		if err == nil {
			g.revision = revision
			return nil
		}
		if !errors.Is(err, hub.ErrConflict) {
			return err
		}
		was, err := g.store.Get(ctx, r.Kind, r.Address) // it was forgotten, or a reply was lost
		if err != nil && !errors.Is(err, hub.ErrNotFound) {
			return err
		}
		g.revision = was.Revision
	}
}

package hub

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the options of [Open]. Nil means the defaults.
type Options struct {
	Now    func() time.Time // the wall clock; default: time.Now
	Random io.Reader        // of ids and nonces; default: crypto/rand.Reader

	// Key authenticates handles, 16 bytes or more. Hubs over one store share it.
	// Default: a new one, so that handles end with the hub.
	Key []byte

	Keep  time.Duration // how long a closed ticket, or a draft, is kept; default: 7 days
	Tick  time.Duration // how often deadlines and reads that are due are looked at; default: 1 s
	Sweep time.Duration // how often the store is searched for deadlines; default: 1 h

	// Bells may be lost, so what is waited for is read again: after RereadMin,
	// then after twice as long, up to RereadMax. Default: 2 s and 30 s.
	RereadMin, RereadMax time.Duration

	Relist   time.Duration // at least this often a surface is told to list again; default: 5 min
	Patience time.Duration // how long a write is tried again while the store is undecided; default: 15 s
}

// Hub applies the rules of the waiting room to what a [Store] keeps. All methods
// may be called from several goroutines.
type Hub struct {
	store Store
	opts  Options

	random   sync.Mutex
	randomly *bufio.Reader // opts.Random, which is a call of the system each time

	waiting   waiting
	reads     reads
	deadlines deadlines
	surfaces  surfaces

	gap  chan struct{} // holds one token: bells may have been missed
	stop context.CancelFunc
	done chan struct{} // closed when the hub stops
	work sync.WaitGroup
}

// Open starts a hub over the store, which stays the caller's. It returns once the
// hub sees changes; ctx bounds only this. Stop the hub after use.
func Open(ctx context.Context, store Store, opts *Options) (*Hub, error) {
	h := &Hub{store: store, gap: make(chan struct{}, 1), done: make(chan struct{})}
	if opts != nil {
		h.opts = *opts
	}
	h.opts.setDefaults()
	h.opts.Key = slices.Clone(h.opts.Key)
	if h.opts.Key == nil {
		h.opts.Key = make([]byte, 32)
		if _, err := io.ReadFull(h.opts.Random, h.opts.Key); err != nil {
			return nil, fmt.Errorf("hub: making a key: %w", err)
		}
	}
	if len(h.opts.Key) < 16 {
		return nil, errors.New("hub: the key is shorter than 16 bytes")
	}
	h.waiting.init(ticks(h.opts.RereadMin, h.opts.Tick), ticks(h.opts.RereadMax, h.opts.Tick))
	h.reads.init()
	h.deadlines.init(h.now().Add(2 * h.opts.Sweep))
	h.surfaces.init(ticks(h.opts.RereadMin, h.opts.Tick), ticks(h.opts.Relist, h.opts.Tick))

	h.randomly = bufio.NewReaderSize(h.opts.Random, 512)

	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop = stop
	ready, failed := make(chan struct{}), make(chan error, 1)
	h.work.Go(func() { h.listen(run, ready, failed) })
	select {
	case <-ready:
	case err := <-failed:
		h.Stop()
		return nil, err
	case <-ctx.Done():
		h.Stop()
		return nil, fmt.Errorf("hub: watching the store: %w", ctx.Err())
	}
	h.work.Go(func() { h.keep(run) })
	for range readers {
		h.work.Go(func() {
			for addr, ok := h.reads.next(); ok; addr, ok = h.reads.next() {
				h.reread(run, addr)
			}
		})
	}
	return h, nil
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.Keep, 7 * 24 * time.Hour},
		{&o.Tick, time.Second},
		{&o.Sweep, time.Hour},
		{&o.RereadMin, 2 * time.Second},
		{&o.RereadMax, 30 * time.Second},
		{&o.Relist, 5 * time.Minute},
		{&o.Patience, 15 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	o.RereadMax = max(o.RereadMin, o.RereadMax)
}

// ticks rounds up.
func ticks(d, tick time.Duration) uint64 { return uint64((d + tick - 1) / tick) }

// Stop ends the hub: every Wait and Watch returns [ErrStopped]. It returns when
// nothing of the hub runs any more, and may be called again.
func (h *Hub) Stop() {
	h.waiting.stop(h.done)
	h.reads.stop()
	h.stop()
	h.work.Wait()
}

// firstPause is how soon a watch that ended is started again.
const firstPause = 100 * time.Millisecond

// listen is the one watch of the store that the whole process has. It starts it
// again when it ends, and says so to everybody who may have missed something.
func (h *Hub) listen(ctx context.Context, opened chan<- struct{}, failed chan<- error) {
	var once sync.Once
	for pause := firstPause; ; pause = min(2*pause, 5*time.Second) {
		var began atomic.Bool
		err := h.store.Watch(ctx, Query{}, func() {
			began.Store(true)
			first := false
			once.Do(func() { first = true; close(opened) })
			if !first {
				h.missed()
			}
		}, h.changed)
		if ctx.Err() != nil {
			return
		}
		once.Do(func() { failed <- fmt.Errorf("hub: watching the store: ended before it began: %w", err) })
		if began.Load() {
			pause = firstPause
		}
		if sleep(ctx, pause) != nil {
			return
		}
	}
}

// changed is told of every change in the store.
func (h *Hub) changed(r Record) {
	switch {
	case r.Kind == "":
		h.missed()
		return
	case r.Closed:
		h.deadlines.drop(r.Address)
	case !r.Due.IsZero():
		h.deadlines.add(r.Address, r.Due)
	}
	c := &change{record: r, known: h.waiting.asked(r.Address)}
	if r.Closed {
		h.waiting.deliver(r.Address, &news{change: c})
	}
	h.surfaces.tell(c)
}

// missed is called when changes may have gone unseen.
func (h *Hub) missed() {
	select {
	case h.gap <- struct{}{}:
	default:
	}
	h.surfaces.reset()
}

func (h *Hub) now() time.Time { return h.opts.Now().UTC().Round(0) }

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

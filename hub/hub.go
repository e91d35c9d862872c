package hub

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
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

	Keep           time.Duration // how long a closed ticket, or a draft, is kept; default: 7 days
	KeepUnconsumed time.Duration // how long a closed ticket is kept whose asker has not had the outcome; default: 30 days, at least Keep
	Tick           time.Duration // how often deadlines and reads that are due are looked at; default: 1 s
	Sweep          time.Duration // how often the store is searched for deadlines; default: 1 h

	// Stored is told of every change that this hub has stored: of new asks, with
	// before nil, of outcomes, also those of deadlines, and of undone ones. It must
	// be quick, and may be called from several goroutines. Default: nobody is.
	Stored func(before, after *Ticket)

	// Decide is asked about every approval that is new, before it is stored, and may
	// decide in the place of people. The ticket is what will be stored; the contents
	// are what is stored beside it. Nil means that people decide. An error keeps the
	// approval out. Default: people decide about all.
	Decide func(ctx context.Context, t *Ticket, contents Contents) (*Decision, error)

	// People returns the people of a tenant that an ask can be delegated to. Default:
	// nobody is known, and nothing can be delegated.
	People func(ctx context.Context, tenant string) ([]string, error)

	// Bells may be lost, so what is waited for is read again: after RereadMin,
	// then after twice as long, up to RereadMax, not all at once. Default: 2 s and 30 s.
	RereadMin, RereadMax time.Duration

	Relist   time.Duration // about this often a call of Watch is told to list again; default: 5 min
	Linger   time.Duration // how long the hub goes on listening for what nobody needs any more; default: 1 min
	Spread   time.Duration // how long those who may have missed something take to read again, one after the other; default: 5 s
	Confirm  time.Duration // how long after a change that is [Record].Unsure a follower reads whether one was lost; default: 30 s
	Patience time.Duration // how long a write is tried again while the store is undecided; default: 15 s
}

// Hub applies the rules of the waiting room to what a [Store] keeps. All methods
// may be called from several goroutines.
type Hub struct {
	store Store
	opts  Options

	began  int64         // in nanoseconds, other than that of any other hub
	spread atomic.Uint64 // how often something was spread over time

	random   sync.Mutex
	randomly *bufio.Reader // opts.Random, which is a call of the system each time

	waiting   waiting
	reads     reads
	deadlines deadlines
	interests interests
	recent    recent
	counts    counts
	drawn     drawn
	searches  searches

	stop context.CancelFunc
	done chan struct{} // closed when the hub stops
	work sync.WaitGroup
}

// Open starts a hub over the store, which stays the caller's. The hub begins to
// listen for changes when somebody needs them. ctx is not kept. Stop the hub after
// use.
func Open(ctx context.Context, store Store, opts *Options) (*Hub, error) {
	h := &Hub{store: store, done: make(chan struct{})}
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
	h.waiting.init(h, ticks(h.opts.RereadMin, h.opts.Tick), ticks(h.opts.RereadMax, h.opts.Tick), ticks(h.opts.Spread, h.opts.Tick))
	h.reads.init()
	h.deadlines.init(h.now().Add(2 * h.opts.Sweep))
	h.interests.init(ticks(h.opts.Linger, h.opts.Tick), ticks(h.opts.Relist, h.opts.Tick), h.below)
	h.counts.init()

	h.began = h.now().UnixNano()
	h.randomly = bufio.NewReaderSize(h.opts.Random, 512)

	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop = stop
	h.work.Go(func() { h.keep(run) })
	for range readers {
		h.work.Go(func() {
			for addr, ok := h.reads.next(); ok; addr, ok = h.reads.next() {
				h.waiting.join(&addr)
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
		{&o.KeepUnconsumed, 30 * 24 * time.Hour},
		{&o.Tick, time.Second},
		{&o.Sweep, time.Hour},
		{&o.RereadMin, 2 * time.Second},
		{&o.RereadMax, 30 * time.Second},
		{&o.Relist, 5 * time.Minute},
		{&o.Linger, time.Minute},
		{&o.Spread, 5 * time.Second},
		{&o.Confirm, 30 * time.Second},
		{&o.Patience, 15 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	o.RereadMax = max(o.RereadMin, o.RereadMax)
	o.KeepUnconsumed = max(o.Keep, o.KeepUnconsumed)
}

// below draws a number below n, to keep apart what would happen at the same time. It
// need not be hard to guess.
func (h *Hub) below(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", h.began, h.spread.Add(1)))
	return binary.LittleEndian.Uint64(sum[:]) % n
}

// ticks rounds up.
func ticks(d, tick time.Duration) uint64 { return uint64((d + tick - 1) / tick) }

// Stop ends the hub: every Wait and Watch returns [ErrStopped]. It returns when
// nothing of the hub runs any more, and may be called again.
func (h *Hub) Stop() {
	h.waiting.stop(h.done)
	h.interests.end()
	h.reads.stop()
	h.searches.stop()
	h.stop()
	h.work.Wait()
}

func (h *Hub) keeping() keeping { return keeping{h.opts.Keep, h.opts.KeepUnconsumed} }

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

package securitylog

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Options are the options of [Open].
type Options struct {
	PerMinute int              // lines of one event and source; default: 10
	MaxBytes  int64            // of the file before it is renamed; default: 10 MB
	Now       func() time.Time // default: time.Now
	Log       *slog.Logger     // is told once if lines cannot be written, and when they can again; default: nobody is
}

const (
	window     = time.Minute
	queued     = 512 // lines that wait to be written
	maxSources = 256 // of one event, in a minute; the others are one source
)

// Log is a security log. All methods may be called from several goroutines, and on
// nil.
type Log struct {
	opts  Options
	out   out
	lines chan entry
	work  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	sources map[source]*tally
	count   map[Name]int // of sources
	lost    int          // lines that did not fit
}

// entry is an event that is to be written.
type entry struct {
	Event
	at time.Time
}

// out is where lines go.
type out interface {
	write(line []byte) error
	close() error
}

// source is what shares a limit.
type source struct {
	name                 Name
	tenant, key, session string
	address              string
}

// tally is what a source did in this minute.
type tally struct{ written, held int }

// Open opens the log in a file, which is made if it does not exist.
func Open(path string, opts *Options) (*Log, error) {
	if opts == nil {
		opts = &Options{}
	}
	f := &file{path: path, most: cmp.Or(opts.MaxBytes, 10_000_000)}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("opening the security log: %w", err)
	}
	return start(f, opts), nil
}

func start(to out, opts *Options) *Log {
	l := &Log{opts: *opts, out: to, lines: make(chan entry, queued), sources: map[source]*tally{}, count: map[Name]int{}}
	l.opts.PerMinute = cmp.Or(l.opts.PerMinute, 10)
	if l.opts.Now == nil {
		l.opts.Now = time.Now
	}
	if l.opts.Log == nil {
		l.opts.Log = slog.New(slog.DiscardHandler)
	}
	l.work.Go(l.run)
	return l
}

// Note writes an event, or counts it. It never waits.
func (l *Log) Note(e Event) {
	if l == nil {
		return
	}
	e.clean()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	from := source{e.Name, e.Tenant, e.Key, e.Session, e.Address}
	t := l.sources[from]
	if t == nil {
		if l.count[e.Name] >= maxSources {
			from = source{name: e.Name}
			t = l.sources[from]
		}
		if t == nil {
			t = &tally{}
			l.sources[from] = t
			l.count[e.Name]++
		}
	}
	if t.written >= l.opts.PerMinute {
		t.held += max(e.Count, 1)
		return
	}
	t.written++
	l.queue(e)
}

// queue hands an event to the writer, or counts it. The lock is held.
func (l *Log) queue(e Event) {
	select {
	case l.lines <- entry{e, l.opts.Now()}:
	default:
		l.lost++
	}
}

// run writes until the log is closed.
func (l *Log) run() {
	var over <-chan time.Time // of this minute
	failed := false
	write := func(e entry) {
		err := l.out.write(e.line(e.at))
		if err != nil {
			l.mu.Lock()
			l.lost += max(e.Count, 1)
			l.mu.Unlock()
		}
		switch {
		case err != nil && !failed:
			l.opts.Log.Warn("the security log cannot be written; what is lost is counted", "err", err)
		case err == nil && failed:
			l.opts.Log.Warn("the security log can be written again")
		}
		failed = err != nil
	}
	for {
		select {
		case e, ok := <-l.lines:
			if !ok {
				for _, e := range l.rest() {
					write(e)
				}
				return
			}
			write(e)
			if over == nil {
				over = time.After(window)
			}
		case <-over:
			over = nil
			rest := l.rest()
			for _, e := range rest {
				write(e)
			}
			if len(rest) > 0 {
				over = time.After(window)
			}
		}
	}
}

// rest returns what was left out in this minute, and begins the next.
func (l *Log) rest() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.opts.Now()
	var rest []entry
	for s, t := range l.sources {
		if t.held > 0 {
			rest = append(rest, entry{Event{Name: s.name, Tenant: s.tenant, Key: s.key, Session: s.session, Address: s.address, Reason: "more", Count: t.held}, now})
		}
	}
	slices.SortFunc(rest, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Address, b.Address), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Session, b.Session))
	})
	if l.lost > 0 {
		rest = append(rest, entry{Event{Name: LinesLost, Count: l.lost}, now})
		l.lost = 0
	}
	clear(l.sources)
	clear(l.count)
	return rest
}

// Close writes what is left, and waits for that until ctx ends.
func (l *Log) Close(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.lines)
	l.mu.Unlock()
	written := make(chan error, 1)
	go func() {
		l.work.Wait()
		written <- l.out.close()
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return fmt.Errorf("closing the security log: %w", context.Cause(ctx))
	}
}

package natsstore

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// lineSpace is how many notifications wait to be delivered. Beyond, the client drops them.
const lineSpace = 4 << 10

// advisories of the server about leaders: notifications may be lost with the old one.
const advisoryLeader = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.*"

// line delivers the notifications of all watches, one at a time, in the order in which they arrive: that of the revisions.
// What disturbs them is in the same line, so that a watch is told that it missed something before it is told of what came
// later.
type line struct {
	ch   chan *nats.Msg
	done atomic.Uint64 // how many were delivered

	misses atomic.Uint64 // how often a watch was told that it may have missed something

	wake chan struct{} // holds one token: look at the connection

	leader     *nats.Subscription
	reconnects uint64

	mu       sync.RWMutex
	watchers map[*nats.Subscription]*watcher
}

func newLine() *line {
	return &line{ch: make(chan *nats.Msg, lineSpace), wake: make(chan struct{}, 1), watchers: map[*nats.Subscription]*watcher{}}
}

// add subscribes a watcher. The line delivers nothing meanwhile, as it would not know whom to.
func (l *line) add(nc *nats.Conn, subject string, w *watcher) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.sub, err = nc.ChanSubscribe(subject, l.ch); err != nil {
		return err
	}
	l.watchers[w.sub] = w
	return nil
}

func (l *line) remove(w *watcher) {
	l.mu.Lock()
	delete(l.watchers, w.sub)
	l.mu.Unlock()
	_ = unsubscribe(w.sub)
}

// pending returns how many must have been delivered for everything that waits now to be.
func (l *line) pending() uint64 {
	waiting := uint64(len(l.ch))
	return l.done.Load() + waiting
}

// look has the line look at the connection, also when nothing arrives.
func (l *line) look() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// deliver gives every notification to its watcher until ctx ends.
func (s *Store) deliver(ctx context.Context) {
	l := s.line
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			s.reconnected()
		case m := <-l.ch:
			// A notification is dropped only while the line is full, and then it is full, but for this one, now.
			if len(l.ch) >= lineSpace-1 {
				l.missed(func(w *watcher) bool { return w.lost() })
			}
			s.reconnected()
			if m.Sub == l.leader {
				s.elected(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
			} else {
				s.event(m)
			}
			l.done.Add(1)
		}
	}
}

// reconnected tells every watch if the connection is another than before. The client counts that before it subscribes anew.
func (s *Store) reconnected() {
	if n := s.nc.Stats().Reconnects; n != s.line.reconnects {
		s.line.reconnects = n
		s.line.missed(func(*watcher) bool { return true })
	}
}

// elected tells the watches of a stream that another node leads it.
func (s *Store) elected(stream string) {
	shard, own := s.streams[stream]
	if !own {
		return
	}
	s.term.end()
	s.line.missed(func(w *watcher) bool {
		_, concerned := w.mark(shard)
		return concerned && s.shards[shard].stream(w.area) == stream
	})
}

// missed tells the watches that the function selects that they may have missed something.
func (l *line) missed(concerned func(*watcher) bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, w := range l.watchers {
		if concerned(w) {
			l.misses.Add(1)
			w.miss()
		}
	}
}

// lost reports whether the client has dropped notifications of the watch since it was last asked.
func (w *watcher) lost() bool {
	n, err := w.sub.Dropped()
	if err != nil || n == w.dropped {
		return false
	}
	w.dropped = n
	return true
}

func (w *watcher) miss() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live {
		w.fn(hub.Record{})
	}
}

// event delivers one notification.
func (s *Store) event(m *nats.Msg) {
	if lose := s.lose.Load(); lose != nil && (*lose)(m) {
		return
	}
	s.line.mu.RLock()
	w := s.line.watchers[m.Sub]
	s.line.mu.RUnlock()
	if w == nil {
		return
	}
	seq, err := strconv.ParseUint(first(m.Header, headSequence), 10, 64)
	if err != nil {
		return
	}
	shard, own := s.streams[first(m.Header, headStream)]
	if !own {
		return
	}
	s.shards[shard].know(w.area, seq)
	if first(m.Header, headState) == fenceToken {
		return
	}
	r, ok, err := s.record(m.Subject, m.Header, m.Data, seq)
	r.Unsure = s.routed
	w.hear(shard, seq, r, ok, err)
}

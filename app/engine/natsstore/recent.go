package natsstore

import (
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// The archiver could read everything that it copies. Most of it was written by the same process a moment ago, so that is
// kept here until it is copied. What is missing, as another process or the server itself wrote it, is read.

const (
	maxRecent      = 1 << 15 // writes of a shard
	maxRecentBytes = 8 << 20
)

// recent are the last writes of this Store to the tickets of a shard.
type recent struct {
	mu     sync.Mutex
	writes map[uint64]write // by revision
	bytes  int
}

type write struct {
	subject string
	header  nats.Header
	closed  bool
	data    []byte // if it is closed
	at      time.Time
}

// taken is a write and when it was acknowledged.
type taken struct {
	found
	at time.Time
}

// add notes a write. It forgets all of them when nobody takes them.
func (r *recent) add(revision uint64, m *nats.Msg) {
	w := write{subject: m.Subject, header: m.Header, at: time.Now()}
	if isClosed(m.Header) {
		w.closed, w.data = true, m.Data
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes == nil || len(r.writes) >= maxRecent || r.bytes+len(w.data) > maxRecentBytes {
		r.writes, r.bytes = map[uint64]write{}, 0
	}
	r.writes[revision] = w
	r.bytes += len(w.data)
}

func (r *recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes, r.bytes = nil, 0
}

// take returns the writes that follow a revision, in order, up to the first one that is not known, and forgets them and all
// before. Of a ticket that was written several times it has the last. beyond says that later ones are known.
func (r *recent) take(after uint64) (all []taken, upTo uint64, beyond bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := map[string]uint64{}
	upTo = after
	for w, ok := r.writes[upTo+1]; ok; w, ok = r.writes[upTo+1] {
		upTo++
		last[w.subject] = upTo
	}
	for rev := after + 1; rev <= upTo; rev++ {
		if w := r.writes[rev]; w.closed && last[w.subject] == rev {
			all = append(all, taken{found{w.subject, rev, w.header, w.data}, w.at})
		}
	}
	for rev, w := range r.writes {
		if rev <= upTo {
			delete(r.writes, rev)
			r.bytes -= len(w.data)
		}
	}
	return all, upTo, len(r.writes) > 0
}

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// The archiver copies closed tickets to the archive. Each Store has one, and of all that work on a shard one copies at a
// time: its name is in the shard's bookmark, and the others look after it only when it says nothing for a while. That keeps
// their work small; what keeps the archive right is that each write to it names the sequence that it follows. Two that
// copy at the same time, or one that comes back after a crash, write nothing twice, and go on behind the last copy.
//
// Nothing is lost either when all of them stop: the stream of tickets keeps what was not copied.

const (
	coalesce  = time.Second      // a ticket that is answered and consumed meanwhile is copied once
	lookEvery = 3 * time.Second  // for what others wrote
	markEvery = 20 * time.Second // how often the bookmark of a busy shard is written
	markStale = time.Minute      // then another takes over
)

// bookmark says who copies the tickets of a shard, and how far. It may be older than the archive, never ahead of it.
type bookmark struct {
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Seen    uint64    `json:"seen"`          // tickets up to this revision were looked at, and copied if they were closed
	Cleared uint64    `json:"cleared"`       // settled tickets up to this sequence of the archive were removed
	Hold    time.Time `json:"hold,omitzero"` // none are removed until then: a backup is being taken
}

// bookmark is the subject of the bookmark of a shard.
func (n names) bookmark(ss string) string { return n.space() + areaDue + "." + ss + "._.archiver" }

// copying is what the archiver of a Store knows of a shard.
type copying struct {
	dirty atomic.Bool // a ticket was closed here

	mu    sync.Mutex
	own   bool     // the bookmark names this Store
	mark  bookmark // as it was read or written last
	seq   uint64   // of that
	seen  uint64   // as in the bookmark, and newer
	clear uint64
	gap   uint64      // the first revision that was not known in the last round
	end   *archiveEnd // nil: not known
	look  time.Time   // when to look again for what can be removed
}

// archiveEnd is the end of an archive.
type archiveEnd struct {
	seq    uint64 // of the last copy
	origin uint64 // its revision
}

// toArchive notes that a ticket was closed.
func (s *Store) toArchive(sh *shard) {
	if s.opts.NoAudit || sh.copying.dirty.Swap(true) {
		return
	}
	select {
	case s.closedHere <- struct{}{}:
	default:
	}
}

// archive copies until ctx ends. An error passes with the next round.
func (s *Store) archive(ctx context.Context) {
	for {
		look := time.NewTimer(lookEvery/2 + rand.N(lookEvery))
		woken := false
		select {
		case <-ctx.Done():
		case <-look.C:
		case <-s.closedHere:
			woken = true
			_ = pause(ctx, coalesce) // that ctx ended is seen below
		}
		look.Stop()
		if ctx.Err() != nil {
			return
		}
		for _, sh := range s.shards {
			if dirty := sh.copying.dirty.Swap(false); woken && !dirty {
				continue
			}
			_ = s.tend(ctx, sh)
		}
	}
}

// tend does what there is to do for the archive of a shard, if no other Store does.
func (s *Store) tend(ctx context.Context, sh *shard) error {
	c := &sh.copying
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.own || time.Since(c.mark.At) > markStale/2 {
		if err := s.readMark(ctx, sh); err != nil {
			return err
		}
		if !c.own && time.Since(c.mark.At) < markStale {
			sh.recent.forget()
			return nil
		}
	}
	if err := s.copyClosed(ctx, sh, false); err != nil {
		return err
	}
	if err := s.clear(ctx, sh, time.Now()); err != nil {
		return err
	}
	if c.seen == c.mark.Seen && c.clear == c.mark.Cleared || c.own && time.Since(c.mark.At) < markEvery {
		return nil
	}
	return s.writeMark(ctx, sh)
}

// bringUpToDate copies what is closed by now, whoever else does, if there is an archive.
func (s *Store) bringUpToDate(ctx context.Context, sh *shard) error {
	if s.opts.NoAudit {
		return nil
	}
	sh.copying.mu.Lock()
	defer sh.copying.mu.Unlock()
	if err := s.readMark(ctx, sh); err != nil {
		return err
	}
	return s.copyClosed(ctx, sh, true)
}

// readMark reads the bookmark of a shard.
func (s *Store) readMark(ctx context.Context, sh *shard) error {
	c := &sh.copying
	m, err := s.leader(ctx, sh.due, s.names.bookmark(sh.ss))
	if err != nil {
		return err
	}
	var b bookmark
	if !m.gone {
		if err := json.Unmarshal(m.data, &b); err != nil {
			return fmt.Errorf("the bookmark of shard %s: %w", sh.ss, err)
		}
	}
	if c.own = b.By == s.life; !c.own {
		c.end = nil // another may have copied
	}
	c.mark, c.seq = b, m.seq
	c.seen, c.clear = max(c.seen, b.Seen), max(c.clear, b.Cleared)
	return nil
}

// writeMark writes down how far this Store came, unless another has written meanwhile.
func (s *Store) writeMark(ctx context.Context, sh *shard) error {
	c := &sh.copying
	b := bookmark{By: s.life, At: time.Now().UTC(), Seen: c.seen, Cleared: c.clear, Hold: c.mark.Hold}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	seq, err := s.publish(ctx, &nats.Msg{Subject: s.names.bookmark(sh.ss), Data: data, Header: nats.Header{
		headExpect: {strconv.FormatUint(c.seq, 10)},
	}})
	if err != nil {
		c.own = false // or not: the next round reads it
		return err
	}
	c.own, c.mark, c.seq = true, b, seq
	return nil
}

// copyClosed copies what the archive does not have yet. If not all of it is needed, it leaves what follows a write that is
// probably under way to the next round, which has it without reading. The caller holds the lock.
func (s *Store) copyClosed(ctx context.Context, sh *shard, all bool) error {
	c := &sh.copying
	for try := 0; ; try++ {
		if c.end == nil {
			end, err := s.archiveEnd(ctx, sh)
			if err != nil {
				return err
			}
			c.end = end
		}
		beyond, err := s.copyRecent(ctx, sh)
		if err == nil {
			from := max(c.seen, c.end.origin) + 1
			if beyond && !all && c.gap != from {
				c.gap = from
				return nil
			}
			err = s.copyFrom(ctx, sh, from)
		}
		if !errors.Is(err, errOutrun) || try == maxOutrun {
			return err
		}
	}
}

// maxOutrun is how often one round begins again.
const maxOutrun = 3

// errOutrun says that another wrote to the archive, or that nobody knows what became of a write.
var errOutrun = errors.New("the end of the archive is another")

// copyRecent copies what this Store itself has written since the last copy, up to the first write that it does not know.
func (s *Store) copyRecent(ctx context.Context, sh *shard) (beyond bool, err error) {
	c := &sh.copying
	all, upTo, beyond := sh.recent.take(max(c.seen, c.end.origin))
	for chunk := range slices.Chunk(all, maxCopies) {
		var batch []*nats.Msg
		for _, w := range chunk {
			m, err := s.copyOf(w.found, w.at)
			if err != nil {
				return false, err
			}
			batch = append(batch, m)
		}
		if err := s.append(ctx, sh, batch); err != nil {
			return false, err
		}
	}
	c.seen = max(c.seen, upTo)
	return beyond, nil
}

// copyFrom copies the closed tickets from a revision on.
func (s *Store) copyFrom(ctx context.Context, sh *shard, from uint64) error {
	c := &sh.copying
	sc := scan{stream: sh.ask, filters: []string{s.names.all(areaAsk, sh.ss)}, from: from, more: true, walk: true}
	for sc.more {
		var batch []*nats.Msg
		var bad error
		seen := uint64(0)
		err := s.next(ctx, &sc, maxCopies, func(f found) bool {
			m, err := s.copyFound(f)
			if err != nil {
				bad = errors.Join(bad, err)
				return false
			}
			if m != nil {
				batch = append(batch, m)
			}
			seen = f.seq
			return true
		})
		if err := errors.Join(err, bad); err != nil {
			return err
		}
		if err := s.append(ctx, sh, batch); err != nil {
			return err
		}
		c.seen = max(c.seen, seen)
	}
	return nil
}

// archiveEnd asks the leader where the archive ends.
func (s *Store) archiveEnd(ctx context.Context, sh *shard) (*archiveEnd, error) {
	var m stored
	read := func() error {
		return s.patient(ctx, func() (err error) {
			m, err = s.readLeader(ctx, sh.archive, s.names.all(areaArchive, sh.ss))
			return err
		})
	}
	if err := read(); err != nil {
		return nil, err
	}
	if m.seq == 0 { // it is new, or all of it was forgotten; unless another writes the first copies just now
		state, err := s.state(ctx, sh.archive)
		if err == nil {
			err = read()
		}
		if err != nil || m.seq == 0 {
			return &archiveEnd{seq: state.Last}, err
		}
	}
	o, err := originOf(m.header)
	return &archiveEnd{m.seq, o.revision}, err
}

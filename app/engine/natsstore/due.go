package natsstore

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// An open ticket with a deadline has an entry in a stream of its own, so that finding what is due does not mean reading
// all that waits. The entry is written before the ticket: one too many does no harm, one too few would.

// overdue is how long an entry outlives its deadline, for hubs that were away.
const overdue = 30 * 24 * time.Hour

// farAway keeps the sum of durations within its bounds.
const farAway = 200 * 365 * 24 * time.Hour

// young is how long the ticket of an entry may be on its way.
const young = time.Hour

// deadlines remembers which tickets this process gave an entry, to remove it when they are closed. What it forgets, with
// the process, is removed by the next list of what is due.
type deadlines struct {
	mu   sync.Mutex
	seed maphash.Seed
	seqs map[uint64]uint64 // by hash of the address: whole addresses would take ten times the room
}

func newDeadlines() *deadlines {
	return &deadlines{seed: maphash.MakeSeed(), seqs: map[uint64]uint64{}}
}

func (d *deadlines) add(a hub.Address, seq uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seqs[maphash.Comparable(d.seed, a)] = seq
}

func (d *deadlines) take(a hub.Address) (seq uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seqs) == 0 {
		return 0, false
	}
	key := maphash.Comparable(d.seed, a)
	seq, ok = d.seqs[key]
	delete(d.seqs, key)
	return seq, ok
}

// enter makes the entry of an open ticket, if it has a deadline. One that stands already is only made earlier: what
// writes it may still lose to a rival, whose ticket is due before, as an answer is held say. An entry too early does no
// harm.
func (s *Store) enter(ctx context.Context, sh *shard, r hub.Record, stands bool) error {
	m := s.entry(sh, r)
	if m == nil {
		return nil
	}
	var seq uint64
	err := s.patient(ctx, func() (err error) {
		for range 8 {
			if stands {
				was, err := s.leader(ctx, sh.due, m.Subject)
				if err != nil {
					return err
				}
				m = s.entry(sh, r)
				join(m, was)
			}
			if seq, err = s.publish(ctx, m); !stands || !refused(err, codeWrongLast) {
				return err
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note the deadline: %w", err)
	}
	sh.deadlines.add(r.Address, seq)
	_, err = s.noted(sh.due, seq)
	return err
}

// entry spells the entry of an open ticket that has a deadline; nil for anything else.
func (s *Store) entry(sh *shard, r hub.Record) *nats.Msg {
	if cmp.Or(r.Kind, hub.KindTicket) != hub.KindTicket || r.Closed || r.Due.IsZero() {
		return nil
	}
	return &nats.Msg{Subject: s.names.subject(areaDue, sh.ss, r.Address), Header: nats.Header{
		headDue: {r.Due.UTC().Format(time.RFC3339Nano)},
		headTTL: {ttl(min(max(time.Until(r.Due), 0), farAway) + overdue)},
	}}
}

// join has an entry take the place of another one, and of no later one: it is due when the first of the two is, and
// lives as long as the longer one.
func join(e *nats.Msg, was stored) {
	e.Header[headExpect] = []string{strconv.FormatUint(was.seq, 10)}
	if was.gone || first(was.header, headState) == stateClosed {
		return
	}
	mine, err1 := time.Parse(time.RFC3339Nano, first(e.Header, headDue))
	due, err2 := time.Parse(time.RFC3339Nano, first(was.header, headDue))
	if err1 == nil && err2 == nil && due.Before(mine) {
		e.Header[headDue] = was.header[headDue]
	}
	lives, err1 := strconv.ParseInt(first(e.Header, headTTL), 10, 64)
	lived, err2 := strconv.ParseInt(first(was.header, headTTL), 10, 64)
	if err1 == nil && err2 == nil && lived > lives {
		e.Header[headTTL] = was.header[headTTL]
	}
}

// settled removes the entry of a ticket that was closed. Nobody waits for it: an entry too many does no harm.
func (s *Store) settled(sh *shard, a hub.Address) {
	if seq, ok := sh.deadlines.take(a); ok {
		s.remove(s.names.subject(areaDue, sh.ss, a), seq)
	}
}

// remove replaces an entry, unless it was made anew, by one that is gone in a second.
func (s *Store) remove(subject string, seq uint64) {
	_ = s.nc.PublishMsg(&nats.Msg{Subject: subject, Header: nats.Header{
		headState:  {stateClosed},
		headTTL:    {"1"},
		headExpect: {strconv.FormatUint(seq, 10)},
	}})
}

// readDue reads the next n of what is due in a shard: it goes by the entries.
func (s *Store) readDue(ctx context.Context, sh *shard, l *leg, q hub.Query, n int) (all []item, err error) {
	sc := scan{stream: sh.due, filters: []string{s.names.filter(areaDue, sh.ss, q)}, from: l.from, more: true}
	entries, seqs := map[hub.Address]found{}, map[hub.Address]uint64{}
	for sc.more && len(entries) < n {
		var bad error
		err := s.next(ctx, &sc, maxBatch, func(f found) bool {
			if len(entries) == n {
				return false
			}
			e, ok, err := s.record(f.subject, f.header, nil, f.seq)
			if err != nil {
				bad = err
			} else if ok && !e.Closed && !e.Due.After(q.Due) {
				entries[e.Address], seqs[e.Address] = f, f.seq
			}
			return true
		})
		if err == nil {
			err = bad
		}
		if err != nil {
			return nil, err
		}
	}
	records, err := s.tickets(ctx, sh, q, entries)
	for _, r := range records {
		all = append(all, item{seqs[r.Address], len(r.Data), true, r})
	}
	slices.SortFunc(all, func(a, b item) int { return cmp.Compare(a.seq, b.seq) })
	l.from, l.done = sc.from, !sc.more
	return all, err
}

// tickets returns the tickets that entries stand for and that match, and removes the entries of those that are closed.
func (s *Store) tickets(ctx context.Context, sh *shard, q hub.Query, entries map[hub.Address]found) (records []hub.Record, err error) {
	sc := scan{stream: sh.ask, more: len(entries) > 0}
	for a := range entries {
		sc.filters = append(sc.filters, s.names.subject(areaAsk, sh.ss, a))
	}
	for sc.more {
		var bad error
		err := s.next(ctx, &sc, maxBatch, func(f found) bool {
			r, ok, err := s.record(f.subject, f.header, f.data, f.seq)
			switch {
			case err != nil:
				bad = err
			case ok && r.Closed:
				s.remove(entries[r.Address].subject, entries[r.Address].seq)
			case ok && q.Match(r):
				records = append(records, r)
			}
			if ok {
				delete(entries, r.Address)
			}
			return true
		})
		if err == nil {
			err = bad
		}
		if err != nil {
			return nil, err
		}
	}
	for _, f := range entries { // without a ticket
		if at, err := f.time(); err == nil && time.Since(at) > young {
			s.remove(f.subject, f.seq)
		}
	}
	return records, nil
}

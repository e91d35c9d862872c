package natsstore

import (
	"context"
	"time"
)

// Stats are what a store holds, and how its copies are, as the servers tell it.
type Stats struct {
	Shards   []ShardStats
	Bytes    int64  // of all its streams, on one server
	MaxAsks  int64  // that it may hold; zero: no limit
	MaxBytes int64  // that the tickets may take; zero: no limit
	Missed   uint64 // how often a watch of this process may have missed a change, and read again
}

// ShardStats are those of one shard.
type ShardStats struct {
	Records  int64     // tickets, closed ones until the archive has them
	Bytes    int64     // of those
	Archived uint64    // the last sequence of the archive; zero: there is none
	Leader   string    // the server that leads it; empty: none does
	Copies   []Copy    // on the other servers
	Oldest   time.Time // when the oldest open ticket was last changed; zero: there is none, or it is not found yet
}

// Copy is a shard on a server that follows its leader.
type Copy struct {
	Server  string
	Current bool
	Offline bool
	Lag     uint64 // writes that it has not made yet
}

// follower is a copy as the server describes it.
type follower struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Offline bool   `json:"offline"`
	Lag     uint64 `json:"lag"`
}

// Stats asks the servers. It is some requests for each shard, and one message read for each ticket that was closed since
// the last call.
func (s *Store) Stats(ctx context.Context) (*Stats, error) {
	all := &Stats{Shards: make([]ShardStats, len(s.shards)), MaxAsks: s.opts.MaxAsks, MaxBytes: s.opts.MaxBytes, Missed: s.line.misses.Load()}
	bytes := make([]int64, len(s.shards))
	err := each(len(s.shards), func(i int) error {
		sh, st := s.shards[i], &all.Shards[i]
		info, err := s.info(ctx, sh.ask)
		if err != nil {
			return err
		}
		st.Records, st.Bytes = info.State.Messages, info.State.Bytes
		bytes[i] = info.State.Bytes
		if info.Cluster != nil {
			st.Leader = info.Cluster.Leader
			for _, f := range info.Cluster.Replicas {
				st.Copies = append(st.Copies, Copy{f.Name, f.Current, f.Offline, f.Lag})
			}
		}
		others := []string{sh.draft, sh.aux, sh.due}
		if sh.key != "" {
			others = append(others, sh.key)
		}
		for _, stream := range others {
			state, err := s.state(ctx, stream)
			if err != nil {
				return err
			}
			bytes[i] += state.Bytes
		}
		if !s.opts.NoAudit {
			state, err := s.state(ctx, sh.archive)
			if err != nil {
				return err
			}
			bytes[i] += state.Bytes
			st.Archived = state.Last
		}
		st.Oldest, err = s.oldest(ctx, sh)
		return err
	})
	for _, n := range bytes {
		all.Bytes += n
	}
	return all, err
}

// maxPassed is how many closed tickets one call passes over in a shard.
const maxPassed = 4 * maxBatch

// oldest returns when the first open ticket of a shard was stored. A ticket keeps its place until it changes, so what was
// passed over once is not looked at again: it was closed, or is stored anew further on.
func (s *Store) oldest(ctx context.Context, sh *shard) (at time.Time, err error) {
	sh.oldest.mu.Lock()
	defer sh.oldest.mu.Unlock()
	sc := &scan{stream: sh.ask, filters: []string{s.names.all(areaAsk, sh.ss)}, from: sh.oldest.from, walk: true, more: true}
	for passed := 0; sc.more && passed < maxPassed && at.IsZero(); {
		var wrong error
		err := s.next(ctx, sc, 16, func(f found) bool {
			passed++
			if isClosed(f.header) || first(f.header, headMarker) != "" || first(f.header, headState) == fenceToken {
				return true
			}
			at, wrong = f.time()
			return false
		})
		if err == nil {
			err = wrong
		}
		if err != nil {
			return time.Time{}, err
		}
		sh.oldest.from = sc.from
	}
	return at, nil
}

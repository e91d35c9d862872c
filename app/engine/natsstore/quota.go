package natsstore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/hub"
)

// quota knows about how much the streams of tickets hold. The streams have no limits of their own: those would refuse the
// answer to an ask as well, which is larger than the ask.
type quota struct {
	asks, bytes atomic.Int64

	mu     sync.Mutex
	looked time.Time
}

// lookAgain is how long what was seen of a full store is believed.
const lookAgain = 100 * time.Millisecond

// recordOverhead is about what headers and subject add to the data of a record.
const recordOverhead = 300

// admit returns hub.ErrFull if the store has no room for another ticket.
func (s *Store) admit(ctx context.Context) error {
	if !s.full() {
		return nil
	}
	q := &s.room
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.looked) > lookAgain {
		if err := s.look(ctx); err != nil {
			return fmt.Errorf("see whether there is room: %w", err)
		}
		q.looked = time.Now()
	}
	if s.full() {
		return hub.ErrFull
	}
	return nil
}

func (s *Store) full() bool {
	return s.opts.MaxAsks > 0 && s.room.asks.Load() >= s.opts.MaxAsks || s.opts.MaxBytes > 0 && s.room.bytes.Load() >= s.opts.MaxBytes
}

// limited reports whether there is a quota.
func (s *Store) limited() bool { return s.opts.MaxAsks > 0 || s.opts.MaxBytes > 0 }

// add counts a ticket that was stored.
func (q *quota) add(data int) {
	q.asks.Add(1)
	q.bytes.Add(int64(data + recordOverhead))
}

// look asks the server how much the store holds.
func (s *Store) look(ctx context.Context) error {
	states := make([]streamState, len(s.shards))
	if err := each(len(s.shards), func(i int) (err error) {
		states[i], err = s.state(ctx, s.shards[i].ask)
		return err
	}); err != nil {
		return err
	}
	var asks, bytes int64
	for i, st := range states {
		asks, bytes = asks+st.Messages, bytes+st.Bytes
		s.shards[i].know(areaAsk, st.Last)
	}
	s.room.asks.Store(asks)
	s.room.bytes.Store(bytes)
	return nil
}

// streamState is what a stream holds.
type streamState struct {
	Messages int64  `json:"messages"`
	Bytes    int64  `json:"bytes"`
	First    uint64 `json:"first_seq"`
	Last     uint64 `json:"last_seq"`
}

func (s *Store) state(ctx context.Context, stream string) (streamState, error) {
	info, err := s.info(ctx, stream)
	return info.State, err
}

// streamInfo is what we want to know of a stream.
type streamInfo struct {
	answer
	Created time.Time `json:"created"`
	Config  struct {
		Metadata map[string]string `json:"metadata"`
	} `json:"config"`
	State   streamState `json:"state"`
	Cluster *struct {   // none: the server is alone
		Leader   string     `json:"leader"`
		Replicas []follower `json:"replicas"`
	} `json:"cluster"`
}

func (s *Store) info(ctx context.Context, stream string) (info streamInfo, err error) {
	if err := s.call(ctx, "$JS.API.STREAM.INFO."+stream, struct{}{}, &info); err != nil {
		return info, fmt.Errorf("look at stream %s: %w", stream, err)
	}
	return info, nil
}

// Probe returns why records cannot be written now, as far as the servers know: a stream has no leader, or nobody answers.
func (s *Store) Probe(ctx context.Context) error {
	return each(len(s.shards), func(i int) error {
		name := s.shards[i].ask
		info, err := s.info(ctx, name)
		if err != nil {
			return err
		}
		if info.Cluster != nil && info.Cluster.Leader == "" {
			return fmt.Errorf("stream %s has no leader", name)
		}
		return nil
	})
}

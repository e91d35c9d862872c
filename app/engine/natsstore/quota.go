package natsstore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/hub"
)

// quota knows about how much a shard's stream of tickets holds. The stream's own limits are above the quota: they would
// refuse the answer to an ask as well, which is larger than the ask, and on replicated streams even one that is not.
type quota struct {
	asks, bytes atomic.Int64

	mu     sync.Mutex
	looked time.Time
}

// lookAgain is how long what was seen of a full shard is believed.
const lookAgain = 100 * time.Millisecond

// recordOverhead is about what headers and subject add to the data of a record.
const recordOverhead = 300

// admit returns hub.ErrFull if the shard has no room for another ticket.
func (s *Store) admit(ctx context.Context, sh *shard) error {
	q := &sh.room
	if !s.full(q) {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.looked) > lookAgain {
		if _, err := s.look(ctx, sh); err != nil {
			return fmt.Errorf("see whether there is room: %w", err)
		}
		q.looked = time.Now()
	}
	if s.full(q) {
		return hub.ErrFull
	}
	return nil
}

func (s *Store) full(q *quota) bool {
	return q.asks.Load() >= s.opts.MaxAsks || s.opts.MaxBytes > 0 && q.bytes.Load() >= s.opts.MaxBytes
}

// add counts a ticket that was stored.
func (q *quota) add(data int) {
	q.asks.Add(1)
	q.bytes.Add(int64(data + recordOverhead))
}

// look asks the server how much the shard holds, and returns the last sequence of its tickets.
func (s *Store) look(ctx context.Context, sh *shard) (last uint64, err error) {
	state, err := s.state(ctx, sh.ask)
	if err != nil {
		return 0, err
	}
	sh.room.asks.Store(state.Messages)
	sh.room.bytes.Store(state.Bytes)
	return state.Last, nil
}

// streamState is what a stream holds.
type streamState struct {
	Messages int64  `json:"messages"`
	Bytes    int64  `json:"bytes"`
	First    uint64 `json:"first_seq"`
	Last     uint64 `json:"last_seq"`
}

func (s *Store) state(ctx context.Context, stream string) (streamState, error) {
	var info struct {
		answer
		State streamState `json:"state"`
	}
	if err := s.call(ctx, "$JS.API.STREAM.INFO."+stream, struct{}{}, &info); err != nil {
		return streamState{}, fmt.Errorf("look at stream %s: %w", stream, err)
	}
	return info.State, nil
}

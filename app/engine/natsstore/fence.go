package natsstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
)

// A node that led a stream and was cut off from the others believes for up to twenty seconds that it still leads, and
// answers reads all that time without asking anybody (nats-server 2.15.2). Who happens to be connected to it would be told
// that an ask is open, or not there, after others were told that it was answered.
//
// So a read of a replicated stream begins with a write that says nothing, a fence, which only a leader with a majority
// behind it acknowledges, and counts only if whoever answers it has the fence. Reads that come at the same time share one.

// fenceToken is the subject of the fences of a shard, after ask.ss._: one message, replaced each time.
const fenceToken = "fence"

// errBehind says that a replica has not got as far as the fence. It will have in a moment.
var errBehind = fmt.Errorf("%w: the replica that answered is behind", nats.ErrTimeout)

// fence makes reads certain, for one stream.
type fence struct {
	writing sync.Mutex // one at a time; who comes meanwhile shares the next

	mu   sync.Mutex
	next *turn // that is not being written yet
}

// turn is a fence for everybody who came before it was written.
type turn struct {
	done chan struct{}
	seq  uint64
	err  error
}

// pass returns the sequence of a fence that was written after the call. write must not wait for ever.
func (f *fence) pass(ctx context.Context, write func() (uint64, error)) (uint64, error) {
	f.mu.Lock()
	t := f.next
	if t != nil {
		f.mu.Unlock()
		select {
		case <-t.done:
			return t.seq, t.err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	t = &turn{done: make(chan struct{})}
	f.next = t
	f.mu.Unlock()

	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	f.next = nil
	f.mu.Unlock()
	defer close(t.done)
	t.seq, t.err = write()
	return t.seq, t.err
}

// fenced reports whether reads of an area pass a fence.
func (s *Store) fenced(area string) bool { return s.opts.Replicas > 1 && area == areaAsk }

// passFence writes a fence and returns its sequence: all that was acknowledged before has a lower one.
func (s *Store) passFence(ctx context.Context, sh *shard) (uint64, error) {
	seq, err := sh.fence.pass(ctx, func() (uint64, error) {
		// For others too, so it does not end with ctx.
		m := &nats.Msg{Subject: s.names.fence(sh.ss), Header: nats.Header{headState: {fenceToken}}}
		seq, err := s.publish(context.WithoutCancel(ctx), m)
		if err == nil && !s.opts.NoAudit {
			sh.recent.add(seq, m)
		}
		return seq, err
	})
	if err != nil {
		return 0, fmt.Errorf("fence: %w", err)
	}
	sh.know(areaAsk, seq)
	return seq, nil
}

// readCertain reads the last message of a subject of a replicated stream of tickets, on whichever replica has all that was
// acknowledged before.
func (s *Store) readCertain(ctx context.Context, sh *shard, subject string) (m stored, err error) {
	seq, err := s.passFence(ctx, sh)
	if err != nil {
		return stored{}, err
	}
	own := s.names.fence(sh.ss)
	sc := scan{stream: sh.ask, filters: []string{own, subject}}
	err = s.directGet(ctx, &sc, len(sc.filters), func(f found) bool {
		if f.subject == subject {
			m = stored{seq: f.seq, header: f.header, data: f.data}
		}
		return true
	})
	switch {
	case err != nil:
		return stored{}, err
	case sc.upTo < seq: // zero is a replica that has not even a fence
		return stored{}, errBehind
	}
	return m, nil
}

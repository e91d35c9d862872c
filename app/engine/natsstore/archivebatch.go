package natsstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

const (
	maxCopies = 512 // in one batch; the server takes 1000
	minBatch  = 8   // fewer are written one by one: on one node a batch costs some writes of its own
)

// The headers of a batch that is stored as a whole or not at all.
const (
	headBatch      = "Nats-Batch-Id"
	headBatchSeq   = "Nats-Batch-Sequence"
	headCommit     = "Nats-Batch-Commit"
	headExpectLast = "Nats-Expected-Last-Sequence" // of the stream
)

// append writes copies to the end of the archive, in order. After an error nobody knows how many of them it has; whoever
// goes on looks where it ends.
func (s *Store) append(ctx context.Context, sh *shard, copies []*nats.Msg) (err error) {
	c := &sh.copying
	defer func() {
		if err != nil {
			c.end = nil
		}
	}()
	if len(copies) >= minBatch {
		return s.appendBatch(ctx, sh, copies)
	}
	for _, m := range copies {
		m.Header[headExpectLast] = []string{strconv.FormatUint(c.end.seq, 10)}
		seq, err := s.publish(ctx, m)
		if err != nil {
			return outrun(err)
		}
		if err := s.appended(sh, seq, m); err != nil {
			return err
		}
	}
	return nil
}

// appended moves the end of the archive to a copy.
func (s *Store) appended(sh *shard, seq uint64, m *nats.Msg) error {
	o, err := originOf(m.Header)
	if err != nil {
		return err
	}
	sh.copying.end = &archiveEnd{seq, o.revision}
	_, err = s.noted(sh.archive, seq)
	return err
}

// outrun says of a refusal that another was faster.
func outrun(err error) error {
	if refused(err, codeWrongLast) || refused(err, codeInProcess) {
		return fmt.Errorf("%w: %w", errOutrun, err)
	}
	return err
}

// appendBatch writes copies as one batch: they share a sync of the disk.
func (s *Store) appendBatch(ctx context.Context, sh *shard, copies []*nats.Msg) error {
	id := s.nonce()
	for i, m := range copies {
		m.Header[headBatch], m.Header[headBatchSeq] = []string{id}, []string{strconv.Itoa(i + 1)}
		if i == 0 {
			m.Header[headExpectLast] = []string{strconv.FormatUint(sh.copying.end.seq, 10)}
		}
		if i < len(copies)-1 {
			if err := s.nc.PublishMsg(m); err != nil {
				return err
			}
		}
	}
	last := copies[len(copies)-1]
	last.Header[headCommit] = []string{"1"}
	reply, err := s.request(ctx, last, true)
	if err != nil {
		return err
	}
	var ack struct {
		answer
		Seq   uint64 `json:"seq"`
		Count int    `json:"count"`
	}
	if err := json.Unmarshal(reply.Data, &ack); err != nil {
		return fmt.Errorf("the server's answer to a batch: %w", err)
	}
	if err := ack.err(); err != nil {
		return outrun(err)
	}
	if ack.Seq == 0 || ack.Count != len(copies) {
		return fmt.Errorf("the server's answer to a batch of %d: %s", len(copies), reply.Data)
	}
	return s.appended(sh, ack.Seq, last)
}

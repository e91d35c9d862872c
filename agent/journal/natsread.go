package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	batchRecords  = 512
	batchSubjects = 1000 // the server gives the last messages of 1024 at once, and no more
	batchBytes    = 8 << 20
)

// Read returns a log; see Journal. On a replicated stream it may lag behind what
// was just written; an Append after it then says so.
func (j *NATS) Read(ctx context.Context, id string) (*Log, error) {
	until, wait := time.Now().Add(j.o.RetryFor), time.Millisecond
	for {
		l, err := j.read(ctx, id)
		if err == nil || errors.Is(err, ErrNotFound) || ctx.Err() != nil || time.Now().After(until) {
			return l, err
		}
		if err := sleep(ctx, &wait); err != nil {
			return nil, err
		}
	}
}

func (j *NATS) read(ctx context.Context, id string) (*Log, error) {
	l, log := &Log{}, j.shard(id)
	for from, more := uint64(1), true; more; {
		var err error
		req := request{Seq: from, Next: log.space + token(id), Batch: batchRecords, Bytes: batchBytes}
		more, err = j.batch(ctx, log.name, req, func(_ string, seq uint64, data []byte) error {
			var r Record
			if err := json.Unmarshal(data, &r); err != nil {
				return fmt.Errorf("record %d: %w", seq, err)
			}
			l.Records, l.Last, from = append(l.Records, r), seq, seq+1
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("journal: read %s: %w", id, err)
		}
	}
	if l.Last == 0 {
		return nil, ErrNotFound
	}
	return l, nil
}

// request asks for the next messages of a subject, or the last ones of several.
// There is no consumer in it that a host could leave behind.
type request struct {
	Seq   uint64   `json:"seq,omitempty"`
	Next  string   `json:"next_by_subj,omitempty"`
	Last  []string `json:"multi_last,omitempty"`
	Batch int      `json:"batch"`
	Bytes int      `json:"max_bytes"`
}

// batch makes a request to a stream and reports whether there are more messages.
func (j *NATS) batch(ctx context.Context, stream string, r request, take func(subject string, seq uint64, data []byte) error) (more bool, err error) {
	body, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	inbox := j.nc.NewRespInbox()
	// As many as are asked for, and how it ended. A SubscribeSync would make room for
	// half a million.
	answers := make(chan *nats.Msg, r.Batch+1)
	sub, err := j.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, sub.Unsubscribe()) }()
	if err := j.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, body); err != nil {
		return false, err
	}
	for {
		m, err := j.next(ctx, answers)
		if err != nil {
			return false, err
		}
		switch code := m.Header.Get(headStatus); code {
		case "":
		case "204":
			return m.Header.Get(headPending) != "0", nil
		case "404":
			return false, nil
		default:
			return false, fmt.Errorf("the server says %s %s", code, m.Header.Get(headWords))
		}
		seq, err := strconv.ParseUint(m.Header.Get(headSequence), 10, 64)
		if err != nil {
			return false, fmt.Errorf("the server's answer: %w", err)
		}
		if err := take(m.Header.Get(headSubject), seq, m.Data); err != nil {
			return false, err
		}
	}
}

// next waits for the next message of an answer. The time is for each: who takes
// them may be slow.
func (j *NATS) next(ctx context.Context, answers <-chan *nats.Msg) (*nats.Msg, error) {
	late := time.NewTimer(j.o.Timeout)
	defer late.Stop()
	select {
	case m, ok := <-answers:
		if !ok {
			return nil, nats.ErrConnectionClosed
		}
		return m, nil
	case <-late.C:
		return nil, nats.ErrTimeout
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lastMessage returns the last message of a subject; its sequence is zero if there is
// none.
func lastMessage(ctx context.Context, from jetstream.Stream, subject string) (uint64, nats.Header, []byte, error) {
	m, err := from.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil, nil, nil
	}
	if err != nil {
		return 0, nil, nil, err
	}
	return m.Sequence, m.Header, m.Data, nil
}

// Heads tells the ends of all logs; see Journal.
func (j *NATS) Heads(ctx context.Context, fn func(Head) bool) error {
	for i := range j.shards {
		err := j.heads(ctx, &j.shards[i], fn)
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("journal: list: %w", err)
		}
	}
	return nil
}

// heads returns errEnough if fn has.
func (j *NATS) heads(ctx context.Context, log *shard, fn func(Head) bool) error {
	info, err := log.stream.Info(ctx, jetstream.WithSubjectFilter(log.space+"*"))
	if err != nil {
		return err
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(info.State.Subjects)), batchSubjects) {
		for from, more := uint64(1), true; more; {
			req := request{Seq: from, Last: some, Batch: len(some), Bytes: batchBytes}
			more, err = j.batch(ctx, log.name, req, func(subject string, seq uint64, data []byte) error {
				from = seq + 1
				h, err := log.head(subject, seq, data)
				if err == nil && !fn(h) {
					err = errEnough
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

var errEnough = errors.New("enough")

func (s *shard) head(subject string, seq uint64, data []byte) (Head, error) {
	id, err := untoken(strings.TrimPrefix(subject, s.space))
	if err != nil {
		return Head{}, fmt.Errorf("subject %s: %w", subject, err)
	}
	h := Head{ID: id, Last: seq}
	if err := json.Unmarshal(data, &h.Record); err != nil {
		return Head{}, fmt.Errorf("%s: %w", id, err)
	}
	return h, nil
}

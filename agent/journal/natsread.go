package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	batchRecords = 512
	batchBytes   = 8 << 20
)

// Read returns a log; see Journal. On a replicated stream it may lag behind what
// was just written; an Append after it then says so.
func (j *NATS) Read(ctx context.Context, id string) (*Log, error) {
	l := &Log{}
	for from, more := uint64(1), true; more; {
		var err error
		more, err = j.batch(ctx, j.logSpace+token(id), from, func(seq uint64, data []byte) error {
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

// batch asks for the next messages of a subject and reports whether there are
// more.
func (j *NATS) batch(ctx context.Context, subject string, from uint64, take func(uint64, []byte) error) (more bool, err error) {
	body, err := json.Marshal(map[string]any{
		"seq": from, "next_by_subj": subject, "batch": batchRecords, "max_bytes": batchBytes,
	})
	if err != nil {
		return false, err
	}
	inbox := j.nc.NewRespInbox()
	sub, err := j.nc.SubscribeSync(inbox)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, sub.Unsubscribe()) }()
	if err := j.nc.PublishRequest("$JS.API.DIRECT.GET."+j.logName, inbox, body); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, j.o.Timeout)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(ctx)
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
		if err := take(seq, m.Data); err != nil {
			return false, err
		}
	}
}

// last returns the last message of a subject; its sequence is zero if there is
// none.
func (j *NATS) last(ctx context.Context, subject string) (uint64, nats.Header, []byte, error) {
	stream := j.logs
	if strings.HasPrefix(subject, j.hostsSpace) {
		stream = j.hosts
	}
	m, err := stream.GetLastMsgForSubject(ctx, subject)
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
	if err := j.heads(ctx, fn); err != nil {
		return fmt.Errorf("journal: list: %w", err)
	}
	return nil
}

func (j *NATS) heads(ctx context.Context, fn func(Head) bool) error {
	c, err := j.logs.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{j.logSpace + "*"}, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
	})
	if err != nil {
		return err
	}
	info, err := c.Info(ctx)
	if err != nil || info.NumPending == 0 {
		return err
	}
	messages, err := c.Messages(jetstream.StopAfter(int(info.NumPending)))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for range info.NumPending {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		h, err := head(m)
		if err != nil {
			return err
		}
		if !fn(h) {
			return nil
		}
	}
	return nil
}

func head(m jetstream.Msg) (Head, error) {
	subject := m.Subject()
	id, err := untoken(subject[strings.LastIndexByte(subject, '.')+1:])
	if err != nil {
		return Head{}, fmt.Errorf("subject %s: %w", subject, err)
	}
	meta, err := m.Metadata()
	if err != nil {
		return Head{}, err
	}
	h := Head{ID: id, Last: meta.Sequence.Stream}
	if err := json.Unmarshal(m.Data(), &h.Record); err != nil {
		return Head{}, fmt.Errorf("%s: %w", id, err)
	}
	return h, nil
}

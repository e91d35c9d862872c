package natsstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// Get reads a record at the leader; see hub.Store.
func (s *Store) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	r, err := s.get(ctx, kind, addr)
	if err != nil {
		return hub.Record{}, fmt.Errorf("natsstore: get: %w", err)
	}
	return r, nil
}

func (s *Store) get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	if err := ctx.Err(); err != nil {
		return hub.Record{}, err
	}
	ar, err := area(kind)
	if err != nil {
		return hub.Record{}, err
	}
	sh := s.shardFor(ar, addr)
	subject := s.names.subject(ar, sh.ss, addr)
	m, err := s.leader(ctx, sh.stream(ar), subject)
	var r hub.Record
	switch {
	case err != nil:
	case m.seq == 0 && ar == areaAsk:
		r, err = s.recall(ctx, sh, addr)
	case m.gone:
		err = hub.ErrNotFound
	default:
		r, _, err = s.record(subject, m.header, m.data, m.seq)
	}
	if err != nil && passing(err) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", hub.ErrUndecided, err)
	}
	return r, err
}

// stored is the last message of a subject.
type stored struct {
	seq    uint64 // zero: there is none
	gone   bool   // there is none, or it only says so
	nonce  string
	header nats.Header
	data   []byte
}

// leader reads the last message of a subject where the stream's writes are decided.
func (s *Store) leader(ctx context.Context, stream, subject string) (m stored, err error) {
	sh := s.shards[s.streams[stream]]
	err = s.patient(ctx, func() error {
		switch {
		case s.opts.Replicas == 1:
			m, err = s.readOnly(ctx, stream, subject)
		case stream == sh.ask:
			m, err = s.readCertain(ctx, sh, subject)
		default: // what is not a ticket may be lost, and may lag
			m, err = s.readLeader(ctx, stream, subject)
		}
		return err
	})
	if err != nil {
		return stored{}, fmt.Errorf("read %s: %w", subject, err)
	}
	m.nonce, m.gone = first(m.header, headNonce), m.seq == 0 || first(m.header, headMarker) != ""
	return m, nil
}

// readLeader asks the leader of a replicated stream. A direct get might be answered by a replica that lags.
func (s *Store) readLeader(ctx context.Context, stream, subject string) (stored, error) {
	got, err := s.lastMessage(ctx, stream, subject)
	if err != nil {
		return stored{}, err
	}
	m := stored{seq: got.Seq, data: got.Data}
	if len(got.Header) > 0 {
		m.header, err = nats.DecodeHeadersMsg(got.Header)
	}
	return m, err
}

// message is a message as the leader gives it.
type message struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"` // zero: there is none
	Header  []byte    `json:"hdrs"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"`
}

// lastMessage asks the leader for the last message of a subject.
func (s *Store) lastMessage(ctx context.Context, stream, subject string) (message, error) {
	var got struct {
		answer
		Message message `json:"message"`
	}
	req := struct {
		LastBySubject string `json:"last_by_subj"`
	}{subject}
	err := s.call(ctx, "$JS.API.STREAM.MSG.GET."+stream, req, &got)
	if refused(err, codeNotFound) {
		return message{}, nil
	}
	return got.Message, err
}

// readLast returns the newest message of any subject that the filter selects, where there is only one replica.
func (s *Store) readLast(ctx context.Context, stream, filter string) (stored, error) {
	body, err := json.Marshal(struct {
		Last string `json:"last_by_subj"`
	}{filter})
	if err != nil {
		return stored{}, err
	}
	return s.direct(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + stream, Data: body})
}

// readOnly asks the only replica there is, which costs a third.
func (s *Store) readOnly(ctx context.Context, stream, subject string) (stored, error) {
	return s.direct(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + stream + "." + subject})
}

// direct asks for one message.
func (s *Store) direct(ctx context.Context, m *nats.Msg) (stored, error) {
	got, err := s.request(ctx, m, false)
	if err != nil {
		return stored{}, err
	}
	switch code := first(got.Header, headStatus); code {
	case "":
	case "404":
		return stored{}, nil
	default:
		n, _ := strconv.Atoi(code)
		return stored{}, &apiError{Code: n, Description: first(got.Header, headDescription)}
	}
	seq, err := strconv.ParseUint(first(got.Header, headSequence), 10, 64)
	if err != nil {
		return stored{}, fmt.Errorf("the server's answer: %w", err)
	}
	return stored{seq: seq, header: got.Header, data: got.Data}, nil
}

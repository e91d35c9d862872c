package natsstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	maxBatch   = 1024    // the server gives the last messages of so many subjects at once, and no more
	batchBytes = 1 << 20 // after this much a batch ends early: several lists at once hold one each
)

// scan walks through the messages of one stream whose subjects match, by their sequences, without making a consumer.
type scan struct {
	stream  string
	filters []string // one; or several whole subjects, at most maxBatch
	from    uint64   // the next sequence to look at
	more    bool     // there may be messages from there on
	upTo    uint64   // of an answer about several subjects: it has what was written up to this sequence
	bytes   int      // of one answer, about; zero: batchBytes
	walk    bool     // message by message, as there are too many to get the last ones at once
}

// found is a message that a scan came by.
type found struct {
	subject string
	seq     uint64
	header  nats.Header
	data    []byte
}

// time is when the message was stored.
func (f *found) time() (time.Time, error) {
	return time.Parse(time.RFC3339Nano, first(f.header, headTime))
}

// next asks for the next messages, n at most, and gives each to take, until that says no. It moves the scan on.
func (s *Store) next(ctx context.Context, sc *scan, n int, take func(found) bool) error {
	return s.patient(ctx, func() error {
		err := s.directGet(ctx, sc, n, take)
		var api *apiError
		if errors.As(err, &api) && api.Code == 413 && !sc.walk && len(sc.filters) == 1 {
			sc.walk = true
			err = s.directGet(ctx, sc, n, take)
		}
		return err
	})
}

// directGet is one request for messages and the answers to it.
func (s *Store) directGet(ctx context.Context, sc *scan, n int, take func(found) bool) error {
	req := struct {
		Seq   uint64   `json:"seq,omitempty"`
		Multi []string `json:"multi_last,omitempty"`
		Next  string   `json:"next_by_subj,omitempty"`
		Batch int      `json:"batch"`
		Bytes int      `json:"max_bytes"`
	}{Seq: sc.from, Batch: n, Bytes: cmp.Or(sc.bytes, batchBytes)}
	if sc.walk {
		req.Seq, req.Next = max(sc.from, 1), sc.filters[0]
	} else {
		req.Multi = sc.filters
	}
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	if err := s.scans.enter(ctx); err != nil {
		return err
	}
	defer s.scans.leave()
	return s.briefly(ctx, false, func(ctx context.Context) error {
		inbox := s.nc.NewRespInbox()
		// As many as are asked for, and how it ended. SubscribeSync makes room for half a million.
		answers := make(chan *nats.Msg, n+1)
		sub, err := s.nc.ChanSubscribe(inbox, answers)
		if err != nil {
			return err
		}
		defer unsubscribe(sub)
		if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+sc.stream, inbox, body); err != nil {
			return err
		}
		return sc.receive(ctx, answers, take)
	})
}

// errHole says that a part of an answer was lost on its way, as with a connection between two servers. It is asked for
// again.
var errHole = fmt.Errorf("%w: a part of the answer is lost", nats.ErrTimeout)

// receive takes the answers to one request. Each names the one before, and the end the last of them.
func (sc *scan) receive(ctx context.Context, answers <-chan *nats.Msg, take func(found) bool) error {
	var before uint64
	for {
		var m *nats.Msg
		select {
		case m = <-answers:
		case <-ctx.Done():
			return ctx.Err()
		}
		if m == nil {
			return nats.ErrConnectionClosed
		}
		code := first(m.Header, headStatus)
		if text := first(m.Header, headBefore); text != "" && text != strconv.FormatUint(before, 10) {
			return errHole // the scan is where it was before it
		}
		if code != "" {
			return sc.ended(code, m)
		}
		seq, err := strconv.ParseUint(first(m.Header, headSequence), 10, 64)
		if err != nil {
			return fmt.Errorf("the server's answer: %w", err)
		}
		if !take(found{first(m.Header, headSubject), seq, m.Header, m.Data}) {
			sc.from, sc.more = seq, true
			return nil
		}
		sc.from, before = seq+1, seq
	}
}

// ended reads the message that ends a batch.
func (sc *scan) ended(code string, m *nats.Msg) error {
	text := first(m.Header, headDescription)
	switch code {
	case "503":
		return nats.ErrNoResponders
	case "204":
		sc.more = first(m.Header, headPending) != "0"
		sc.upTo, _ = strconv.ParseUint(first(m.Header, headUpTo), 10, 64)
		return nil
	case "404":
		if !sc.walk && text != "No Results" {
			return errors.New("a message that is there cannot be read: the stream is damaged")
		}
		sc.more = false
		return nil
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		return fmt.Errorf("the server's answer has status %q", code)
	}
	return &apiError{Code: n, Description: text}
}

package natsstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// Put stores a record by compare-and-set; see hub.Store. While the outcome of the write is not known, it reads the leader
// and tries again, for as long as Options.RetryFor, and then returns hub.ErrUndecided. If nothing can be written
// (Options.Health), it returns a *hub.StorageError at once, with hub.ErrUndecided if the write was on its way already.
func (s *Store) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	rev, err := s.put(ctx, r, expect)
	if err != nil {
		return 0, fmt.Errorf("natsstore: put: %w", err)
	}
	return rev, nil
}

func (s *Store) put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ar, err := area(r.Kind)
	if err != nil {
		return 0, err
	}
	if len(r.Data) > hub.MaxData {
		return 0, fmt.Errorf("a record of %d bytes is too large", len(r.Data))
	}
	sh := s.shardFor(ar, r.Address)
	if expect == 0 && ar == areaAsk {
		if err = s.admit(ctx); err == nil && !r.Fresh {
			err = s.unused(ctx, sh, r.Address)
		}
	}
	if err == nil {
		err = s.enter(ctx, sh, r, expect > 0)
	}
	if err != nil && passing(err) {
		return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, err)
	}
	if err != nil {
		return 0, err
	}
	m := s.message(ar, sh, r)
	rev, err := s.write(ctx, sh.stream(ar), m, expect)
	if err != nil {
		return 0, err
	}
	sh.know(ar, rev)
	if ar == areaAsk {
		if expect == 0 {
			s.room.add(len(r.Data))
		} else if r.Closed {
			s.settled(sh, r.Address)
		}
		if !s.opts.NoAudit {
			sh.recent.add(rev, m)
		}
		if r.Closed {
			s.toArchive(sh)
		}
	}
	return rev, nil
}

// message spells a record, without what it expects.
func (s *Store) message(ar string, sh *shard, r hub.Record) *nats.Msg {
	state := stateOpen
	switch {
	case r.Settled:
		state = stateSettled
	case r.Closed:
		state = stateClosed
	}
	h := nats.Header{headNonce: {s.nonce()}, headState: {state}}
	if !r.Due.IsZero() {
		h[headDue] = []string{r.Due.UTC().Format(time.RFC3339Nano)}
	}
	if r.TTL > 0 {
		h[headTTL] = []string{ttl(r.TTL)}
	}
	return &nats.Msg{Subject: s.names.subject(ar, sh.ss, r.Address), Header: h, Data: r.Data}
}

// write publishes a message until it is known what became of it.
func (s *Store) write(ctx context.Context, stream string, m *nats.Msg, expect uint64) (uint64, error) {
	nonce := first(m.Header, headNonce)
	last := expect // the sequence that stands for what the caller expects
	until := time.Now().Add(s.opts.RetryFor)
	var wait backoff
	for try := 0; ; try++ {
		m.Header[headExpect] = []string{strconv.FormatUint(last, 10)}
		seq, err := s.publish(ctx, m)
		if err == nil {
			return s.noted(stream, seq)
		}
		if !undecided(err) {
			return 0, err
		}
		if fault := s.fault(); fault != nil {
			if try == 0 && err == fault {
				return 0, fault // it was not sent
			}
			return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, fault)
		}
		if time.Now().After(until) || s.nc.IsClosed() {
			return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, err)
		}
		if !refused(err, codeWrongLast) || try > 0 {
			if e := wait.sleep(ctx); e != nil {
				return 0, fmt.Errorf("%w: %w: %w", hub.ErrUndecided, e, err)
			}
		}
		if refused(err, codeInProcess) && try == 0 {
			continue // by now it is decided, most likely
		}
		// Whatever the refusal said, only what the leader has stored counts.
		now, err := s.leader(ctx, stream, m.Subject)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, err)
		case now.nonce == nonce:
			return s.noted(stream, now.seq)
		case now.gone && expect == 0:
			last = now.seq // of the marker of what was forgotten, if there is one
		case now.seq == expect:
		case now.seq == 0:
			kept, err := s.remembers(ctx, stream, m.Subject, expect)
			if err != nil {
				return 0, fmt.Errorf("%w: %w", hub.ErrUndecided, err)
			}
			if !kept {
				return 0, hub.ErrConflict
			}
			last = 0
		default:
			return 0, hub.ErrConflict
		}
	}
}

// undecided reports whether an error leaves open what became of a write: the write may have been made, or may be made by
// trying again.
func undecided(err error) bool {
	var api *apiError
	if errors.As(err, &api) {
		return api.ErrCode == codeWrongLast || api.ErrCode == codeInProcess || passing(err)
	}
	return !errors.Is(err, nats.ErrMaxPayload) && !errors.Is(err, hub.ErrFull)
}

// refused reports whether the server answered with this code.
func refused(err error, code int) bool {
	var api *apiError
	return errors.As(err, &api) && api.ErrCode == code
}

func (s *Store) noted(stream string, seq uint64) (uint64, error) {
	if err := s.opts.Mark.Note(stream, seq); err != nil {
		return 0, fmt.Errorf("remember the write: %w", err)
	}
	return seq, nil
}

// publish sends a message to its stream and returns the sequence that it got.
func (s *Store) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	reply, err := s.request(ctx, m, true)
	if err != nil {
		return 0, err
	}
	if seq, ok := acknowledged(reply.Data); ok {
		return seq, nil
	}
	var ack struct {
		answer
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(reply.Data, &ack); err != nil {
		return 0, fmt.Errorf("%w: the server's answer: %w", nats.ErrTimeout, err) // as good as none
	}
	if err := ack.err(); err != nil {
		return 0, err
	}
	if ack.Seq == 0 {
		return 0, fmt.Errorf("%w: the server's answer names no sequence", nats.ErrTimeout)
	}
	return ack.Seq, nil
}

// acknowledged reads the usual answer, {"stream":"ASK2-00","seq":17}, without a parser. It is false for any other.
func acknowledged(answer []byte) (seq uint64, ok bool) {
	rest, begins := bytes.CutPrefix(answer, []byte(`{"stream":"`))
	_, rest, goesOn := bytes.Cut(rest, []byte(`","seq":`))
	digits, ends := bytes.CutSuffix(rest, []byte(`}`))
	if !begins || !goesOn || !ends {
		return 0, false
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	return seq, err == nil && seq > 0
}

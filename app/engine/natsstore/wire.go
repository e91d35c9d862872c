package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// The headers of our messages. What is not here is in the data, which belongs to the rules.
const (
	headState = "Sayso-State" // open, closed or settled
	headNonce = "Sayso-Nonce" // of the Put that wrote the message
	headDue   = "Sayso-Due"   // in RFC 3339

	stateOpen    = "o"
	stateClosed  = "c"
	stateSettled = "s" // closed, and the asker has the outcome
)

// The headers of the server.
const (
	headExpect      = "Nats-Expected-Last-Subject-Sequence"
	headTTL         = "Nats-TTL"
	headMarker      = "Nats-Marker-Reason" // on a message that says that another is gone
	headSequence    = "Nats-Sequence"
	headTime        = "Nats-Time-Stamp"
	headSubject     = "Nats-Subject"
	headStream      = "Nats-Stream"
	headSource      = "Nats-Stream-Source" // on a copy that the server made
	headPending     = "Nats-Num-Pending"
	headBefore      = "Nats-Last-Sequence" // on an answer of several messages: the one before
	headUpTo        = "Nats-UpTo-Sequence"
	headStatus      = "Status"
	headDescription = "Description"
)

// The server's error codes.
const (
	codeWrongLast   = 10071 // the subject's last message is another
	codeInProcess   = 10164 // a write to the subject is under way: decides nothing
	codeStoreFailed = 10077 // limits of the stream, among others
	codeNotFound    = 10037 // no such message
	codeNoSequence  = 10043 // to delete
	codeNoPeers     = 10005 // the nodes of a cluster have not all come up yet
	codeNoStream    = 10059 // or the server that answers has just begun to lead, and does not know it yet
	codeNotDeleted  = 10057 // most often as it is not there
	codeAccountFull = 10002
	codeResources   = 10023
	codeMemoryFull  = 10028
	codeStorageFull = 10047
)

// apiError is an error that the server answered with.
type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%d)", e.Description, e.ErrCode) }

// answer is the beginning of every answer of the server's API.
type answer struct {
	Error *apiError `json:"error"`
}

func (a *answer) err() error {
	switch {
	case a.Error == nil:
		return nil
	case a.Error.full():
		return fmt.Errorf("%w: %w", hub.ErrFull, a.Error)
	}
	return a.Error
}

// full reports whether the error says that there is no room.
func (e *apiError) full() bool {
	switch e.ErrCode {
	case codeAccountFull, codeResources, codeMemoryFull, codeStorageFull:
		return true
	}
	return e.ErrCode == codeStoreFailed && strings.Contains(e.Description, "maximum")
}

// request sends a message and waits for the answer, for at most the time of one request. Only so many are on their way at
// once: the server drops what it cannot take in.
func (s *Store) request(ctx context.Context, m *nats.Msg, write bool) (reply *nats.Msg, err error) {
	if err := s.requests.enter(ctx); err != nil {
		return nil, err
	}
	defer s.requests.leave()
	err = s.briefly(ctx, write, func(ctx context.Context) error {
		reply, err = s.ask(ctx, m)
		return err
	})
	return reply, err
}

// call asks the server's API and decodes the answer.
func (s *Store) call(ctx context.Context, subject string, body any, into interface{ err() error }) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	m, err := s.request(ctx, &nats.Msg{Subject: subject, Data: b}, false)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	return into.err()
}

// patient calls f until it succeeds or fails for good. An error that may pass with an election or a reconnect is tried
// again, until ctx ends or the time for it is over. With a fault it is not: nobody knows when that passes.
func (s *Store) patient(ctx context.Context, f func() error) error {
	var wait backoff
	until := time.Now().Add(s.opts.RetryFor)
	for {
		err := f()
		if err == nil || !passing(err) || time.Now().After(until) {
			return err
		}
		if fault := s.fault(); fault != nil {
			return fmt.Errorf("%w: %w", fault, err)
		}
		if e := wait.sleep(ctx); e != nil {
			return errors.Join(e, err)
		}
	}
}

// passing reports whether an error may be gone the next time.
func passing(err error) bool {
	var api *apiError
	if errors.As(err, &api) {
		return !api.full() && (api.Code >= 500 || api.Code == 408 || api.Code == 429 || api.ErrCode == codeNoStream)
	}
	var lib *jetstream.APIError
	if errors.As(err, &lib) {
		return lib.Code >= 500 || lib.ErrorCode == codeNoPeers
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrDisconnected)
}

// gate lets so many in at once.
type gate chan struct{}

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) leave() { <-g }

// backoff waits longer each time, and not as long as others who wait.
type backoff struct{ next time.Duration }

func (b *backoff) sleep(ctx context.Context) error {
	b.next = min(max(2*b.next, time.Millisecond), 250*time.Millisecond)
	return pause(ctx, b.next/2+rand.N(b.next/2+1))
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// record makes a record of a message. It is false for a message that only says that there is none.
func (s *Store) record(subject string, h nats.Header, data []byte, seq uint64) (r hub.Record, ok bool, err error) {
	if first(h, headMarker) != "" {
		return r, false, nil
	}
	ar, part, addr, err := s.names.parse(subject)
	if err != nil {
		return r, false, err
	}
	r = hub.Record{Kind: kindOf(ar), Address: addr, Data: data, Revision: seq, Part: part}
	r.Closed, r.Settled = isClosed(h), first(h, headState) == stateSettled
	if v := first(h, headDue); v != "" {
		if r.Due, err = time.Parse(time.RFC3339Nano, v); err != nil {
			return r, false, fmt.Errorf("%s: header %s: %w", subject, headDue, err)
		}
	}
	if v := first(h, headTTL); v != "" {
		secs, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return r, false, fmt.Errorf("%s: header %s: %w", subject, headTTL, err)
		}
		r.TTL = time.Duration(secs) * time.Second
	}
	return r, true, nil
}

// isClosed reports whether the message is of a closed ticket.
func isClosed(h nats.Header) bool {
	state := first(h, headState)
	return state == stateClosed || state == stateSettled
}

func first(h nats.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// ttl spells a time to live for the server, which counts whole seconds.
func ttl(d time.Duration) string { return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10) }

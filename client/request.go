package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

const (
	maxReply = 16 << 20         // bytes of a reply; a page holds up to 1000 tickets
	slowest  = 30 * time.Second // of a request that does not wait

	maxBroken = 8 // times that the hub may say that something broke

	// A hub that takes a request and is still silent after so long waits for an
	// answer: it would have refused the request before.
	held = time.Second
)

// request is one that may be made twice.
type request struct {
	what    string // for errors: "answering"
	method  string
	path    string // escaped
	query   url.Values
	header  http.Header
	body    any
	into    any           // nil: the reply is not read
	wait    time.Duration // how long the hub may hold it
	forever bool          // tried again for as long as ctx lasts
}

// do makes the request until there is a reply that a further try would not
// change. An error that wraps [sayso.ErrUnreachable] says that there was none.
func (c *Client) do(ctx context.Context, r *request) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("client: %s: %w", r.what, err)
		}
	}
	patience := ctx
	if !r.forever {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, max(c.patience(), 0))
		defer cancel()
	}
	pause, broken, forever := c.newPause(), 0, r.forever
	for {
		sent, trace := ctx, (*sending)(nil)
		if r.wait > 0 && !forever {
			sent, trace = traced(ctx)
		}
		err := c.try(sent, r, body)
		var again *againError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("client: %s: %w", r.what, ctx.Err())
		case !errors.As(err, &again):
			return fmt.Errorf("client: %s: %w", r.what, err)
		}
		if again.broken {
			broken++
		}
		if !forever && (again.stored || !again.replied && !errors.Is(err, context.DeadlineExceeded) && trace.held(c.patience())) {
			patience, forever = ctx, true // the hub has it
		}
		once := c.patience() < 0 || hub.FaultOf(err) != "" // a fault is told at once: somebody must see to it
		if once && !forever || broken == maxBroken || pause.sleep(patience, again.after) != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("client: %s: %w", r.what, ctx.Err())
			}
			if broken == maxBroken {
				again.err = fmt.Errorf("%w: %w", hub.ErrBroken, again.err)
			}
			return fmt.Errorf("client: %s: %w: %w", r.what, sayso.ErrUnreachable, again.err)
		}
	}
}

// againError is one that a further try may change.
type againError struct {
	err    error
	after  time.Duration // not before
	broken bool          // the hub is there and says that something broke; that may not mend itself

	replied bool // it is what the hub says
	stored  bool // and it has stored what was sent
}

func (e *againError) Error() string { return e.err.Error() }
func (e *againError) Unwrap() error { return e.err }

// try makes the request once.
func (c *Client) try(ctx context.Context, r *request, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, r.wait+slowest)
	defer cancel()
	resp, err := c.send(ctx, r, body, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return &againError{err: err}
	}
	if r.into == nil || len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, r.into); err != nil {
		return fmt.Errorf("reading the hub's reply: %w", err)
	}
	return nil
}

// send makes the request and returns a reply that is a success.
func (c *Client) send(ctx context.Context, r *request, body []byte, accept string) (*http.Response, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", accept)
	if parent, ok := ctx.Value(traceKey{}).(string); ok {
		req.Header.Set("Traceparent", parent)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opts.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &againError{err: err}
	}
	c.heard(resp)
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	err = readProblem(resp)
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusInternalServerError:
		after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return nil, &againError{
			err: err, after: time.Duration(min(max(after, 0), 3600)) * time.Second,
			broken:  resp.StatusCode == http.StatusInternalServerError,
			replied: true, stored: storedIn(err),
		}
	}
	return nil, err
}

type traceKey struct{}

// WithTraceparent returns a context whose requests carry the traceparent, so that
// asks belong to that trace unless they name another one. One that is not valid is
// left out.
func WithTraceparent(ctx context.Context, traceparent string) context.Context {
	if sayso.TraceID(traceparent) == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, traceparent)
}

// sending is when a request was sent.
type sending struct{ at atomic.Pointer[time.Time] }

func traced(ctx context.Context) (context.Context, *sending) {
	s := &sending{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
		if now := time.Now(); w.Err == nil {
			s.at.Store(&now)
		}
	}}), s
}

// held reports whether the hub took the request and then said nothing for so long
// that it must have stored it.
func (s *sending) held(patience time.Duration) bool {
	if s == nil {
		return false
	}
	least := held
	if patience > 0 {
		least = min(held, patience)
	}
	at := s.at.Load()
	return at != nil && time.Since(*at) >= least
}

// pause grows from try to try.
type pause struct{ now, most time.Duration }

func (c *Client) newPause() *pause { return &pause{c.opts.Pause.Min, c.opts.Pause.Max} }

// sleep waits for a random part of the pause, so that those who lost a hub
// together do not come back together.
func (p *pause) sleep(ctx context.Context, least time.Duration) error {
	d := max(least, p.now/2+rand.N(p.now/2+1))
	p.now = min(2*p.now, p.most)
	if end, ok := ctx.Deadline(); ok && time.Until(end) < least {
		return context.DeadlineExceeded // it cannot succeed before then
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

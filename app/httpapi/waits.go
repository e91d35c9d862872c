package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const maxWait = time.Hour

func (s *Server) get(c *call) error {
	wait, err := c.wait(0)
	if err != nil {
		return err
	}
	t, err := c.ticket()
	if err != nil {
		return err
	}
	if t, err = s.outcome(c, t, wait, false); err != nil {
		return err
	}
	return c.replyTicket(http.StatusOK, t)
}

// consume hands out the outcome. With a wait, it waits for one.
func (s *Server) consume(c *call) error {
	wait, err := c.wait(0)
	if err != nil {
		return err
	}
	t, err := c.own()
	if err != nil {
		return err
	}
	if wait == 0 {
		t, err = s.take(c, t)
	} else {
		t, err = s.outcome(c, t, wait, true)
	}
	switch {
	case err != nil:
		return err
	case t.Open():
		return c.replyTicket(http.StatusAccepted, t)
	}
	return c.replyTicket(http.StatusOK, t)
}

// wait reads how long the caller wants to wait.
func (c *call) wait(byDefault time.Duration) (time.Duration, error) {
	s := c.r.URL.Query().Get("wait")
	if s == "" {
		return byDefault, nil
	}
	d, err := time.ParseDuration(s)
	if seconds, bare := strconv.ParseUint(s, 10, 32); bare == nil {
		d, err = time.Duration(seconds)*time.Second, nil
	}
	if err != nil || d < 0 {
		return 0, badRequest.problem("wait must be a duration or a number of seconds, for example 60s, 5m or 30.")
	}
	return min(d, maxWait), nil
}

// flag reads a parameter that is on or off.
func (c *call) flag(name string) (bool, error) {
	switch c.r.URL.Query().Get(name) {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	}
	return false, badRequest.problemf("%s must be true or false.", name)
}

// outcome waits until the ask is closed, and then, if the caller wants it so,
// marks it as consumed: whoever is told acts on it, so it can no longer be undone.
// If the time is over first, the ticket is still open.
//
// That it was told does not mean that it arrived. The same request tells it again.
func (s *Server) outcome(c *call, t *hub.Ticket, wait time.Duration, consume bool) (*hub.Ticket, error) {
	over := time.Now().Add(wait)
	for waited := false; ; {
		if left := time.Until(over); t.Open() && left > 0 {
			var err error
			waited = true
			if t, err = s.await(c, t, left); err != nil {
				return nil, err
			}
		}
		if t.Open() || !consume {
			return t, nil
		}
		if waited && !t.Consumed.IsZero() { // its answer was final
			return t, nil
		}
		taken, err := s.take(c, t)
		if !errors.Is(err, hub.ErrOpen) {
			return taken, err
		}
		if t, err = s.hub.Get(c.r.Context(), t.Address); err != nil { // undone just now
			return nil, err
		}
	}
}

// take marks the outcome as consumed, unless the caller is gone: then it stays for
// whoever asks for it next.
func (s *Server) take(c *call, t *hub.Ticket) (*hub.Ticket, error) {
	if err := c.r.Context().Err(); err != nil {
		return nil, err
	}
	taken, err := s.hub.Consume(c.r.Context(), t)
	if err == nil && !taken.Replayed {
		s.stored(c, taken.Size())
	}
	return taken, err
}

// leave ends what admit began.
func (c *call) leave() { c.attends.Leave() }

// await returns the ticket when it is closed, or as it is when the time is over.
func (s *Server) await(c *call, t *hub.Ticket, wait time.Duration) (*hub.Ticket, error) {
	leave, err := s.limits.enter(c.who, false)
	if err != nil {
		return nil, err
	}
	defer leave()
	bound, cancel := c.until()
	defer cancel()
	ctx, stop := context.WithTimeout(bound, wait)
	defer stop()
	began := s.opts.Now()
	defer func() { c.w.waited += s.opts.Now().Sub(began) }()
	var closed *hub.Ticket
	if at := c.attends; at != nil {
		c.attends = nil
		closed, err = at.Wait(ctx)
	} else {
		closed, err = s.hub.Wait(ctx, t.Address)
	}
	if err != nil && bound.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return t, nil
	}
	if errors.Is(context.Cause(bound), auth.ErrCredential) {
		return nil, auth.ErrCredential
	}
	if err := c.stopped(err); err != nil {
		return nil, err
	}
	return closed, nil
}

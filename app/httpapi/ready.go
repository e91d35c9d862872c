package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso/hub"
)

// NotReady is why a server cannot be used now, in words that anybody may read: "the
// storage has no leader". It names nothing of the machine. An error of
// [Options].Ready that wraps one is told to clients as that.
type NotReady string

func (e NotReady) Error() string { return string(e) }

const draining = NotReady("the hub is draining: it shuts down soon; use another gateway, or send the same request again when it is back")

// Drain has the server say that it is not ready, so that load balancers look for
// another one, and goes on serving. Close follows.
func (s *Server) Drain() { s.drains.Store(true) }

func (s *Server) healthz(c *call) error {
	alive(c.w)
	return nil
}

func alive(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// readiness is asked for by anybody, so it is looked at only so often.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

const lookAgain = 200 * time.Millisecond

// unready returns why the server cannot be used, or nil.
func (s *Server) unready(ctx context.Context) error {
	if s.drains.Load() {
		return draining
	}
	if s.opts.Ready == nil {
		return nil
	}
	r := &s.readiness
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := s.opts.Now(); r.at.IsZero() || now.Sub(r.at) >= lookAgain {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		before := r.err
		r.at, r.err = now, s.opts.Ready(ctx)
		s.tellReadiness(before, r.err)
	}
	return r.err
}

// tellReadiness writes a change into the log: each request that asks would be many
// lines.
func (s *Server) tellReadiness(before, now error) {
	switch {
	case now != nil && (before == nil || before.Error() != now.Error()):
		s.opts.Log.Warn("not ready", "error", now.Error())
	case now == nil && before != nil:
		s.opts.Log.Info("ready again")
	}
}

// readyz says whether the hub can be used, and else what it waits for: to a browser
// in a line, to everybody else as a problem.
func (s *Server) readyz(c *call) error {
	err := s.unready(c.r.Context())
	if err == nil {
		return s.healthz(c)
	}
	p := c.notReady(err)
	if !wantsText(c.r) {
		return p
	}
	c.w.cause = err
	writeNotReady(c.w, p)
	return nil
}

func writeNotReady(w http.ResponseWriter, p *problem) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Retry-After", "1")
	w.WriteHeader(p.Status)
	fmt.Fprintln(w, p.Detail)
}

// Opening returns what answers for a server whose hub is not open yet: the process
// lives, and everything else is to be sent again, because of what waits says.
func Opening(waits func() NotReady) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Path == "/healthz" {
			alive(w)
			return
		}
		p := unavailable.problem(string(waits()))
		p.retry = time.Second
		if wantsText(r) {
			writeNotReady(w, p)
		} else {
			writeProblem(w, p)
		}
	})
}

func (c *call) notReady(err error) *problem {
	if hub.FaultOf(err) != "" {
		return c.problemOf(err)
	}
	p := unavailable.problem("the hub is not ready; its log says why")
	if why := NotReady(""); errors.As(err, &why) {
		p.Detail = string(why)
	}
	p.retry, p.cause = time.Second, err
	return p
}

// wantsText reports whether a client would rather read a text than JSON.
func wantsText(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "text/") && !strings.Contains(accept, "json")
}

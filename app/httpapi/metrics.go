package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// answerBuckets are the upper bounds, in seconds, of the histogram of how long
// people take.
var answerBuckets = []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}

// counts are the metrics that are not read off something else. They know routes
// and statuses, and nothing of what is asked or said.
type counts struct {
	conflicts atomic.Int64

	mu       sync.Mutex
	routes   []*route
	requests map[*route]map[int]int64
	answers  []int64 // by bucket, the last one beyond all bounds
	seconds  float64
}

func (n *counts) init(table []route) {
	n.requests = map[*route]map[int]int64{nil: {}}
	for i := range table {
		n.routes = append(n.routes, &table[i])
		n.requests[&table[i]] = map[int]int64{}
	}
	n.routes = append(n.routes, nil)
	n.answers = make([]int64, len(answerBuckets)+1)
}

func (n *counts) request(rt *route, status int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests[rt][status]++
}

// answered notes an outcome that was given just now through this server.
func (n *counts) answered(t *hub.Ticket) {
	if t.Replayed || t.Status() != sayso.StatusAnswered {
		return
	}
	took := max(0, t.Outcome.At.Sub(t.Ask.AskedAt).Seconds())
	n.mu.Lock()
	defer n.mu.Unlock()
	i := 0
	for i < len(answerBuckets) && took > answerBuckets[i] {
		i++
	}
	n.answers[i]++
	n.seconds += took
}

func (s *Server) metrics(c *call) error {
	var b strings.Builder
	head := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	one := func(name, kind, help string, v int64) {
		head(name, kind, help)
		fmt.Fprintf(&b, "%s %d\n", name, v)
	}
	streams, waits := s.limits.using()
	waiting, err := s.Waiting(c.r.Context(), c.who.Tenant)
	if err != nil {
		return err
	}
	one("sayso_asks_waiting", "gauge", fmt.Sprintf("Open asks of the tenant, counted up to %d.", MaxWaiting), int64(waiting))
	one("sayso_streams", "gauge", "Open event streams.", int64(streams))
	one("sayso_waits", "gauge", "Requests that wait for an answer.", int64(waits))
	one("sayso_conflicts_total", "counter", "Answers that came second.", s.counts.conflicts.Load())

	n := &s.counts
	n.mu.Lock()
	defer n.mu.Unlock()
	head("sayso_answer_seconds", "histogram", "Time from the ask to its answer.")
	sum := int64(0)
	for i, v := range n.answers {
		sum += v
		bound := "+Inf"
		if i < len(answerBuckets) {
			bound = fmt.Sprint(answerBuckets[i])
		}
		fmt.Fprintf(&b, "sayso_answer_seconds_bucket{le=%q} %d\n", bound, sum)
	}
	fmt.Fprintf(&b, "sayso_answer_seconds_sum %g\nsayso_answer_seconds_count %d\n", n.seconds, sum)
	head("sayso_requests_total", "counter", "Requests by route and status.")
	for _, rt := range n.routes {
		method, path := "", "none"
		if rt != nil {
			method, path = rt.method, rt.path
		}
		for status := 100; status < 600; status++ {
			if v := n.requests[rt][status]; v > 0 {
				fmt.Fprintf(&b, "sayso_requests_total{method=%q,route=%q,status=\"%d\"} %d\n", method, path, status, v)
			}
		}
	}
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.w.WriteHeader(http.StatusOK)
	fmt.Fprint(c.w, b.String())
	return nil
}

func (s *Server) healthz(c *call) error {
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(c.w, "ok")
	return nil
}

// readiness is asked for by anybody, so it is looked at only so often.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

const lookAgain = 200 * time.Millisecond

func (s *Server) readyz(c *call) error {
	if s.opts.Ready != nil {
		r := &s.readiness
		r.mu.Lock()
		defer r.mu.Unlock()
		if now := s.opts.Now(); r.at.IsZero() || now.Sub(r.at) >= lookAgain {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), 2*time.Second)
			defer cancel()
			r.at, r.err = now, s.opts.Ready(ctx)
		}
		if hub.FaultOf(r.err) != "" {
			return r.err
		}
		if r.err != nil {
			p := unavailable.problem("")
			p.retry, p.cause = time.Second, r.err
			return p
		}
	}
	return s.healthz(c)
}

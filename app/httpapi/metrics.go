package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/hub"
)

// answerBuckets are the upper bounds, in seconds, of the histogram of how long
// people take.
var answerBuckets = []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}

// counts are the metrics that are not read off something else. They know routes
// and statuses, and nothing of what is asked or said.
type counts struct {
	conflicts metrics.Counts
	refused   metrics.Counts // requests whose credential, host or origin does not hold
	quotas    metrics.Counts
	requests  metrics.Counts
	answers   *metrics.Histogram

	mu      sync.Mutex
	routes  []*route
	seconds map[*route]*metrics.Histogram
}

func (n *counts) init(table []route) {
	n.refused.Labels = []string{"kind"}
	n.quotas.Labels = []string{"quota"}
	n.requests.Labels = []string{"method", "route", "status"}
	n.answers = metrics.NewHistogram(answerBuckets)
	n.seconds = map[*route]*metrics.Histogram{}
	for i := range table {
		n.routes = append(n.routes, &table[i])
	}
}

// request counts one. took is without what it waited for a person.
func (n *counts) request(rt *route, status int, took time.Duration) {
	if rt == nil {
		n.requests.Add(1, "", "none", strconv.Itoa(status))
		return
	}
	n.requests.Add(1, rt.method, rt.path, strconv.Itoa(status))
	n.mu.Lock()
	h := n.seconds[rt]
	if h == nil {
		h = metrics.NewHistogram(metrics.Latencies)
		n.seconds[rt] = h
	}
	n.mu.Unlock()
	h.Observe(took.Seconds())
}

// answered notes an outcome that was given just now through this server.
func (n *counts) answered(t *hub.Ticket) {
	o := t.Outcome
	if t.Held != nil {
		o = t.Held.Outcome
	}
	if t.Replayed || o == nil || o.Status != sayso.StatusAnswered {
		return
	}
	n.answers.Observe(max(0, o.At.Sub(t.Ask.AskedAt).Seconds()))
}

// WriteMetrics writes the metrics of the server and [Options].Metrics: everything
// but the numbers of one tenant.
func (s *Server) WriteMetrics(ctx context.Context, w *metrics.Writer) {
	streams, waits := s.limits.using()
	ready := 1.
	if s.unready(ctx) != nil {
		ready = 0
	}
	w.Family("sayso_build_info", metrics.Gauge, "The version of the program.").Value(1, "version", s.opts.Version)
	w.One("sayso_ready", metrics.Gauge, "Whether /readyz says that the hub can be used.", ready)
	w.One("sayso_streams", metrics.Gauge, "Open event streams.", float64(streams))
	w.One("sayso_waits", metrics.Gauge, "Requests that wait for an answer.", float64(waits))
	n := &s.counts
	n.conflicts.Write(w, "sayso_conflicts_total", "Answers that came second.")
	n.answers.Write(w, "sayso_answer_seconds", "Time from the ask to its answer.")
	n.requests.Write(w, "sayso_requests_total", "Requests by route and status; 499: the client went away.")
	w.Family("sayso_request_seconds", metrics.HistogramKind, "Time of requests, without what they waited for an answer.")
	for _, rt := range n.routes {
		n.mu.Lock()
		h := n.seconds[rt]
		n.mu.Unlock()
		if h != nil {
			h.Write(w, "sayso_request_seconds", "", "method", rt.method, "route", rt.path)
		}
	}
	n.refused.Write(w, "sayso_auth_failures_total", "Requests that were refused for their credential, role, host or origin.")
	n.quotas.Write(w, "sayso_quota_refusals_total", "Requests that were refused because a quota was used up.")
	for _, source := range s.opts.Metrics {
		source(ctx, w)
	}
}

func (s *Server) metrics(c *call) error {
	waiting, err := s.Waiting(c.r.Context(), c.who.Tenant)
	if err != nil {
		return err
	}
	var w metrics.Writer
	w.One("sayso_asks_waiting", metrics.Gauge, fmt.Sprintf("Open asks of the tenant, counted up to %d.", MaxWaiting), float64(waiting))
	s.WriteMetrics(c.r.Context(), &w)
	c.w.Header().Set("Content-Type", metrics.ContentType)
	c.w.WriteHeader(http.StatusOK)
	fmt.Fprint(c.w, w.String())
	return nil
}

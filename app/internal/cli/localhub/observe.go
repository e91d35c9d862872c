package localhub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/hub"
)

// observed counts what a hub does to its store, and writes a line into the log for
// each ask that it closes. A nil one does neither.
type observed struct {
	log       *slog.Logger
	asks      metrics.Counts
	outcomes  metrics.Counts
	failures  metrics.Counts
	undecided metrics.Counts
	writes    *metrics.Histogram
}

func newObserved(log *slog.Logger) *observed {
	return &observed{
		log: log, outcomes: metrics.Counts{Labels: []string{"status", "surface"}}, failures: metrics.Counts{Labels: []string{"kind"}},
		writes: metrics.NewHistogram(metrics.Latencies),
	}
}

func (o *observed) write(_ context.Context, w *metrics.Writer) {
	o.asks.Write(w, "sayso_asks_total", "Asks that this hub has stored.")
	o.outcomes.Write(w, "sayso_outcomes_total", "Outcomes that this hub has stored.")
	o.writes.Write(w, "sayso_store_write_seconds", "Time until the storage has acknowledged a write.")
	o.failures.Write(w, "sayso_store_errors_total", "Writes and reads that the storage refused.")
	o.undecided.Write(w, "sayso_store_undecided_total", "Writes and reads of which the storage could not say what became of them; the hub tries them again.")
}

// hook is what the hub tells; nil if nobody listens.
func (o *observed) hook() func(before, after *hub.Ticket) {
	if o == nil {
		return nil
	}
	return o.stored
}

// stored counts a change, see [hub.Options]. The line has ids only.
func (o *observed) stored(before, after *hub.Ticket) {
	if before == nil {
		o.asks.Add(1)
	}
	if (before == nil || before.Open()) && !after.Open() {
		by := after.Outcome.By
		o.outcomes.Add(1, string(after.Outcome.Status), surfaceLabel(by))
		if !o.log.Enabled(context.Background(), slog.LevelInfo) {
			return
		}
		attrs := []any{
			"ask", logged(after.Ask.ID), "conversation", logged(after.Address.Conversation), "tenant", logged(after.Address.Tenant),
			"status", string(after.Outcome.Status), "surface", surfaceLabel(by),
			"seconds", after.Outcome.At.Sub(after.Ask.AskedAt).Round(time.Millisecond).Seconds(),
		}
		if trace := sayso.TraceID(after.Ask.Origin.Traceparent); trace != "" {
			attrs = append(attrs, "trace_id", trace)
		}
		o.log.Info("closed", attrs...)
	}
}

// surfaces are those that have a name of their own in metrics and in the log: a
// client can make up others.
var surfaces = []string{"web", "terminal", "api", "mcp", "rpc", "acp", "hook", "cli", "rules"}

func surfaceLabel(by sayso.Responder) string {
	switch {
	case by.Surface == "":
		return "none"
	case slices.Contains(surfaces, by.Surface):
		return by.Surface
	}
	return "other"
}

// drawn is an id that a program drew, or a plain name.
var drawn = regexp.MustCompile(`^(ask_[a-z2-7]{10,60}|local)$`)

// logged returns an id as it stands in the log. One that somebody chose may say
// anything, so it is told by its sum; who knows the id can compute that.
func logged(id string) string {
	if id == "" || drawn.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256:" + hex.EncodeToString(sum[:6])
}

// over measures what is asked of a store.
func (o *observed) over(s hub.Store) hub.Store {
	if o == nil {
		return s
	}
	return &measured{s, o}
}

type measured struct {
	hub.Store
	o *observed
}

func (m *measured) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	began := time.Now()
	revision, err := m.Store.Put(ctx, r, expect)
	if err == nil {
		m.o.writes.Observe(time.Since(began).Seconds())
	}
	return revision, m.o.failed(ctx, err)
}

func (m *measured) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	r, err := m.Store.Get(ctx, kind, addr)
	return r, m.o.failed(ctx, err)
}

func (m *measured) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	page, err := m.Store.List(ctx, q)
	return page, m.o.failed(ctx, err)
}

// failed counts an error that is the storage's.
func (o *observed) failed(ctx context.Context, err error) error {
	fault := hub.FaultOf(err)
	switch {
	case err == nil, errors.Is(err, hub.ErrConflict), errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrPosition):
	case fault != "":
		o.failures.Add(1, string(fault))
	case errors.Is(err, hub.ErrUndecided):
		o.undecided.Add(1)
	case errors.Is(err, hub.ErrFull):
		o.failures.Add(1, "full")
	case ctx.Err() != nil: // whoever asked is gone
	case errors.Is(err, context.DeadlineExceeded):
		o.failures.Add(1, "timeout")
	default:
		o.failures.Add(1, "other")
	}
	return err
}

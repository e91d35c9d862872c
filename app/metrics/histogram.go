package metrics

import (
	"slices"
	"sync"
)

// Latencies are bounds, in seconds, for what a machine does.
var Latencies = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Histogram counts how long something took. Its methods may be called from several
// goroutines. A nil Histogram counts nothing.
type Histogram struct {
	mu     sync.Mutex
	bounds []float64
	counts []uint64 // by bound, the last one beyond all
	sum    float64
}

// NewHistogram returns a histogram with these upper bounds, in ascending order.
func NewHistogram(bounds []float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Observe counts one value.
func (h *Histogram) Observe(v float64) {
	if h == nil {
		return
	}
	i, _ := slices.BinarySearch(h.bounds, v)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[i]++
	h.sum += v
}

// Write writes the histogram with the labels; several with different labels may
// share a name.
func (h *Histogram) Write(w *Writer, name, help string, labels ...string) {
	w.Family(name, HistogramKind, help)
	h.mu.Lock()
	defer h.mu.Unlock()
	n := uint64(0)
	for i, count := range h.counts {
		n += count
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = number(h.bounds[i])
		}
		w.sample(name+"_bucket", float64(n), append(slices.Clone(labels), "le", bound))
	}
	w.sample(name+"_sum", h.sum, labels)
	w.sample(name+"_count", float64(n), labels)
}

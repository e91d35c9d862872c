package metrics

import (
	"slices"
	"strings"
	"sync"
)

// Counts is a counter with labels. Its methods may be called from several
// goroutines. The zero value counts without labels.
type Counts struct {
	Labels []string // their names; set before use

	mu  sync.Mutex
	all map[string]*labelled
}

type labelled struct {
	pairs []string
	n     float64
}

// Add counts n under these values of the labels, in their order.
func (c *Counts) Add(n float64, values ...string) {
	key := strings.Join(values, "\xff")
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.all[key]
	if l == nil {
		l = &labelled{}
		for i, name := range c.Labels {
			l.pairs = append(l.pairs, name, values[i])
		}
		if c.all == nil {
			c.all = map[string]*labelled{}
		}
		c.all[key] = l
	}
	l.n += n
}

// Write writes the family. One that has counted nothing has its head only, or, if
// it has no labels, zero.
func (c *Counts) Write(w *Writer, name, help string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Family(name, Counter, help)
	if len(c.Labels) == 0 && len(c.all) == 0 {
		w.Value(0)
	}
	keys := make([]string, 0, len(c.all))
	for key := range c.all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		w.Value(c.all[key].n, c.all[key].pairs...)
	}
}

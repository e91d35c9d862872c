package faulttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/hub"
)

// agree waits until all nodes hold the same asks, and returns how long that took and how many nodes had to be started
// again for it.
func (l *linear) agree(c *enginetest.Cluster) (took time.Duration, restarted int) {
	began := time.Now()
	patience := 90*time.Second + l.reading()
	for limit := began.Add(patience); ; {
		behind, why := l.behind(c)
		switch {
		case why == nil:
			return time.Since(began), restarted
		case time.Now().Before(limit):
			pause(l.t.Context(), 100*time.Millisecond)
		case restarted == 2:
			l.t.Errorf("the nodes do not agree: %v", why)
			return time.Since(began), restarted
		default:
			l.t.Logf("after %v: %v; n%d is started again", time.Since(began), why, behind+1)
			c.Nodes[behind].Stop()
			c.Nodes[behind].Restart()
			restarted++
			limit = time.Now().Add(patience)
		}
	}
}

// reading is how long it may take to read three copies of all asks.
func (l *linear) reading() time.Duration { return time.Duration(len(l.known)) * 5 * time.Millisecond }

// behind returns a node that does not hold what the others hold, and in what it differs.
func (l *linear) behind(c *enginetest.Cluster) (node int, why error) {
	ctx, cancel := context.WithTimeout(l.t.Context(), 45*time.Second+l.reading())
	defer cancel()
	var copies [3]map[string]string
	for i, n := range c.Nodes {
		held, err := copyOf(ctx, l.nc, "ASK2-00", n.Spec.Name)
		if err != nil {
			return i, fmt.Errorf("n%d: %w", i+1, err)
		}
		maps.DeleteFunc(held, func(subject, _ string) bool { return strings.HasSuffix(subject, ".fence") })
		copies[i] = held
	}
	for i := range copies {
		other, third := copies[(i+1)%3], copies[(i+2)%3]
		if !maps.Equal(copies[i], other) && (maps.Equal(other, third) || !maps.Equal(copies[i], third)) {
			return i, fmt.Errorf("n%d holds %d asks, the others %d and %d", i+1, len(copies[i]), len(other), len(third))
		}
	}
	return 0, nil
}

// finish reads all asks once more, counts those that are lost, and checks the histories that were not checked yet.
func (l *linear) finish() {
	by := l.hubs[len(l.hubs)-1]
	for id, want := range l.known {
		got, err := l.read(by, id)
		switch {
		case errors.Is(err, hub.ErrNotFound), err == nil && want != historytest.Open && got.Nonce != want:
			if l.lost.Add(1) <= 3 {
				l.t.Errorf("%s was %s and is now %v, %v", id, want, got, err)
			}
		case err != nil:
			l.t.Fatal(err)
		}
	}
	for _, h := range l.rest {
		h.get(l.t.Context(), 0, by)
		l.check(h)
	}
}

// read tries until the answer is certain.
func (l *linear) read(by *hub.Hub, id string) (t *hub.Ticket, err error) {
	for range 60 {
		if t, err = by.Get(l.t.Context(), newHistory(id).addr); told(t, err).State != historytest.Unknown {
			return t, err
		}
	}
	return t, err
}

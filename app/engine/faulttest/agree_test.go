package faulttest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/hub"
)

// agree waits until all nodes hold the same asks, and returns how long that took and how many nodes had to be started
// again for it. A node that is asked for a list answers from its own copy.
func (l *linear) agree(c *enginetest.Cluster) (took time.Duration, restarted int) {
	began := time.Now()
	for limit := began.Add(30 * time.Second); ; {
		behind, why := l.behind()
		switch {
		case why == nil:
			return time.Since(began), restarted
		case restarted > 2:
			l.t.Errorf("the nodes do not agree: %v", why)
			return time.Since(began), restarted
		case time.Now().After(limit):
			l.t.Logf("after %v: %v; n%d is started again", time.Since(began), why, behind+1)
			c.Nodes[behind].Stop()
			c.Nodes[behind].Restart()
			restarted++
			limit = time.Now().Add(30 * time.Second)
		}
		pause(l.t.Context(), 200*time.Millisecond)
	}
}

// behind returns a node that does not hold what the others hold, and in what it differs.
func (l *linear) behind() (node int, why error) {
	var views [3]map[string]string
	for i := range views {
		v, err := l.view(l.stores[i])
		if err != nil {
			return i, fmt.Errorf("n%d: %w", i+1, err)
		}
		views[i] = v
	}
	for i := range views {
		other, third := views[(i+1)%3], views[(i+2)%3]
		if !maps.Equal(views[i], other) && (maps.Equal(other, third) || !maps.Equal(views[i], third)) {
			return i, fmt.Errorf("n%d holds %d asks, the others %d and %d", i+1, len(views[i]), len(other), len(third))
		}
	}
	return 0, nil
}

// view returns every ask that a node holds, with what it holds of it.
func (l *linear) view(s hub.Store) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	v := map[string]string{}
	for q := (hub.Query{Limit: 1000}); ; {
		page, err := s.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			v[r.Address.ID] = fmt.Sprintf("%d %x", r.Revision, sha256.Sum256(r.Data))
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return v, nil
		}
	}
}

// finish reads all asks once more, counts those that are lost, and checks the histories that were not checked yet.
func (l *linear) finish() {
	by := l.hubs[len(l.hubs)-1]
	for id, want := range l.known {
		got, err := l.read(by, id)
		switch {
		case errors.Is(err, hub.ErrNotFound), err == nil && want != open && got.Nonce != want:
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
	for range 10 {
		if t, err = by.Get(l.t.Context(), newHistory(id).addr); told(t, err).state != unknown {
			return t, err
		}
	}
	return t, err
}

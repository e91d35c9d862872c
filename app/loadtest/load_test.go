package loadtest

import (
	"testing"
	"time"
)

// TestLoad runs the load of the figures for a moment: every asker gets the answer
// to its own question, in either way of asking.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program; run without -short")
	}
	for _, c := range []struct {
		name string
		four bool
	}{{"one request", false}, {"four requests", true}} {
		t.Run(c.name, func(t *testing.T) {
			keys := subjects(4, 8)
			v := versions(t)
			p := newHome(t, v[len(v)-1], "", keys).serve()
			l := &load{t: t, keys: keys, at: func(int) string { return p.url }, askers: 4, persons: 8, four: c.four}
			l.attend()
			took, _ := l.run(500*time.Millisecond, 0)
			if len(took) < 4 {
				t.Errorf("%d cycles were done", len(took))
			}
		})
	}
}

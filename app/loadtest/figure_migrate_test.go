package loadtest

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// TestFigure_MIGRATE starts the program on a data folder that the version of
// SAYSO_BEFORE has filled, and looks for every ask.
func TestFigure_MIGRATE(t *testing.T) {
	figures(t)
	all := versions(t)
	if len(all) < 2 {
		t.Skip("needs the version of the old layout: set SAYSO_BEFORE")
	}
	before, now := all[0], all[1]
	const n = 100_000
	keys := newKeyring().add("asker", bulkAsker)
	for i := range n * 9 / 10 / perAsker {
		keys.add("asker", asker(i))
	}
	h := newHome(t, now, filled(t, before, n), keys)
	start := time.Now()
	p := h.serve()
	took := time.Since(start)
	found := map[string]bool{}
	for subject := range keys {
		c := newCaller(p.url, keys.of(subject))
		for query := "limit=1000"; ; {
			got, _ := list(t, c, query)
			for _, one := range got.Tickets {
				found[one.Ask.ID] = one.Status == "pending"
			}
			if got.Next == "" {
				break
			}
			query = "limit=1000&cursor=" + url.QueryEscape(got.Next)
		}
		c.close()
	}
	lost := 0
	for i := range n {
		if id := fmt.Sprintf("wait_%08d", i); !found[id] {
			lost++
		}
	}
	t.Logf("FIGURE MIGRATE %d lost/%d", lost, n)
	t.Logf("FIGURE MIGRATE-time %.1f s", took.Seconds())
	if lost > 0 || len(found) != n {
		t.Errorf("%d asks are lost, %d are there, want %d", lost, len(found), n)
	}
	p.stop()
	start = time.Now()
	h.serve()
	t.Logf("FIGURE MIGRATE-again %.1f s", time.Since(start).Seconds())
}

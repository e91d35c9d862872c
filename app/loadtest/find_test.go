package loadtest

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso/api"
)

// finds are the first pages that people ask for: every view, filter and order, and
// words of every kind.
func finds(rare string) []string {
	return []string{
		"", "view=closed", "view=all", "view=later", "facets=1", "view=closed&facets=1", "view=all&facets=1",
		"agent=planner", "agent=codex&view=closed", "asker=bot-tester&view=all", "workspace=%2Fhome%2Fdev%2Fsrc%2Fproject07", "workspace=%2Fhome%2Fdev%2Fsrc%2Fproject07&view=closed",
		"branch=topic%2F017&view=all", "conversation=run+00042&view=all", "person=" + person(3) + "&view=closed", "kind=questions", "kind=approval&view=all", "status=answered&view=all",
		"blocking=1", "order=blocking", "order=newest", "view=closed&order=oldest", "after=" + url.QueryEscape(time.Now().Add(-48*time.Hour).UTC().Format(time.RFC3339)) + "&view=all",
		"before=" + url.QueryEscape(time.Now().Add(-48*time.Hour).UTC().Format(time.RFC3339)),
		"view=all&text=" + rare, "view=all&text=the", "view=closed&text=database", "view=all&text=postgres+cache", "view=all&text=the+invoice+refund+stock",
		"view=all&text=s", "view=all&text=pay", "view=all&text=qwertzuiop", "text=migration&workspace=%2Fhome%2Fdev%2Fsrc%2Fproject03&facets=1",
	}
}

// measureFinds serves a store and searches it. It returns how long each first page
// took; how long the first search of what is open took, and then that of all, which
// make the index; and the processor time and the memory that this took.
func measureFinds(t *testing.T, closed, open, rounds int) (took, build times, cpu time.Duration, memory float64) {
	v := versions(t)
	now := v[len(v)-1]
	engine := prepared(t, fmt.Sprintf("find-%d-%d", closed, open), func(folder string) {
		now.run(t, "find", findSpec{Engine: folder, Closed: closed, Open: open})
	})
	keys := newKeyring().add("answerer", person(3))
	p := newHome(t, now, engine, keys).serve()
	c := newCaller(p.url, keys.of(person(3)))
	defer c.close()
	var page api.SearchPage
	must(t, c.do("GET", "/v1/me", nil, nil))
	before, busy, start := resident(t, p.pid), processor(t, p.pid), time.Now()
	for _, view := range []string{"open", "all"} {
		must(t, c.do("GET", "/v1/search?limit=1&view="+view, nil, &page))
		build = append(build, time.Since(start))
	}
	memory, cpu = resident(t, p.pid)-before, processor(t, p.pid)-busy
	if all := closed + open; page.Total < all*7/10 || page.Total > all*9/10 {
		t.Fatalf("the person may see %d of %d", page.Total, all)
	}
	rested(t, p.pid)
	busy = processor(t, p.pid)
	defer func() {
		t.Logf("a page takes %v of processor time", ((processor(t, p.pid) - busy) / time.Duration(max(len(took), 1))).Round(10*time.Microsecond))
	}()
	rare := fmt.Sprintf("zebra%d", closed/100*100-100)
	searches, slowest := finds(rare), map[string]times{}
	for range rounds {
		for _, q := range searches {
			var page api.SearchPage
			start := time.Now()
			must(t, c.do("GET", "/v1/search?"+q, nil, &page))
			one := time.Since(start)
			took, slowest[q] = append(took, one), append(slowest[q], one)
			if len(page.Items) > 50 || len(page.Items) < min(50, page.Total) {
				t.Fatalf("%s: %d of %d on the page", q, len(page.Items), page.Total)
			}
		}
	}
	for _, q := range slices.SortedFunc(slices.Values(searches), func(a, b string) int { return int(slowest[b].at(0.5) - slowest[a].at(0.5)) }) {
		t.Logf("%-70s %v", q, slowest[q])
	}
	return took, build, cpu, memory
}

// rested returns when the process has little to do, or after two minutes: what was
// closed in a rush is put away first.
func rested(t *testing.T, pid int) {
	for range 120 {
		before := processor(t, pid)
		select {
		case <-time.After(time.Second):
		case <-t.Context().Done():
		}
		if processor(t, pid)-before < 100*time.Millisecond {
			return
		}
	}
}

// TestFind searches a small store as a person would, through the program.
func TestFind(t *testing.T) {
	took, build, _, _ := measureFinds(t, 2700, 300, 3)
	t.Logf("searches: %v; the index took %v", took, build)
	if limit := 2 * time.Second; took.at(0.9) > limit { // the machine may be busy
		t.Errorf("a first page took %v, p90; want at most %v", took.at(0.9), limit)
	}
}

// TestFigure_FIND measures first pages with 100,000 closed and 20,000 open asks on
// disk, over HTTP.
func TestFigure_FIND(t *testing.T) {
	figures(t)
	took, build, cpu, memory := measureFinds(t, 100_000, 20_000, 20)
	v := version{}
	say(t, v, "FIND-p50", took.ms(0.5), "ms")
	say(t, v, "FIND-p99", took.ms(0.99), "ms")
	say(t, v, "FIND-most", took.ms(1), "ms")
	say(t, v, "FIND-open", build[0].Seconds(), "s")
	say(t, v, "FIND-index", build[1].Seconds(), "s")
	say(t, v, "FIND-index-cpu", cpu.Seconds(), "s")
	say(t, v, "FIND-memory", memory, "MB")
}

package loadtest

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// page is what the figures read of one.
type page struct {
	Tickets []ticket `json:"tickets"`
	Next    string   `json:"next"`
}

// list reads a page and says how long that took.
func list(t *testing.T, c *caller, query string) (page, time.Duration) {
	t.Helper()
	var p page
	start := time.Now()
	must(t, c.do("GET", "/v1/asks?"+query, nil, &p))
	return p, time.Since(start)
}

// collect reads pages until they have so many asks. Earlier versions have pages that
// are nearly empty.
func collect(t *testing.T, c *caller, query string, want int) (found, pages int, took time.Duration) {
	t.Helper()
	cursor := ""
	for {
		p, d := list(t, c, query+cursor)
		found, pages, took = found+len(p.Tickets), pages+1, took+d
		if found >= want || p.Next == "" {
			return found, pages, took
		}
		cursor = "&cursor=" + url.QueryEscape(p.Next)
	}
}

// TestFigure_G2 measures lists beside much that waits: the first page of an asker
// with 200 open asks, of a person, of the closed asks of a conversation, and a later
// page of a long list against its first.
func TestFigure_G2(t *testing.T) {
	figures(t)
	const conversations, closed = 50, 20
	for _, v := range versions(t) {
		for _, n := range sizes(v) {
			t.Run(fmt.Sprint(v, " ", n), func(t *testing.T) {
				random := testenv.Rand(t)
				persons, keys := visitors(n)
				var askers []string
				for range 200 {
					askers = append(askers, asker(random.IntN(n*9/10/perAsker)))
				}
				keys.add("asker", bulkAsker).add("asker", askers...)
				p := newHome(t, v, filled(t, v, n), keys).serve()
				settle(t, p.url, keys, persons, conversations, closed)
				measure := func(id string, who []string, query string, want int) {
					id = fmt.Sprint("G2-", n, "-", id)
					var took times
					pages := 0
					for i := range 300 {
						if v.before && i == 20 {
							break // each may take seconds
						}
						c := newCaller(p.url, keys.of(who[random.IntN(len(who))]))
						found, k, d := collect(t, c, query, want)
						c.close()
						if found < want {
							t.Fatalf("%s: a list has %d asks, want %d", id, found, want)
						}
						took, pages = append(took, d), max(pages, k)
					}
					t.Logf("%s %s: %v; in %d pages", id, v, took, pages)
					say(t, v, id+"-p50", took.ms(0.5), "ms")
					say(t, v, id+"-p99", took.ms(0.99), "ms")
				}
				measure("person", persons, "limit=50", perPerson)
				measure("closed", []string{"probe"}, "limit=20&status=answered&conversation=closed-7", closed)
				measure("asker", askers, "limit=200", perAsker)
				if v.before {
					return // its pages are of different sizes
				}
				c := newCaller(p.url, keys.of(bulkAsker))
				defer c.close()
				say(t, v, fmt.Sprint("G2-", n, "-pages"), pages(t, c), "x")
			})
		}
	}
}

// pages compares the later pages of a long list with the first, in several rounds.
func pages(t *testing.T, c *caller) float64 {
	t.Helper()
	var first, later times
	for range 20 {
		cursor := ""
		for i := range 12 {
			got, d := list(t, c, "limit=50"+cursor)
			if len(got.Tickets) < 50 || got.Next == "" {
				t.Fatalf("page %d has %d asks and next %q", i, len(got.Tickets), got.Next)
			}
			if i == 0 {
				first = append(first, d)
			} else {
				later = append(later, d)
			}
			cursor = "&cursor=" + url.QueryEscape(got.Next)
		}
	}
	t.Logf("first pages: %v; later ones: %v", first, later)
	return later.ms(0.5) / first.ms(0.5)
}

// settle asks, answers and takes the answers of some conversations, so that they
// have closed asks.
func settle(t *testing.T, addr string, keys keyring, persons []string, conversations, each int) {
	t.Helper()
	asks := newCaller(addr, keys.of("probe"))
	defer asks.close()
	answers := newCaller(addr, keys.of(persons[0]))
	defer answers.close()
	for i := range conversations * each {
		var got ticket
		body := fmt.Appendf(nil, `{"id":"closed-%d","to":[%q],"origin":{"conversation":"closed-%d"},"questions":[{"id":"q","text":"Which database?"}]}`, i, persons[0], i%conversations)
		must(t, asks.do("POST", "/v1/asks", body, &got))
		body = fmt.Appendf(nil, `{"digest":%q,"answers":[{"questionId":"q","other":"any"}]}`, got.Digest)
		must(t, answers.do("PUT", "/v1/asks/"+got.ID+"/answer", body, nil))
		must(t, asks.do("POST", "/v1/asks/"+got.ID+"/consumed", nil, nil))
	}
}

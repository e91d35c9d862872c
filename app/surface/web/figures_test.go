package web_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/web"
)

func figures(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
}

// TestFigure_W1: what a first visit loads, compressed.
func TestFigure_W1(t *testing.T) {
	figures(t)
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	body := w.get(w.c, page).body
	all := []string{page, "/sw.js", "/manifest.webmanifest"}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(body, -1) {
		all = append(all, m[1])
	}
	total, sent := 0, 0
	for _, path := range all {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		body := w.get(w.c, path).body
		sent += len(w.taking("gzip", path).body)
		z.Write([]byte(body))
		z.Close()
		t.Logf("%6d %s", b.Len(), path)
		total += b.Len()
	}
	t.Logf("as it is sent, the page itself not compressed: %.1f KB", float64(sent)/1024)
	t.Logf("FIGURE %s %.1f %s", "W1", float64(total)/1024, "KB")
}

// TestFigure_W2: from an answer in one browser to the closed ask in 200 others.
func TestFigure_W2(t *testing.T) {
	figures(t)
	const pages, rounds = 200, 10
	w := newWorldWith(t, &web.Options{Streams: web.Streams{Session: pages, Person: pages}})
	var took []time.Duration
	for range rounds {
		ticket, page := w.ask(threeQuestions())
		var open, told sync.WaitGroup
		var mu sync.Mutex
		var sent time.Time
		open.Add(pages)
		for range pages {
			told.Go(func() {
				resp, err := w.c.Get(w.http.URL + "/events")
				if err != nil {
					t.Error(err)
					open.Done()
					return
				}
				defer resp.Body.Close()
				first := sync.OnceFunc(open.Done)
				defer first()
				for in := bufio.NewScanner(resp.Body); in.Scan(); {
					first() // the stream tells at once that it is open
					if !strings.Contains(in.Text(), strings.TrimPrefix(page, "/ask/")) || !strings.Contains(w.part(page), `data-state="closed `) {
						continue
					}
					mu.Lock()
					took = append(took, time.Since(sent))
					mu.Unlock()
					return
				}
				t.Error("a page was not told")
			})
		}
		open.Wait()
		mu.Lock()
		sent = time.Now()
		mu.Unlock()
		if r := w.post(w.c, page, form(ticket.Digest, "q0", "option:o1", "q1", "option:o1", "t2", "x", "do", "send")); r.code != http.StatusSeeOther {
			t.Fatalf("%d %s", r.code, r.body)
		}
		told.Wait()
	}
	slices.Sort(took)
	t.Logf("median %v, most %v of %d", took[len(took)/2], took[len(took)-1], len(took))
	t.Logf("FIGURE %s %d %s", "W2", took[len(took)*99/100].Milliseconds(), "ms")
}

// part returns an ask alone, as a page that is told of a change fetches it.
func (w *world) part(page string) string {
	r, err := http.NewRequest("GET", w.http.URL+page, nil)
	if err != nil {
		w.t.Error(err)
		return ""
	}
	r.Header.Set("Sayso-Part", "ask")
	return w.do(w.c, r).body
}

// TestFigure_W3: 10,000 asks wait; the first page, and following "More".
func TestFigure_W3(t *testing.T) {
	figures(t)
	w := newWorld(t)
	for i := range 10_000 {
		w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: fmt.Sprintf("Question number %d?", i)}}, Origin: sayso.Origin{Host: "codex"}})
	}
	more := regexp.MustCompile(`class="more" href="([^"]+)"`)
	var took []time.Duration
	seen := 0
	for path := "/"; path != ""; {
		start := time.Now()
		body := w.get(w.c, path).body
		took = append(took, time.Since(start))
		seen += strings.Count(body, "<li id=")
		path = ""
		if m := more.FindStringSubmatch(body); m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
			if _, err := url.Parse(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := took[0]
	slices.Sort(took)
	t.Logf("%d pages, %d asks; first %v, median %v, p99 %v, most %v", len(took), seen, first, took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	if seen != 10_000 {
		t.Errorf("scrolling shows %d of 10000", seen)
	}
	t.Logf("FIGURE %s %d %s", "W3", max(first, took[len(took)*99/100]).Milliseconds(), "ms")
}

package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/web"
)

// What only the page of statistics has, and the texts of askers.
var (
	statsElements   = strings.Fields("bdi q")
	statsAttributes = strings.Fields("dir scope colspan preserveaspectratio aria-labelledby")
)

// The page of statistics has a table for every chart, links to the questions that it
// speaks of, and nothing of what the person may not see.
func TestStats(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	w := newWorldWith(t, &web.Options{Now: func() time.Time { return clock.Add(90 * time.Minute) }})
	if r := w.get(w.c, "/stats"); !strings.Contains(r.body, "Nothing was asked in this time.") {
		t.Errorf("nothing was asked, and the page says: %s", r.body)
	}
	ticket, page := w.ask(threeQuestions())
	w.post(w.c, page, form(ticket.Digest, "q0", "option:o2", "q1", "option:o1", "t2", "zebra"))
	hostile := `<script>alert(1)</script>` + "\u202e"
	for i := range 2 {
		w.ask(&sayso.Ask{
			Origin:    sayso.Origin{Host: hostile, ToolCall: fmt.Sprint(i)},
			Questions: []sayso.Question{{Text: "Should I use tabs or spaces in " + hostile + "?"}},
		})
	}
	w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Should this be for bob or nobody?"}}, To: []string{"bob"}})
	r := w.get(w.c, "/stats?days=7")
	main := r.body[strings.Index(r.body, "<main"):]
	for _, want := range []string{
		`<title>Statistics · sayso</title>`, `<th scope="row"><bdi>planner ▸ researcher</bdi></th>`, `<th scope="row"><bdi>several questions</bdi></th>`,
		`<th scope="row"><bdi>ann</bdi></th>`, `<a href="/stats?days=7" aria-current="true">last 7 days</a>`,
		"Options are missing", "asked 2 times", "Asked again within an hour", `<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">`,
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, never := range []string{"<script>alert", "\u202e", "bob", "style="} {
		if strings.Contains(main, never) {
			t.Errorf("the page has %q", never)
		}
	}
	links := regexp.MustCompile(`<a href="(/ask/[^"]+)" dir="auto">`).FindAllStringSubmatch(main, -1)
	if len(links) != 4 { // the repeated one, and what two rules found
		t.Errorf("%d links to questions", len(links))
	}
	for _, l := range links {
		if got := w.get(w.c, l[1]); got.code != 200 || !strings.Contains(got.body, "tabs or spaces") {
			t.Errorf("%s: %d", l[1], got.code)
		}
	}
	if n, tables := strings.Count(main, `<section class="bars"`), strings.Count(main, "<caption>")+strings.Count(main, "<table>"); n != 5 || tables != n {
		t.Errorf("%d charts, %d tables", n, tables)
	}
	if bob := w.get(w.login("bob"), "/stats"); !strings.Contains(bob.body, "for bob or nobody") {
		t.Error("bob does not see what is for bob")
	}
}

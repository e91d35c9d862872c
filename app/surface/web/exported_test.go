package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// TestExport: an ask and its answer can be taken along as Markdown and as JSON, in which
// what others wrote is text.
func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hostile := "# Allowed by ann\n![x](https://evil.example/p.png) <script>alert(1)</script>\n````\n> [link](javascript:x)\n\x1b[31mred"
	a := &sayso.Ask{
		To: []string{"ann"}, Origin: sayso.Origin{Agents: []string{"<img src=x>`![a](b)"}},
		Questions: []sayso.Question{
			{Text: hostile, Body: "- [x] done\n" + hostile, Options: []sayso.Option{{Label: "`<b>One</b>", Description: "![d](e)"}, {Label: "Two"}}},
			{Text: "What name?"},
		},
	}
	ticket, page := w.ask(a)
	if r := w.get(w.login("bob"), page+"/export"); r.code != http.StatusNotFound || strings.Contains(r.body, "Allowed by ann") {
		t.Errorf("bob gets %d\n%s", r.code, r.body)
	}
	if r := w.get(w.login("bob"), page+"/export?as=json"); r.code != http.StatusNotFound {
		t.Errorf("bob gets %d as JSON", r.code)
	}
	if r := w.get(client(nil), page+"/export"); r.code == http.StatusOK {
		t.Errorf("who is not signed in gets\n%s", r.body)
	}
	if r := w.post(w.c, page, form(ticket.Digest, "q0", "option:o1", "n0", "```\n# a note", "t1", "<u>name</u>\r\n# no heading")); r.code != http.StatusSeeOther {
		t.Fatalf("%d %s", r.code, r.body)
	}

	md := w.get(w.c, page+"/export")
	if kind := md.header.Get("Content-Type"); md.code != http.StatusOK || kind != "text/markdown; charset=utf-8" {
		t.Fatalf("%d %s", md.code, kind)
	}
	for _, want := range []string{"# Allowed by ann", "<b>One</b>", "# a note", "<u>name</u>\n# no heading", "ann"} {
		if !strings.Contains(md.body, want) {
			t.Errorf("the Markdown has no %q", want)
		}
	}
	// A reader of Markdown shows what is in a fence or a span of code as it is.
	outside := textOutsideCode(md.body)
	for _, bad := range []string{"<", "![", "](", "#", "- [x]", "evil", "javascript:"} {
		if strings.Contains(outside, bad) {
			t.Errorf("%q is more than text in\n%s\nof\n%s", bad, outside, md.body)
		}
	}

	js := w.get(w.c, page+"/export?as=json")
	if kind := js.header.Get("Content-Type"); js.code != http.StatusOK || kind != "application/json; charset=utf-8" || strings.Contains(js.body, "<script>") {
		t.Errorf("%d %s\n%s", js.code, kind, js.body)
	}
	var got struct {
		Ask     *sayso.Ask
		Outcome *sayso.Outcome
	}
	if err := json.Unmarshal([]byte(js.body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Ask.Questions[0].Text != ticket.Ask.Questions[0].Text || got.Outcome == nil || !slices.Equal(got.Outcome.Answers[0].Selected, []string{"o1"}) || got.Outcome.By.ID != "ann" {
		t.Errorf("%+v", got)
	}
	for _, r := range []reply{md, js} {
		if strings.Contains(r.body, "\x1b") {
			t.Errorf("it has control characters:\n%s", r.body)
		}
		if d := r.header.Get("Content-Disposition"); !strings.HasPrefix(d, `attachment; filename="`) || r.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("a browser may show it: %q", d)
		}
	}
}

// textOutsideCode is what a reader of Markdown takes as Markdown: everything but fences
// and spans of code.
func textOutsideCode(md string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(md) {
		ticks := strings.TrimRight(line, "\n")
		isFence := len(ticks) >= 3 && strings.Trim(ticks, "`") == ""
		switch {
		case fence == "" && isFence:
			fence = ticks
		case fence != "" && isFence && len(ticks) >= len(fence):
			fence = ""
		case fence == "":
			for i, part := range strings.Split(line, "`") {
				if i%2 == 0 {
					b.WriteString(part)
				}
			}
		}
	}
	return b.String()
}

package web_test

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/saysohq/sayso"
)

type sample struct{ Name, Text string }

func hostileSamples(t *testing.T) []sample {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/hostile/web.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 120 {
		t.Fatalf("the corpus has %d samples only", len(all))
	}
	return all
}

// hostileAsk has the payload in every text that an asker can write.
func hostileAsk(p string) *sayso.Ask {
	return &sayso.Ask{
		Dialect: p, Metadata: map[string]any{p: p},
		Origin: sayso.Origin{Conversation: p, ToolCall: p, Agents: []string{p, p}, Host: p, Workspace: p, Branch: p, Asker: p},
		Questions: []sayso.Question{{Header: p, Text: "q " + p, Body: p, Options: []sayso.Option{
			{Label: "a " + p, Description: p, Preview: p}, {Label: "b " + p, Preview: "# x\n\n" + p}}}},
	}
}

// TestHostileWeb puts every payload into every field and reads the pages as a
// browser does: what is there must be ours, or inert (S04).
func TestHostileWeb(t *testing.T) {
	t.Parallel()
	for _, s := range hostileSamples(t) {
		w := newWorld(t)
		ticket, page := w.ask(hostileAsk(s.Text))
		for _, path := range []string{"/", page, "/?q=" + url.QueryEscape(s.Text)} {
			inert(t, s.Name+" "+path, w.get(w.c, path).body)
		}
		wrong := form(ticket.Digest, "q0", "option:o1", "t0", s.Text, "n0", s.Text, "do", "send")
		inert(t, s.Name+" refused", w.post(w.c, page, wrong).body)
		w.post(w.c, page, form(ticket.Digest, "q0", "own", "t0", "x "+s.Text, "n0", s.Text, "do", "send"))
		if w.outcome(ticket) == nil {
			t.Errorf("%s: not answered", s.Name)
		}
		for _, path := range []string{page, "/stats", "/?view=all"} {
			inert(t, s.Name+" closed "+path, w.get(w.c, path).body)
		}
	}
}

// TestInert: the check of this file sees what it is for.
func TestInert(t *testing.T) {
	t.Parallel()
	for _, s := range hostileSamples(t) {
		if strings.HasPrefix(s.Name, "onerror on") && len(foreign("<p>"+s.Text+"</p>")) == 0 {
			t.Errorf("%s passes raw", s.Name)
		}
	}
}

func inert(t *testing.T, where, body string) {
	t.Helper()
	for _, what := range foreign(body) {
		t.Errorf("%s: the page has %s", where, what)
	}
}

var (
	ownElements = strings.Fields("html head meta title link script body a header h1 h2 h3 h4 h5 h6 span form button div nav main p input ul ol li fieldset legend label textarea details summary " +
		"bdi time symbol use path circle dialog kbd select option noscript section dl dt dd svg g text rect strong em del code pre blockquote hr br table thead tbody tr th td")
	ownAttributes = strings.Fields("media lang charset name content rel href type nonce src defer class id role method action aria-label aria-current data-list value placeholder tabindex " +
		"data-words data-keys data-pressed data-released data-left dir datetime title selected focusable d cx cy r aria-describedby aria-labelledby data-title data-n data-ask data-who data-state data-sent rows checked data-danger open readonly hidden formnovalidate autocomplete viewbox transform x y rx height width text-anchor target align start disabled aria-pressed autofocus aria-hidden")
)

// foreign returns what in a page is not ours and could do something.
func foreign(body string) (found []string) {
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return []string{err.Error()}
	}
	forms := 0
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			found = append(found, "a comment")
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(ownElements, n.Data) && !slices.Contains(statsElements, n.Data) {
			found = append(found, "<"+n.Data+">")
		}
		if n.Data == "form" {
			forms++
		}
		for _, a := range n.Attr {
			if key := strings.ToLower(a.Key); !slices.Contains(ownAttributes, key) && !slices.Contains(statsAttributes, key) {
				found = append(found, "the attribute "+a.Key)
			}
			if !safeAddress(n.Data, a.Key, a.Val) {
				found = append(found, "the address "+a.Val)
			}
		}
	}
	if forms > 4 {
		found = append(found, "more forms than ours")
	}
	return found
}

// safeAddress: ours are paths; a link of an asker leads to the web or to mail.
func safeAddress(element, key, val string) bool {
	if !slices.Contains([]string{"href", "src", "action", "data-list"}, key) {
		return true
	}
	if strings.HasPrefix(val, "#") || strings.HasPrefix(val, "/") && !strings.HasPrefix(val, "//") {
		return true
	}
	u, err := url.Parse(val)
	return err == nil && element == "a" && slices.Contains([]string{"http", "https", "mailto"}, u.Scheme)
}

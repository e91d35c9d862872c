package web_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"encoding/json"

	"github.com/saysohq/sayso"
)

// TestLoginLink: opening the address uses nothing up, the form does, once (S27).
func TestLoginLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token("ann")
	c := client(nil)
	for i := range 1000 {
		r, err := http.NewRequest([]string{"GET", "HEAD"}[i%2], w.http.URL+"/login?token="+token, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.do(c, r); got.code != 200 || got.header.Get("Set-Cookie") != "" {
			t.Fatalf("got %d %v", got.code, got.header)
		}
	}
	for i, want := range []int{303, 410, 410} {
		r := w.post(c, "/login", url.Values{"token": {token}})
		if r.code != want || (r.header.Get("Set-Cookie") == "") != (want != 303) {
			t.Errorf("use %d: %d, want %d", i+1, r.code, want)
		}
	}
	if r := w.post(c, "/login", url.Values{"token": {"guess"}}); r.code != 403 {
		t.Errorf("a guess: %d", r.code)
	}
}

// TestNoSession: every page but the login wants a session, on every method.
func TestNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	forged := &jar{cookies: []*http.Cookie{{Name: "sayso", Value: "eyJ0IjoibG9jYWwiLCJ1IjoiMjA5OS0wMS0wMVQwMDowMDowMFoifQ.AAAA"}}}
	for _, c := range []*http.Client{{Transport: connections}, {Transport: connections, Jar: forged}} {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, path := range []string{"/", "/stats", page} {
			if r := w.get(c, path); r.code != 303 || strings.Contains(r.body, "database") {
				t.Errorf("GET %s: %d", path, r.code)
			}
		}
		if r := w.get(c, "/events"); r.code != 401 {
			t.Errorf("GET /events: %d", r.code)
		}
		for _, path := range []string{page, page + "/draft", "/logout"} {
			if r := w.post(c, path, url.Values{"do": {"decline"}}); r.code != 401 {
				t.Errorf("POST %s: %d", path, r.code)
			}
		}
	}
}

// TestForeignSites: no other site can read, post or embed (S11–S13).
func TestForeignSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	for _, tt := range []struct {
		name, method, path string
		set                map[string]string
		host               string
		want               int
	}{
		{"rebound name", "GET", "/", nil, "evil.test", 421},
		{"rebound name with port", "POST", page, nil, "evil.test:80", 421},
		{"cross-site post", "POST", page, map[string]string{"Sec-Fetch-Site": "cross-site"}, "", 403},
		{"sibling post", "POST", page, map[string]string{"Sec-Fetch-Site": "same-site"}, "", 403},
		{"old browser", "POST", page, map[string]string{"Origin": "https://evil.example"}, "", 403},
		{"origin null", "POST", page, map[string]string{"Origin": "null"}, "", 403},
		{"cross-site fetch", "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, "", 403},
		{"cross-site events", "GET", "/events", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, "", 403},
		{"cross-site frame", "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, "", 403},
		{"a link from elsewhere", "GET", page, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, "", 200},
	} {
		body := form(ticket.Digest, "do", "decline").Encode()
		r, err := http.NewRequest(tt.method, w.http.URL+tt.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for k, v := range tt.set {
			r.Header.Set(k, v)
		}
		r.Host = tt.host
		if got := w.do(w.c, r); got.code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got.code, tt.want)
		}
	}
	if w.outcome(ticket) != nil {
		t.Error("another site closed the ask")
	}
}

func TestOtherPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := threeQuestions()
	a.To = []string{"bob"}
	ticket, page := w.ask(a)
	if r := w.get(w.c, page); r.code != 404 || strings.Contains(r.body, "database") {
		t.Errorf("ann sees what bob is asked: %d", r.code)
	}
	if r := w.post(w.c, page, form(ticket.Digest, "do", "decline")); r.code != 404 || w.outcome(ticket) != nil {
		t.Errorf("ann declines what bob is asked: %d", r.code)
	}
	if r := w.get(w.c, page+"x"); r.code != 404 {
		t.Errorf("a forged handle: %d", r.code)
	}
}

// TestHostileText puts the corpus and web payloads into every field; nothing of
// it may become markup.
func TestHostileText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payloads := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `[x](javascript:alert(1))`,
		`![x](https://evil.example/p.png)`, `</textarea><script>alert(1)</script>`, `<a href="data:text/html,x">y</a>`,
		`<style>body{display:none}</style>`, `<iframe src=//evil.example>`, `<form action=//evil.example><input name=q>`,
		`[y](vbscript:x)`, "[z]( \u0001javascript:alert(1))", `<math><mtext></mtext><script>alert(1)</script></math>`, `{{.Nonce}}`,
		`<hx-partial hx-target="body">x</hx-partial>`, `<div hx-get="//evil.example" hx-trigger="load">`,
	}
	data, err := os.ReadFile("../../../testdata/hostile/terminal.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus []struct{ Text string }
	_ = json.Unmarshal(data, &corpus) // the shape is another room's; the payloads above always run
	for _, c := range corpus {
		payloads = append(payloads, c.Text)
	}
	for i, p := range payloads {
		a := &sayso.Ask{
			Origin: sayso.Origin{Agents: []string{p}, Workspace: p, Branch: p},
			Questions: []sayso.Question{{Header: p, Text: "q " + p, Body: p, Options: []sayso.Option{
				{Label: "a " + p, Description: p, Preview: p}, {Label: "b " + p}}}},
		}
		_, page := w.ask(a)
		body := w.get(w.c, page).body
		for _, bad := range []string{"<script>alert", "<img", "<svg onload", "javascript:alert(1)\"", "<iframe", "<style>", "<math", "<form action=//", "hx-get=\"//evil", "\x1b", "vbscript:x\"", `<hx-partial hx-target="body"`} {
			if strings.Contains(body, bad) {
				t.Errorf("payload %d %q: the page has %q", i, p, bad)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.get(w.c, "/"), w.get(w.c, "/")
	csp := a.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy has no %q: %s", want, csp)
		}
	}
	if csp == b.header.Get("Content-Security-Policy") {
		t.Error("two pages have the same nonce")
	}
	if strings.Contains(csp, "unsafe") {
		t.Error("the policy has an unsafe source")
	}
	for k, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if got := a.header.Get(k); got != want {
			t.Errorf("%s: %q", k, got)
		}
	}
	total := 0
	for _, f := range []string{"app.js", "live.js", "form.js", "outbox.js", "list.js", "app.css"} {
		r := w.get(w.c, "/assets/"+f)
		if r.code != 200 {
			t.Errorf("%s: %d", f, r.code)
		}
		total += len(r.body)
	}
	if total > 76<<10 {
		t.Errorf("the page weighs %d bytes before compression", total)
	}
}

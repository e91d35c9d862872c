package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestNoSuchPage: an address that is no page leads back, in the layout for a person who
// is signed in; a script or a program is told in a few words.
func TestNoSuchPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ask(threeQuestions())
	for _, path := range []string{"/nothing", "/ask", "/ask/x/y/z", "/assetsx"} {
		in, out := w.get(w.c, path), w.get(with(""), path)
		if in.code != 404 || !strings.Contains(in.body, `<nav`) || !strings.Contains(in.body, "database") || !strings.Contains(in.body, `class="go" href="/"`) {
			t.Errorf("%s, signed in: %d %.300s", path, in.code, in.body)
		}
		if out.code != 404 || strings.Contains(out.body, "database") || !strings.Contains(out.body, `class="go" href="/"`) {
			t.Errorf("%s, signed out: %d %.300s", path, out.code, out.body)
		}
		if in.header.Get("Content-Security-Policy") == "" || out.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: a page without a policy", path)
		}
		r, err := http.NewRequest("GET", w.http.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sayso-Part", "ask")
		for name, got := range map[string]reply{"a script": w.do(w.c, r), "a form": w.post(w.c, path, url.Values{"do": {"send"}})} {
			if got.code != 404 || strings.Contains(got.body, "<") {
				t.Errorf("%s, %s: %d %.300s", path, name, got.code, got.body)
			}
		}
	}
}

// TestSignedOutForm: a form of a page beside the asks, sent after the session has ended,
// says so with a way to sign in.
func TestSignedOutForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.post(with(""), "/settings", url.Values{"grace": {"0"}})
	if r.code != 401 || !strings.Contains(r.body, `href="/login"`) || !strings.Contains(r.body, "You are signed out") {
		t.Errorf("%d %s", r.code, r.body)
	}
}

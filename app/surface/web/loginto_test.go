package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/auth"
)

// TestLoginLinkTo: the address leads to one page of this site, in a browser that is
// signed in too, and to no other site.
func TestLoginLinkTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := w.site.LoginLinkTo(t.Context(), w.http.URL, &auth.Principal{Tenant: "local", ID: "ann", Role: auth.Answerer}, "/ask/abc")
	if err != nil {
		t.Fatal(err)
	}
	page, word, _ := strings.Cut(strings.TrimPrefix(link, w.http.URL), "#")
	if page != "/login?next=%2Fask%2Fabc" || word == "" {
		t.Fatalf("the address is %s", link)
	}
	fresh := client(newJar())
	if r := w.get(fresh, page); r.code != http.StatusOK {
		t.Errorf("the page says %d", r.code)
	}
	if r := w.post(fresh, "/login", url.Values{"token": {word}}); r.code != http.StatusSeeOther || r.header.Get("Location") != "/ask/abc" {
		t.Errorf("signing in leads to %d %q", r.code, r.header.Get("Location"))
	}
	if r := w.get(w.c, page); r.code != http.StatusSeeOther || r.header.Get("Location") != "/ask/abc#" {
		t.Errorf("who is signed in is sent to %d %q", r.code, r.header.Get("Location"))
	}
	for _, evil := range []string{"//evil.example", `/\evil.example`, "https://evil.example", "/a b"} {
		r := w.get(w.c, "/login?"+url.Values{"next": {evil}}.Encode())
		if r.code != http.StatusOK || r.header.Get("Location") != "" {
			t.Errorf("%s: %d %q", evil, r.code, r.header.Get("Location"))
		}
	}
}

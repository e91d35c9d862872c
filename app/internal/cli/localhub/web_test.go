package localhub

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// TestWebLink: the address lets a browser in once, the session ends with the
// process that served it, and the port of the API gives no address to anybody.
func TestWebLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{Listen: anyPort})
	link, err := p.WebLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	base, token, _ := strings.Cut(link, "/login#")
	if !strings.HasPrefix(base, "http://127.0.0.1:") || token == "" {
		t.Fatalf("the address is %s", link)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	status := func(resp *http.Response, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Request.URL.Path == "/login" && resp.StatusCode == 200 {
			return http.StatusUnauthorized // it was led to the login
		}
		return resp.StatusCode
	}
	if got := status(browser.Get(base + "/")); got != 401 {
		t.Errorf("without a login: %d", got)
	}
	for _, want := range []int{200, 410} {
		if got := status(browser.PostForm(base+"/login", url.Values{"token": {token}})); got != want {
			t.Errorf("login: %d, want %d", got, want)
		}
	}
	p.kill()
	again, err := p.WebLink(t.Context())
	if err != nil || !strings.HasPrefix(again, base+"/login#") {
		t.Fatalf("after a restart the address is %s (%v), not under %s", again, err, base)
	}
	if got := status(browser.Get(base + "/")); got != 401 {
		t.Errorf("after a restart the old session still holds: %d", got)
	}
	if got := status(http.Post(p.url()+webPath, "", nil)); got < 400 {
		t.Errorf("the port of the API: %d", got)
	}
	if got := status(browser.Post(base+webPath, "", nil)); got < 400 {
		t.Errorf("the port of the inbox: %d", got)
	}
}

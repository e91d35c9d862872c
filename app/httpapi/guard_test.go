package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
)

// What a web page can make a browser send is refused on every route but the two
// of health, by every method, with a good key: S11, S12.
func TestForeignPages(t *testing.T) {
	w := newWorld(t, &Options{Hosts: []string{"ask.example.com"}, Origins: []string{"https://inbox.example.com"}, Quota: Quota{Open: -1, Rate: -1, Reads: -1}})
	cases := []struct {
		name, host, origin, site string
		want                     int // 0: let through
	}{
		{"a program", "localhost:8080", "", "", 0},
		{"an address", "127.0.0.1:8080", "", "", 0},
		{"a v6 address", "[::1]:8080", "", "", 0},
		{"the server's name", "ask.example.com", "", "", 0},
		{"the server's name in capitals, with a dot", "ASK.example.com.:443", "", "", 0},
		{"the server's own page", "ask.example.com", "https://ask.example.com", "same-origin", 0},
		{"typed by the person", "ask.example.com", "", "none", 0},
		{"a page that the server trusts", "ask.example.com", "https://inbox.example.com", "cross-site", 0},
		{"a rebound name", "evil.test:8080", "http://evil.test:8080", "", 421},
		{"a rebound name that claims to be same-origin", "evil.test", "http://evil.test", "same-origin", 421},
		{"a rebound name without an origin", "evil.test", "", "", 421},
		{"no name", "", "", "", 421},
		{"a name that begins like ours", "localhost.evil.test", "", "", 421},
		{"our name as a user", "localhost@evil.test", "", "", 421},
		{"a foreign page", "localhost:8080", "https://evil.example", "cross-site", 403},
		{"a sibling", "ask.example.com", "https://evil.example.com", "same-site", 403},
		{"a foreign page in an old browser", "localhost:8080", "https://evil.example", "", 403},
		{"another port", "localhost:8080", "http://localhost:9090", "", 403},
		{"a frame without an origin", "localhost:8080", "null", "cross-site", 403},
		{"an origin that is none", "localhost:8080", "null", "", 403},
		{"a link, or an image", "localhost:8080", "", "cross-site", 403},
		{"a sibling's link", "localhost:8080", "", "same-site", 403},
	}
	matrix := cells()
	for _, rt := range routes() {
		if rt.rule.public {
			continue
		}
		who := map[bool]string{true: "ada", false: "bot"}[strings.Contains(matrix[rt.id].roles, "answerer")]
		if rt.id == "getMetrics" || matrix[rt.id].roles == "admin" {
			who = "root"
		}
		for _, c := range cases {
			path, body := matrix[rt.id].prepare(t, w)
			req := w.request(who, rt.method, path, body)
			req.Host = c.host
			if c.origin != "" {
				req.Header.Set("Origin", c.origin)
			}
			if c.site != "" {
				req.Header.Set("Sec-Fetch-Site", c.site)
			}
			if c.want == 0 && matrix[rt.id].stream {
				continue // that it goes on has tests of its own
			}
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, req)
			if c.want == 0 && (rec.Code < 200 || rec.Code > 299) || c.want != 0 && rec.Code != c.want {
				t.Errorf("%s %s from %s: %d, want %d: %s", rt.method, rt.path, c.name, rec.Code, c.want, rec.Body)
			}
			if cors := rec.Header().Get("Access-Control-Allow-Origin"); cors != "" {
				t.Errorf("%s %s lets %s read", rt.method, rt.path, cors)
			}
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	w := newWorld(t, nil)
	for _, path := range []string{"/v1/asks", "/healthz", "/nowhere"} {
		h := w.do("ada", "GET", path, "").Header()
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control":                "no-store",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	if h := w.do("nobody", "GET", "/v1/asks", "").Header().Get("WWW-Authenticate"); !strings.HasPrefix(h, "Bearer") {
		t.Errorf("WWW-Authenticate is %q", h)
	}
}

// A hub tells its version to those it knows, also when it refuses them, and to nobody else.
func TestVersionHeader(t *testing.T) {
	w := newWorld(t, &Options{Version: "0.4.0"})
	for _, c := range []struct{ who, path, want string }{
		{"ada", "/v1/asks", "0.4.0"},
		{"ada", "/nowhere", "0.4.0"},
		{"nobody", "/v1/asks", ""},
		{"nobody", "/readyz", ""},
	} {
		if got := w.do(c.who, "GET", c.path, "").Header().Get(api.VersionHeader); got != c.want {
			t.Errorf("%s at %s is told %q, want %q", c.who, c.path, got, c.want)
		}
	}
}

// Answers take more than a GET: S27.
func TestGetChangesNothing(t *testing.T) {
	w := newWorld(t, nil)
	tk := w.ask(t, "a1")
	for _, method := range []string{"GET", "HEAD"} {
		for _, path := range []string{"/answer", "/decline", "/withdraw", "/undo", "/consumed"} {
			rec := w.do("ada", method, "/v1/asks/"+tk.ID+path, "")
			if rec.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, rec.Code)
			}
		}
	}
	if now := must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+tk.ID, ""); now.Revision != tk.Revision {
		t.Error("the ask changed")
	}
}

package web_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// cookie returns the session's cookie of a client.
func cookie(t *testing.T, c *http.Client) string {
	t.Helper()
	for _, c := range c.Jar.(*jar).cookies {
		if c.Name == "sayso" {
			return c.Value
		}
	}
	t.Fatal("no session")
	return ""
}

// with is a client that has this session's cookie and no other.
func with(value string) *http.Client {
	return client(&jar{cookies: []*http.Cookie{{Name: "sayso", Value: value}}})
}

// stream opens the events of a page. The channel gives their names, and is closed at
// the end of the stream.
func (w *world) stream(c *http.Client) <-chan string {
	w.t.Helper()
	return w.streamOf(c, "", 0)
}

// streamOf does that as the worker of this name, which has opened so many.
func (w *world) streamOf(c *http.Client, worker string, count int) <-chan string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/events?worker=%s&count=%d", w.http.URL, worker, count), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("the stream: %d", resp.StatusCode)
	}
	events := make(chan string, 100)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			if name, ok := strings.CutPrefix(s.Text(), "event: "); ok {
				events <- name
			}
		}
	}()
	return events
}

// ends waits for the end of a stream, which must be told as the end of the session.
func (w *world) ends(what string, events <-chan string) {
	w.t.Helper()
	last := ""
	for name := range events {
		last = name
	}
	if last != "sayso:signedout" {
		w.t.Errorf("%s: the stream ended with the event %q", what, last)
	}
}

// TestSessionEnds: whoever ends it, the cookie is refused at once, and an open page
// is told.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	for what, end := range map[string]func(c, other *http.Client){
		"signing out": func(c, _ *http.Client) { w.post(c, "/logout", nil) },
		"its own button": func(c, _ *http.Client) {
			w.post(c, "/sessions", url.Values{"end": {w.here(c)}})
		},
		"another session": func(c, other *http.Client) {
			for _, id := range w.ids(other) {
				if id != w.here(other) {
					w.post(other, "/sessions", url.Values{"end": {id}})
				}
			}
		},
		"all others": func(_, other *http.Client) { w.post(other, "/sessions", url.Values{"end": {"all others"}}) },
		"the API": func(c, _ *http.Client) {
			if err := w.sessions.End(t.Context(), "local", "cleo", w.here(c)); err != nil {
				t.Error(err)
			}
		},
	} {
		c, other, stranger := w.login("cleo"), w.login("cleo"), w.login("dan")
		old := with(cookie(t, c))
		events := w.stream(with(cookie(t, c)))
		end(c, other)
		for _, path := range []string{"/", page, "/sessions"} {
			if r := w.get(old, path); r.code != 303 || r.header.Get("Location") != "/login" {
				t.Fatalf("%s: the old cookie opens %s: %d", what, path, r.code)
			}
		}
		if r := w.get(old, "/events"); r.code != 401 {
			t.Errorf("%s: the old cookie gets events: %d", what, r.code)
		}
		w.ends(what, events)
		if r := w.get(stranger, "/"); r.code != 200 {
			t.Errorf("%s ends the session of another person", what)
		}
		if _, err := w.sessions.EndAll(t.Context(), "local", "cleo", ""); err != nil {
			t.Fatal(err)
		}
	}
}

var endButton = regexp.MustCompile(`name="end" value="([a-z2-7]+)"`)

// ids are the sessions on the page of a client, and here is its own.
func (w *world) ids(c *http.Client) (ids []string) {
	for _, m := range endButton.FindAllStringSubmatch(w.get(c, "/sessions").body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

func (w *world) here(c *http.Client) string {
	body := w.get(c, "/sessions").body
	_, own, _ := strings.Cut(body, "this device")
	return endButton.FindStringSubmatch(own)[1]
}

// TestSessionsPage shows the devices of the person, and nobody else's.
func TestSessionsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := w.login("ann")
	w.login("bob")
	b := &browser{c: phone, base: w.http.URL}
	b.open("/sessions")
	s := b.main(false)
	if strings.Count(s, "A browser") != 2 || strings.Count(s, "this device") != 1 || !strings.Contains(s, "last used just now") || !strings.Contains(s, "End all others") {
		t.Errorf("the page says\n%s", s)
	}
	bobs, err := w.sessions.List(t.Context(), "local", "bob")
	if err != nil || len(bobs) != 1 {
		t.Fatal(bobs, err)
	}
	if r := w.post(phone, "/sessions", url.Values{"end": {bobs[0].ID}}); r.header.Get("Location") != "/sessions?ended=0" {
		t.Errorf("ann ends bob's session: %d %s", r.code, r.header.Get("Location"))
	}
	if left, err := w.sessions.List(t.Context(), "local", "bob"); err != nil || len(left) != 1 {
		t.Errorf("bob has %d sessions, %v", len(left), err)
	}
	w.post(phone, "/sessions", url.Values{"end": {"all others"}})
	if b.open("/sessions?ended=1"); !strings.Contains(b.main(false), "One session was ended.") || strings.Contains(b.main(false), "End all others") {
		t.Errorf("the page says\n%s", b.main(false))
	}
	again := w.post(phone, "/login", url.Values{"token": {w.token("ann")}})
	if left, err := w.sessions.List(t.Context(), "local", "ann"); again.code != 303 || err != nil || len(left) != 1 {
		t.Errorf("a device that signs in again has %d sessions (%v)", len(left), err)
	}
}

// TestStreamLimits: one page too many is told so, and works.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		most web.Streams
		want int
	}{
		{"session", web.Streams{Session: 1}, http.StatusTooManyRequests},
		{"person", web.Streams{Person: 1}, http.StatusTooManyRequests},
		{"total", web.Streams{Total: 1}, http.StatusServiceUnavailable},
	} {
		w := newWorldWith(t, &web.Options{Streams: tt.most})
		first := w.stream(w.c)
		second := w.login(map[string]string{"session": "ann", "person": "ann", "total": "bob"}[tt.name])
		if tt.name == "session" {
			second = w.c
		}
		r, err := second.Get(w.http.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close() // a stream has no end
		if r.StatusCode != tt.want || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", tt.name, r.StatusCode, r.Header)
		}
		if r := w.get(second, "/"); r.code != 200 {
			t.Errorf("%s: the page itself: %d", tt.name, r.code)
		}
		if tt.name == "session" {
			continue
		}
		w.post(w.c, "/logout", nil)
		w.ends(tt.name, first)
		w.stream(second) // there is room again
	}
}

// TestStreamReplaced: a worker has one stream, the one that it opened last.
func TestStreamReplaced(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, &web.Options{Streams: web.Streams{Session: 3}})
	bob := w.login("bob")
	others := []<-chan string{w.streamOf(w.c, "b", 1), w.streamOf(bob, "a", 1)}
	last := w.streamOf(w.c, "a", 1)
	for count := range 9 {
		next := w.streamOf(w.c, "a", 2+count)
		for range last { // it has ended
		}
		last = next
	}
	for range w.streamOf(w.c, "a", 9) { // the one before the last, which comes late
	}
	for i, events := range append(others, last) {
		select {
		case name, ok := <-events:
			t.Errorf("stream %d said %q, or ended: %v", i, name, !ok)
		default:
		}
	}
	w.post(w.c, "/logout", nil)
	w.ends("the last of a", last)
	w.ends("that of b", others[0])
	w.post(bob, "/logout", nil)
	w.ends("that of bob", others[1])
}

// TestDeepLink: the page that was asked for comes after signing in, and nothing else
// does.
func TestDeepLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	for _, path := range []string{page, page + "?view=all", "/stats", "/?view=answered&q=a%20b"} {
		c := with("")
		if r := w.get(c, path); r.code != 303 || r.header.Get("Location") != "/login" {
			t.Errorf("%s: %d %s", path, r.code, r.header.Get("Location"))
		}
		r := w.post(c, "/login", url.Values{"token": {w.token("ann")}})
		if got := r.header.Get("Location"); got != path {
			t.Errorf("after signing in for %s: %s", path, got)
		}
		if r := w.post(c, "/login", url.Values{"token": {w.token("ann")}}); r.header.Get("Location") != "/" {
			t.Errorf("the second time, too: %s", r.header.Get("Location"))
		}
	}
	for _, bad := range []string{
		"//evil.test/", "/\\evil.test", "\\/evil.test", "https://evil.test/", "javascript:alert(1)", "", "ask/x", "/a//b", "/\tevil", "/\n/evil.test", "/a\r\nSet-Cookie: x=y",
		" /", "/\x00", "/ä", "/" + strings.Repeat("a", 2000),
	} {
		for _, value := range []string{base64.RawURLEncoding.EncodeToString([]byte(bad)), url.QueryEscape(bad)} {
			c := with("")
			c.Jar.SetCookies(nil, []*http.Cookie{{Name: "sayso-page", Value: value}})
			if r := w.post(c, "/login", url.Values{"token": {w.token("ann")}}); r.header.Get("Location") != "/" {
				t.Errorf("%q leads to %q", bad, r.header.Get("Location"))
			}
		}
	}
}

// TestForgedCookies: of ten thousand cookies that are forged, expired, ended, of
// another run, cut, or put together from others, none is accepted.
func TestForgedCookies(t *testing.T) {
	t.Parallel()
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	sessions := func(o auth.SessionsOptions) *auth.Sessions {
		s := auth.NewSessions(store, &o)
		t.Cleanup(s.Close)
		return s
	}
	own := sessions(auth.SessionsOptions{Run: "this"})
	site := web.New(h, own, nil)
	begin := func(s *auth.Sessions, tenant, person string) string {
		c, _, err := s.Begin(t.Context(), &auth.Principal{Tenant: tenant, ID: person}, "x")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	long := time.Now().Add(-48 * time.Hour)
	past := sessions(auth.SessionsOptions{Run: "this", Now: func() time.Time { return long }})
	foreign := sessions(auth.SessionsOptions{Run: "other"})
	free := sessions(auth.SessionsOptions{})
	good := []string{begin(own, "local", "ann"), begin(own, "local", "bob"), begin(own, "acme", "ann"), begin(own, "local", "")}
	r := testenv.Rand(t)
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	parts := func(c string) []string { return strings.Split(c, ".") }
	// drawn draws from fifty sessions that are made first.
	drawn := func(s *auth.Sessions, person string) func() string {
		var all []string
		for range 50 {
			all = append(all, begin(s, "local", person))
		}
		return func() string { return all[r.IntN(len(all))] }
	}
	kinds := []func() string{
		drawn(past, "ann"), drawn(foreign, "ann"), drawn(free, "ann"), drawn(own, "eve"), // the last are ended
		func() string { // one bit is another
			for {
				c := []byte(good[r.IntN(len(good))])
				at := r.IntN(len(c))
				if c[at] ^= 1 << r.IntN(7); c[at] > ' ' && c[at] < 0x7f && !strings.ContainsRune(`;,"\`, rune(c[at])) {
					return string(c)
				}
			}
		},
		func() string { c := good[r.IntN(len(good))]; return c[:r.IntN(len(c))] }, // cut
		func() string { c := good[r.IntN(len(good))]; return c + string(alphabet[r.IntN(64)]) },
		func() string { // the parts of two
			for {
				a, b, from := parts(good[r.IntN(len(good))]), parts(good[r.IntN(len(good))]), 1+r.IntN(4)
				mixed := strings.Join(append(a[:from:from], b[from:]...), ".")
				if !slices.Contains(good, mixed) {
					return mixed
				}
			}
		},
		func() string { // a secret that is guessed
			p := parts(good[r.IntN(len(good))])
			secret := make([]byte, 32)
			for i := range secret {
				secret[i] = byte(r.Uint32())
			}
			return strings.Join(append(p[:4], base64.RawURLEncoding.EncodeToString(secret)), ".")
		},
		func() string { // anything
			b := make([]byte, r.IntN(200))
			for i := range b {
				b[i] = (alphabet + "....")[r.IntN(68)]
			}
			return string(b)
		},
	}
	try := func(value string) int {
		req := httptest.NewRequest("GET", "http://localhost/stats", nil)
		req.Header.Set("Cookie", "sayso="+value)
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, req)
		return rec.Code
	}
	if n, err := own.EndAll(t.Context(), "local", "eve", ""); n != 50 || err != nil {
		t.Fatal(n, err)
	}
	for i := range 10_000 {
		kind := i % len(kinds)
		if c := kinds[kind](); try(c) != http.StatusSeeOther {
			t.Fatalf("cookie %d, of kind %d, is accepted: %s", i, kind, c)
		}
	}
	for _, c := range good {
		if got := try(c); got != 200 {
			t.Errorf("a good cookie: %d", got)
		}
	}
}

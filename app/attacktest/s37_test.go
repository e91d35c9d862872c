package attacktest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
)

// inboxOf is a browser, as far as cookies and forms go, in which the person is
// signed in.
type inboxOf struct {
	w      *world
	link   *url.URL
	cookie string
}

// signIn opens the inbox with sayso web.
func (w *world) signIn() *inboxOf {
	w.t.Helper()
	out, bad, code := w.sayso("web", "--no-open")
	link, err := url.Parse(out)
	if code != 0 || err != nil || link.Fragment == "" {
		w.t.Fatalf("sayso web: %d %s %s %v", code, out, bad, err)
	}
	b := &inboxOf{w: w, link: link}
	resp := b.do("POST", "/login", url.Values{"token": {link.Fragment}})
	resp.Body.Close()
	for _, c := range resp.Cookies() {
		if c.Name == "sayso" {
			b.cookie = c.Value
		}
	}
	if b.cookie == "" {
		w.t.Fatalf("signing in: %s", resp.Status)
	}
	return b
}

// do makes a request and follows no redirect.
func (b *inboxOf) do(method, path string, form url.Values) *http.Response {
	b.w.t.Helper()
	ctx, cancel := context.WithTimeout(b.w.t.Context(), patience)
	b.w.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, "http://"+net.JoinHostPort("127.0.0.1", b.link.Port())+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.w.t.Fatal(err)
	}
	r.Host = b.link.Host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "sayso", Value: b.cookie})
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

func (b *inboxOf) page(path string) (int, string) {
	b.w.t.Helper()
	resp := b.do("GET", path, nil)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// id is the session's own.
func (b *inboxOf) id() string {
	b.w.t.Helper()
	_, body := b.page("/sessions")
	_, own, _ := strings.Cut(body, "this device")
	m := regexp.MustCompile(`name="end" value="([a-z2-7]+)"`).FindStringSubmatch(own)
	if m == nil {
		b.w.t.Fatalf("the page of sessions has none of this device: %s", body)
	}
	return m[1]
}

// stream follows the events of an open page. It gives the last of them and when the
// stream ended.
func (b *inboxOf) stream() <-chan streamEnd {
	b.w.t.Helper()
	resp := b.do("GET", "/events?view=waiting", nil)
	if resp.StatusCode != http.StatusOK {
		b.w.t.Fatalf("the stream: %s", resp.Status)
	}
	done := make(chan streamEnd, 1)
	go func() {
		defer resp.Body.Close()
		var end streamEnd
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			if name, ok := strings.CutPrefix(s.Text(), "event: "); ok {
				end.event = name
			}
		}
		end.at = time.Now()
		done <- end
	}()
	return done
}

type streamEnd struct {
	event string
	at    time.Time
}

// TestS37: a session that is ended, by whatever way, is over: the cookie that a thief
// kept opens nothing, and a page that is open learns nothing more.
func TestS37(t *testing.T) {
	w := newWorld(t)
	stranger := w.key("answerer", "mallory")
	w.serve()
	ways := []struct {
		name string
		end  func(b *inboxOf)
	}{
		{"signing out", func(b *inboxOf) { b.do("POST", "/logout", nil).Body.Close() }},
		{"sayso sessions end", func(b *inboxOf) { w.ended("sessions", "end", b.id()) }},
		{"sayso sessions end --all", func(b *inboxOf) { w.ended("sessions", "end", "--all") }},
		{"another session", func(b *inboxOf) {
			w.signIn().do("POST", "/sessions", url.Values{"end": {b.id()}}).Body.Close()
		}},
		{"all others, from another session", func(b *inboxOf) {
			w.signIn().do("POST", "/sessions", url.Values{"end": {"all others"}}).Body.Close()
		}},
	}
	var slowest time.Duration
	for _, way := range ways {
		b := w.signIn()
		open := b.stream()
		way.end(b)
		over := time.Now()
		for _, path := range []string{"/", "/sessions", "/stats"} {
			if code, _ := b.page(path); code != http.StatusSeeOther {
				t.Fatalf("%s: the old cookie still opens %s: %d", way.name, path, code)
			}
		}
		select {
		case end := <-open:
			slowest = max(slowest, end.at.Sub(over))
			if end.event != "sayso:signedout" {
				t.Errorf("%s: the open page is not told: its last event is %q", way.name, end.event)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the stream of the ended session goes on", way.name)
		}
	}
	t.Logf("streams of ended sessions end within %v", slowest)
	if slowest > time.Second {
		t.Errorf("a stream went on for %v", slowest)
	}

	b := w.signIn()
	id := b.id()
	if r := w.do("POST", "/v1/sessions/"+id+"/end", stranger, nil); r.status != http.StatusNotFound {
		t.Errorf("somebody else may end a session: %d", r.status)
	}
	if r := w.do("GET", "/v1/sessions", stranger, nil); strings.Contains(string(r.body), id) {
		t.Errorf("somebody else sees the session: %s", r.body)
	}
	if code, _ := b.page("/"); code != http.StatusOK {
		t.Errorf("somebody else has ended the session: %d", code)
	}

	forged := *b
	at := strings.LastIndexByte(b.cookie, '.') + 1
	forged.cookie = b.cookie[:at] + strings.Repeat("A", len(b.cookie)-at)
	if code, _ := forged.page("/"); code != http.StatusSeeOther {
		t.Errorf("a cookie with a guessed secret is accepted: %d", code)
	}
	list, _, _ := w.sayso("sessions", "--json")
	if strings.Contains(list, b.cookie[at:]) || !strings.Contains(list, id) {
		t.Errorf("the list tells the cookie, or not the session: %s", list)
	}

	w.stop()
	w.serve()
	again := w.signIn()
	again.cookie = b.cookie
	if code, _ := again.page("/"); code != http.StatusSeeOther {
		t.Errorf("a session of a hub that has ended is accepted: %d", code)
	}
}

// ended runs a command that ends one session at least.
func (w *world) ended(args ...string) {
	w.t.Helper()
	out, bad, code := w.sayso(append(args, "--json")...)
	var got struct{ Ended int }
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || got.Ended == 0 {
		w.t.Fatalf("sayso %s: %d %s %s", strings.Join(args, " "), code, out, bad)
	}
}

// s37 are the guards of TestS37, each turned off.
var s37 = []mutanttest.Mutant{
	{
		Name: "signing out only drops the cookie", Test: "TestS37", Says: `signing out: the old cookie still opens`,
		Edits: []mutanttest.Edit{{
			File: "app/surface/web/login.go",
			Old:  "	if err := s.end(r, who, who.Session); err != nil {",
			New:  "	if MUTANT {\n	} else if err := s.end(r, who, who.Session); err != nil {",
		}},
	},
	{
		Name: "an ended session is taken", Test: "TestS37", Says: `the old cookie still opens`,
		Edits: []mutanttest.Edit{{File: "app/auth/sessions.go", Old: "	case r.Closed:", New: "	case r.Closed && !MUTANT:"}},
	},
	{
		Name: "streams outlive their session", Test: "TestS37", Says: `the stream of the ended session goes on`,
		Edits: []mutanttest.Edit{{
			File: "app/surface/web/live.go",
			Old:  "	ctx, cancel := who.Bind(r.Context())",
			New:  "	bind := who.Bind\n	if MUTANT {\n		bind = context.WithCancel\n	}\n	ctx, cancel := bind(r.Context())",
		}},
	},
	{
		Name: "any secret is taken", Test: "TestS37", Says: `a cookie with a guessed secret is accepted`,
		Edits: []mutanttest.Edit{{
			File: "app/auth/sessioncookie.go",
			Old:  "		if subtle.ConstantTimeCompare(sum[:], own[:]) != 1 {",
			New:  "		if !MUTANT && subtle.ConstantTimeCompare(sum[:], own[:]) != 1 {",
		}},
	},
	{
		Name: "a session outlives its process", Test: "TestS37", Says: `a session of a hub that has ended is accepted`,
		Edits: []mutanttest.Edit{{File: "app/auth/sessions.go", Old: "	case n.Run != s.opts.Run:", New: "	case n.Run != s.opts.Run && !MUTANT:"}},
	},
	{
		Name: "a key ends the sessions of others", Test: "TestS37", Says: `somebody else may end a session`,
		Edits: []mutanttest.Edit{{
			File: "app/httpapi/sessions.go",
			Old:  "		err = s.opts.Sessions.End(",
			New:  "		if MUTANT {\n			c.who = &auth.Principal{Tenant: c.who.Tenant}\n		}\n		err = s.opts.Sessions.End(",
		}},
	},
	{
		Name: "an expired session is taken", In: "app/surface/web", Test: "TestForgedCookies", Says: `is accepted`,
		Edits: []mutanttest.Edit{{File: "app/auth/sessions.go", Old: "	case !now.Before(n.Until):", New: "	case !now.Before(n.Until) && !MUTANT:"}},
	},
	{
		Name: "an end elsewhere is not heard of", In: "app/auth", Test: "TestSessionEnds", Says: `elsewhere <nil>`,
		Edits: []mutanttest.Edit{{File: "app/auth/sessionlife.go", Old: "			case r.Closed:", New: "			case r.Closed && !MUTANT:"}},
	},
	{
		Name: "a missed end is not found", In: "app/auth", Test: "TestSessionMissedEnd", Says: `it goes on`,
		Edits: []mutanttest.Edit{{File: "app/auth/sessionlife.go", Old: "		all := now.Sub(read) >= s.opts.Reread", New: "		all := now.Sub(read) >= s.opts.Reread && !MUTANT"}},
	},
	{
		Name: "signing in leads to other sites", In: "app/surface/web", Test: "TestDeepLink", Says: `"//evil.test/" leads to`,
		Edits: []mutanttest.Edit{{
			File: "app/surface/web/session.go",
			Old:  `!strings.HasPrefix(to, "/") || strings.Contains(to, "//")`,
			New:  `!strings.HasPrefix(to, "/") || !MUTANT && strings.Contains(to, "//")`,
		}},
	},
	{
		Name: "streams are not counted", In: "app/surface/web", Test: "TestStreamLimits", Says: `session: 200`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/streams.go", Old: "	case s.by[session] >= s.most.Session,", New: "	case MUTANT:\n	case s.by[session] >= s.most.Session,"}},
	},
}

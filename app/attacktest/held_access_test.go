package attacktest

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// foreign are the headers of requests that a web page made a browser send, and the
// status of their refusal.
func foreign(own string) []struct {
	status int
	header []string
} {
	return []struct {
		status int
		header []string
	}{
		{421, []string{"Host", "evil.test"}},
		{421, []string{"Host", "127.0.0.1.nip.io"}},
		{421, []string{"Host", "0.0.0.0"}},
		{403, []string{"Origin", "http://evil.test"}},
		{403, []string{"Origin", "null"}},
		{403, []string{"Origin", "http://127.0.0.1:9"}},
		{403, []string{"Origin", own + ", http://evil.test"}},
		{403, []string{"Sec-Fetch-Site", "cross-site"}},
		{403, []string{"Sec-Fetch-Site", "same-site"}},
	}
}

// foreignPages calls every door of the API as a foreign page or for a foreign name.
func foreignPages(w *world) {
	alice, bob := w.keys["alice"], w.keys["bob"]
	doors := []struct {
		method, path, key string
		body              any
	}{
		{"GET", "/v1/asks", bob, nil},
		{"POST", "/v1/asks", alice, yesNo("Foreign?")},
		{"POST", "/mcp", alice, message{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}},
		{"POST", "/v1/hooks/claude/PreToolUse", alice, message{"hook_event_name": "PreToolUse", "session_id": "s"}},
	}
	for _, d := range doors {
		if r := w.do(d.method, d.path, d.key, d.body, "Origin", w.url, "Sec-Fetch-Site", "same-origin"); r.status == 403 || r.status == 421 {
			w.t.Errorf("%s %s by a page of its own: %d", d.method, d.path, r.status)
		}
		for _, f := range foreign(w.url) {
			r := w.do(d.method, d.path, d.key, d.body, f.header...)
			if r.status != f.status || r.header.Get("Access-Control-Allow-Origin") != "" {
				w.t.Errorf("%s %s with %s: %d, want %d", d.method, d.path, f.header, r.status, f.status)
			}
		}
	}
}

// foreignWebPages answers in the web inbox as a foreign page, with the person's
// cookie.
func foreignWebPages(w *world) {
	a := w.asked(w.keys["alice"], "Cross-site?")
	b := w.browser()
	page, send := "/ask/"+a.text("id"), url.Values{"digest": {a.text("digest")}, "q0": {"option:y"}, "do": {"send"}}
	for _, f := range foreign(b.base.String()) {
		if f.header[0] == "Sec-Fetch-Site" { // such a browser says both
			f.header = append(f.header, "Origin", "http://evil.test")
		} else if f.header[0] == "Origin" {
			f.header = append(f.header, "Sec-Fetch-Site", "")
		}
		if r := b.do("POST", page, send, f.header...); r.status != f.status {
			w.t.Errorf("POST with %s: %d, want %d", f.header, r.status, f.status)
		}
		r := b.do("GET", page, nil, append(f.header, "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty")...)
		if f.header[0] != "Origin" && r.status != f.status || r.header.Get("Access-Control-Allow-Origin") != "" {
			w.t.Errorf("GET with %s: %d, want %d", f.header, r.status, f.status)
		}
	}
	if r := b.do("GET", page, nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"); r.status != 403 {
		w.t.Errorf("in a frame of another site: %d", r.status)
	}
	if r := b.get(page); r.header.Get("X-Frame-Options") == "" && !strings.Contains(r.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		w.t.Errorf("the page can be framed: %v", r.header)
	}
	if got := w.do("GET", "/v1/asks/"+a.text("id"), w.keys["alice"], nil).text("status"); got != "pending" {
		w.t.Errorf("a foreign page answered: the ask is %s", got)
	}
}

// touch does everything to an ask that somebody could, and returns the statuses.
func (w *world) touch(a *reply, key string) []int {
	at := "/v1/asks/" + a.text("id")
	return []int{
		w.do("GET", at, key, nil).status,
		w.do("PUT", at+"/answer", key, yes(a.text("digest"))).status,
		w.do("POST", at+"/decline", key, message{"digest": a.text("digest")}).status,
		w.do("POST", at+"/relay", key, yes(a.text("digest"))).status,
		w.do("POST", at+"/withdraw", key, message{}).status,
		w.do("POST", at+"/consumed", key, nil).status,
		w.do("POST", at+"/undo", key, message{}).status,
		w.do("PUT", at+"/draft", key, message{"reply": "x"}).status,
	}
}

// otherRoles touches an ask with keys that may not.
func otherRoles(w *world) {
	const text = "Only alice and bob?"
	a := w.asked(w.keys["alice"], text)
	for who, want := range map[string][]int{
		"":        {401, 401, 401, 401, 401, 401, 401, 401},
		"nobody":  {401, 401, 401, 401, 401, 401, 401, 401},
		"mallory": {404, 403, 403, 404, 404, 404, 403, 403},
		"olga":    {200, 403, 403, 403, 403, 403, 403, 403},
		"adam":    {403, 403, 403, 403, 403, 403, 403, 403},
	} {
		key := w.keys[who]
		if who == "nobody" {
			key = "sayso_answerer_aaaaaaaa_" + strings.Repeat("a", 52)
		}
		if got := w.touch(a, key); !slices.Equal(got, want) {
			w.t.Errorf("%q: %v, want %v", who, got, want)
		}
		if who != "" && who != "nobody" && strings.Contains(string(w.do("GET", "/v1/asks", key, nil).body), text) {
			w.t.Errorf("%q reads the question in the list", who)
		}
	}
	if got := w.do("GET", "/metrics", w.keys["mallory"], nil).status; got != 403 {
		w.t.Errorf("an asker reads the metrics: %d", got)
	}
	if got := w.do("GET", "/v1/asks/"+a.text("id"), w.keys["alice"], nil).text("status"); got != "pending" {
		w.t.Errorf("the ask is %s", got)
	}
}

// otherTenants touches an ask of another tenant, and asks by names that are made up.
func otherTenants(w *world) {
	a := w.asked(w.keys["alice"], "Within the tenant?")
	for _, role := range []string{"asker", "answerer", "observer"} {
		key, bad, code := w.sayso("keys", "create", "--role", role, "--for", "alice", "--tenant", "other")
		if code != 0 {
			w.t.Fatal(bad)
		}
		eventually(w.t, "the hub knows the key", func() bool { return w.do("GET", "/v1/asks", key, nil).status == 200 })
		for _, status := range w.touch(a, key) {
			if status != 404 && status != 403 {
				w.t.Errorf("an %s of another tenant: %d, want 404 or 403", role, status)
			}
		}
	}
	id := a.text("id")
	flipped := []byte(id)
	flipped[len(id)/2] ^= 1
	for _, made := range []string{string(flipped), askID(a.json), id + "A", id[:len(id)-4]} {
		if r := w.do("GET", "/v1/asks/"+url.PathEscape(made), w.keys["alice"], nil); r.status != 404 {
			w.t.Errorf("the handle %q: %d, want 404", made, r.status)
		}
	}
}

// foreignSession uses a session of MCP that another asker began.
func foreignSession(w *world) {
	const both = "application/json, text/event-stream"
	hello := message{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": message{
		"protocolVersion": "2025-06-18", "capabilities": message{}, "clientInfo": message{"name": "x", "version": "1"},
	}}
	session := w.do("POST", "/mcp", w.keys["alice"], hello, "Accept", both).header.Get("Mcp-Session-Id")
	if session == "" {
		w.t.Fatal("there is no session to take")
	}
	list := message{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
	for who, want := range map[string]int{"alice": 200, "mallory": 403, "": 401} {
		if r := w.do("POST", "/mcp", w.keys[who], list, "Accept", both, "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-06-18"); r.status != want {
			w.t.Errorf("%q in alice's session: %d, want %d", who, r.status, want)
		}
	}
}

// loginTwice opens a login address that was used, and forges cookies.
func loginTwice(w *world) {
	link := w.link()
	first, second := w.stranger(link), w.stranger(link)
	if r := first.do("GET", "/login?token="+link.Fragment, nil); r.status != 200 || len(first.cookies) > 0 {
		w.t.Errorf("opening the page signs in: %d", r.status)
	}
	if r := first.login(link); r.status != 303 {
		w.t.Fatalf("the first use: %d", r.status)
	}
	if r := second.login(link); r.status != 410 || second.get("/").status != 303 {
		w.t.Errorf("the second use: %d, want 410 and no session", r.status)
	}
	for name, value := range first.cookies {
		forged := []byte(value)
		forged[len(forged)/2] ^= 1
		second.cookies[name] = string(forged)
	}
	if r := second.get("/"); r.status != 303 {
		w.t.Errorf("a forged cookie: %d", r.status)
	}
}

// wrongDigest answers something else than what was shown.
func wrongDigest(w *world) {
	a, other := w.asked(w.keys["alice"], "Delete the copy?"), w.asked(w.keys["alice"], "Delete everything?")
	for digest, want := range map[string]int{"": 409, strings.Repeat("0", 64): 409, other.text("digest"): 409, a.text("digest"): 200} {
		if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", w.keys["bob"], yes(digest)); r.status != want && !(want == 409 && r.status == 422) {
			w.t.Errorf("answering with the digest %.8q: %d, want %d", digest, r.status, want)
		}
	}
}

// undoAgainstConsume takes answers back while the agent takes them.
func undoAgainstConsume(w *world) {
	asker, answerer := w.keys["racer"], w.keys["judge"]
	undone, consumed := 0, 0
	for range 60 {
		a := w.asked(asker, "Race?")
		at := "/v1/asks/" + a.text("id")
		if r := w.do("PUT", at+"/answer", answerer, yes(a.text("digest"))); r.status != 200 {
			w.t.Fatalf("answering: %d %s", r.status, r.body)
		}
		var took, back, theirs *reply
		var all sync.WaitGroup
		all.Go(func() { took = w.do("POST", at+"/consumed", asker, nil) })
		all.Go(func() { back = w.do("POST", at+"/undo", answerer, message{}) })
		all.Go(func() { theirs = w.do("POST", at+"/undo", w.keys["eve"], message{}) })
		all.Wait()
		switch {
		case took.status == 200 && back.status == 200:
			w.t.Fatal("an answer that the agent has was taken back")
		case theirs.status == 200:
			w.t.Fatal("somebody took another's answer back")
		case took.status == 200:
			consumed++
		case back.status == 200:
			undone++
		}
		w.do("POST", at+"/withdraw", asker, message{})
	}
	w.t.Logf("60 rounds: %d consumed, %d undone", consumed, undone)
	if consumed+undone != 60 {
		w.t.Errorf("in %d rounds neither happened", 60-consumed-undone)
	}
}

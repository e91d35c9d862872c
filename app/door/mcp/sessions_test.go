package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// lobby is a door over HTTP where older clients begin sessions.
type lobby struct {
	t       *testing.T
	door    *Door
	handler http.Handler
	keys    *auth.Keys
	clock   atomic.Int64 // nanoseconds
}

func newLobby(t *testing.T, each, all int) *lobby {
	l := &lobby{t: t, door: New(&Options{})}
	t.Cleanup(l.door.Close)
	l.door.now = func() time.Time { return time.Unix(0, l.clock.Load()) }
	var err error
	if l.keys, err = auth.OpenKeys(t.Context(), hub.NewMemory(nil), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.keys.Close)
	l.handler = l.door.Handler(&HTTPOptions{
		Auth: l.keys, Hub: func(*http.Request) (hub.Asker, error) { return nil, nil }, Sessions: each, AllSessions: all,
	})
	return l
}

func (l *lobby) key(subject string) (secret, id string) {
	secret, key, err := l.keys.Create(l.t.Context(), auth.KeySpec{Role: auth.Asker, Tenant: "t", Subject: subject})
	if err != nil {
		l.t.Fatal(err)
	}
	return secret, key.ID
}

// send makes a request of a session, or one that begins one.
func (l *lobby) send(method, key, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set(sessionHeader, session)
	}
	rec := httptest.NewRecorder()
	l.handler.ServeHTTP(rec, r)
	return rec
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func (l *lobby) begin(key string) *httptest.ResponseRecorder {
	return l.send("POST", key, "", initialize)
}

func (l *lobby) live() int { return len(slices.Collect(l.door.server.Sessions())) }

func TestSessionsAreCounted(t *testing.T) {
	l := newLobby(t, 3, 5)
	bot, botID := l.key("bot")
	other, _ := l.key("other")
	var ids []string
	for range 3 {
		rec := l.begin(bot)
		if rec.Code != http.StatusOK {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		ids = append(ids, rec.Header().Get(sessionHeader))
	}
	refused := func(rec *httptest.ResponseRecorder, want api.Quota) {
		t.Helper()
		var p api.Problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || rec.Code != 429 || p.Quota == nil || *p.Quota != want || rec.Header().Get("Retry-After") == "" {
			t.Errorf("%d %s, want %+v", rec.Code, rec.Body, want)
		}
	}
	refused(l.begin(bot), api.Quota{Name: "mcp-sessions", Limit: 3, Used: 3, Unit: "at a time", Retry: 301})
	if rec := l.send("POST", bot, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); rec.Code != 429 {
		t.Errorf("without initialize: %d", rec.Code)
	}
	// Another credential has its own, up to the bound of all.
	l.begin(other)
	l.begin(other)
	refused(l.begin(other), api.Quota{Name: "mcp-sessions-total", Limit: 5, Used: 5, Unit: "at a time", Retry: 301})

	// One that is deleted makes room, and so does one that nobody has used for long.
	if rec := l.send("DELETE", bot, ids[0], ""); rec.Code != http.StatusNoContent {
		t.Fatalf("deleting: %d", rec.Code)
	}
	if rec := l.begin(bot); rec.Code != http.StatusOK {
		t.Errorf("after one was deleted: %d", rec.Code)
	}
	l.clock.Add(int64(sessionSpare - time.Second))
	if rec := l.send("POST", bot, ids[1], `{"jsonrpc":"2.0","id":2,"method":"ping"}`); rec.Code != http.StatusOK {
		t.Errorf("a ping: %d", rec.Code)
	}
	l.clock.Add(int64(2 * time.Second))
	if rec := l.begin(bot); rec.Code != http.StatusOK {
		t.Errorf("after one was idle: %d", rec.Code)
	}
	if rec := l.send("POST", bot, ids[1], `{"jsonrpc":"2.0","id":3,"method":"ping"}`); rec.Code != http.StatusOK {
		t.Errorf("one that was used ended: %d", rec.Code)
	}
	for end := time.Now().Add(time.Minute); l.live() > 5; <-time.After(time.Millisecond) { // one that gave way ends a moment later
		if time.Now().After(end) {
			t.Fatalf("%d sessions live", l.live())
		}
	}

	// They end with the credential.
	if _, err := l.keys.Revoke(t.Context(), botID); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); l.live() > 2; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d sessions live after the key was revoked", l.live())
		}
	}
}

// TestSessionsElsewhere: sessions at other processes over the same hub count, too.
func TestSessionsElsewhere(t *testing.T) {
	l := newLobby(t, 3, 5)
	began := 0
	l.handler = l.door.Handler(&HTTPOptions{
		Auth: l.keys, Hub: func(*http.Request) (hub.Asker, error) { return nil, nil }, Sessions: 3, AllSessions: 5,
		Elsewhere: func(who *auth.Principal) int {
			if who.ID == "bot" {
				return 2
			}
			return 0
		},
		Began: func() { began++ },
	})
	bot, _ := l.key("bot")
	other, _ := l.key("other")
	for i, c := range []struct {
		key  string
		code int
	}{{bot, 200}, {bot, 429}, {other, 200}, {other, 200}} {
		if rec := l.begin(c.key); rec.Code != c.code {
			t.Errorf("session %d: %d %s, want %d", i, rec.Code, rec.Body, c.code)
		}
	}
	if n := l.door.Sessions(); len(n) != 2 || n["t\x00bot\x00asker"] != 1 || n["t\x00other\x00asker"] != 2 || began != 3 {
		t.Errorf("%v are counted, and %d began", n, began)
	}
}

// TestSessionsBeforeHandler counts the sessions of a door that nobody is served at yet.
func TestSessionsBeforeHandler(t *testing.T) {
	d := New(&Options{Key: make([]byte, 32)})
	defer d.Close()
	if n := len(d.Sessions()); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

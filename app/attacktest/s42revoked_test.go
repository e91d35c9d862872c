package attacktest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// s42Revoked: a key that is revoked, or that expires, ends everything that was
// begun with it: streams, waits, sessions, calls and hooks.
func s42Revoked(t *testing.T) {
	w := newWorld(t)
	revoked, id := s42Key(w, "revoked", "1h")
	const life = 8 * time.Second // time to begin everything, also on a slow machine
	expired, _ := s42Key(w, "expired", life.String())
	expires := time.Now().Add(life)
	w.serve()
	begun := map[string][]s42Open{}
	for name, key := range map[string]string{"revoked": revoked, "expired": expired} {
		begun[name] = s42Begin(t, w, name, key)
	}
	for _, o := range begun["revoked"] {
		select {
		case <-o.ended:
			t.Errorf("%s has ended although the key holds", o.what)
		default:
		}
	}
	if _, bad, code := w.sayso("keys", "revoke", id); code != 0 {
		t.Fatal(bad)
	}
	s42Ends(t, "revoked", time.Now(), begun["revoked"])
	s42Ends(t, "expired", expires, begun["expired"])
	for _, key := range []string{revoked, expired} {
		if r := w.do("GET", "/v1/asks", key, nil); r.status != http.StatusUnauthorized {
			t.Errorf("the key still reads: %d", r.status)
		}
	}
}

// s42Open is something that lasts.
type s42Open struct {
	what  string
	ended chan time.Time
}

// s42Ends wants all of it to end soon.
func s42Ends(t *testing.T, why string, from time.Time, all []s42Open) {
	t.Helper()
	var last time.Time
	limit := time.After(time.Until(from) + 10*time.Second)
	for _, o := range all {
		select {
		case at := <-o.ended:
			if at.After(last) {
				last = at
			}
		case <-limit:
			t.Errorf("the key is %s, and %s goes on", why, o.what)
			limit = time.After(time.Millisecond)
		}
	}
	t.Logf("%s: the last of %d ended after %v", why, len(all), last.Sub(from).Round(time.Millisecond))
}

func s42Key(w *world, who, ttl string) (key, id string) {
	w.t.Helper()
	out, bad, code := w.sayso("keys", "create", "--role", "asker", "--for", who, "--ttl", ttl)
	if code != 0 {
		w.t.Fatal(bad)
	}
	return out, strings.Split(out, "_")[2]
}

// s42Begin begins everything that a key can begin and that lasts.
func s42Begin(t *testing.T, w *world, who, key string) (all []s42Open) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	last := func(what string, do func()) {
		o := s42Open{what, make(chan time.Time, 1)}
		all = append(all, o)
		go func() {
			do()
			o.ended <- time.Now()
		}()
	}
	// request makes a request that lasts, and returns when its head has come or,
	// where the head is late, when the hub has the question.
	request := func(what, method, path, body string, header ...string) {
		req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		head := make(chan bool, 1)
		last(what, func() {
			resp, err := http.DefaultClient.Do(req)
			head <- true
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
		if method == "GET" && !strings.Contains(path, "wait=") {
			<-head
		}
	}
	asked := w.asked(key, "Deploy?", "id", "a")
	request("an event stream", "GET", "/v1/events", "")
	request("a stream of a conversation", "GET", "/v1/events?conversation=c", "")
	request("a wait", "GET", "/v1/asks/"+asked.text("id")+"?wait=1h", "")
	arguments := func(n string) string {
		return `{"questions":[{"question":"` + n + `?","header":"H","multiSelect":false,"options":[{"label":"Yes","description":"a"},{"label":"No","description":"b"}]}]}`
	}
	request("a call", "POST", "/v1/dialects/claude/call?wait=1h", `{"id":"t1","arguments":`+arguments("One")+`}`)
	request("a hook", "POST", "/v1/hooks/claude/PreToolUse",
		`{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"t2","tool_input":`+arguments("Two")+`}`,
		"X-Claude-Entrypoint", "sdk-cli")
	for i, version := range []string{"2025-06-18", "2026-07-28"} {
		session := s42MCP(t, w, key, version)
		last("an MCP call of "+version, func() {
			session.CallTool(ctx, &sdk.CallToolParams{Name: "ask_user", Arguments: map[string]any{
				"questions": []any{map[string]any{"question": fmt.Sprint("Call ", i, "?"), "options": []any{"Yes", "No"}}},
			}})
		})
		if id := session.ID(); id != "" {
			request("the stream of an MCP session", "GET", "/mcp", "", "Mcp-Session-Id", id, "MCP-Protocol-Version", version)
		}
	}
	bob := w.key("answerer", "bob")
	eventually(t, "everything is asked by "+who, func() bool {
		r := w.do("GET", "/v1/asks", bob, nil)
		return strings.Count(string(r.body), `"asker":"`+who+`"`) == 5
	})
	return all
}

// s42MCP is a client of /mcp.
func s42MCP(t *testing.T, w *world, key, version string) *sdk.ClientSession {
	c := sdk.NewClient(&sdk.Implementation{Name: "attack", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := c.Connect(context.Background(), &sdk.StreamableClientTransport{
		Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearing(key)}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// bearing shows a key with every request.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

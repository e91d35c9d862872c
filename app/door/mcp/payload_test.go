package mcp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// site is a door over HTTP.
type site struct {
	*world
	server  *httptest.Server
	serving atomic.Int32 // requests
	token   string       // of the person at the machine
	other   string       // of somebody else
	asker   string       // of an agent that may only ask
}

func newSite(t testing.TB, opts *mcp.Options) *site {
	t.Helper()
	s := &site{world: newWorld(t)}
	var boot, stranger, agent *auth.Boot
	boot, s.token = auth.NewBoot(auth.Principal{Tenant: "t", Role: auth.Everything})
	stranger, s.other = auth.NewBoot(auth.Principal{Tenant: "other", Role: auth.Everything})
	agent, s.asker = auth.NewBoot(auth.Principal{Tenant: "t", ID: "bot", Role: auth.Asker})
	s.boot = anyOf{boot, stranger, agent}
	s.stop()
	s.start()
	var err error
	if s.client, err = client.New("http://localhost", &client.Options{Key: s.token, Surface: "mcp", Transport: s.net}); err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &mcp.Options{Hold: time.Minute}
	}
	door := mcp.New(opts)
	t.Cleanup(door.Close)
	handler := door.Handler(&mcp.HTTPOptions{
		Auth: s.boot,
		Hub: func(r *http.Request) (hub.Asker, error) {
			key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			return client.New("http://localhost", &client.Options{Key: key, Surface: "mcp", Transport: s.net})
		},
	})
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serving.Add(1)
		defer s.serving.Add(-1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	t.Cleanup(s.server.CloseClientConnections)
	return s
}

// anyOf takes the tokens of all.
type anyOf []*auth.Boot

func (all anyOf) Authenticate(r *http.Request) (who *auth.Principal, err error) {
	for _, b := range all {
		if who, err = b.Authenticate(r); err == nil {
			break
		}
	}
	return who, err
}

func (s *site) request(ctx context.Context, body string, header ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else if header[i+1] == "" {
			r.Header.Del(header[i])
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

// tickets returns how many asks the hub has of anybody.
func (w *world) tickets() int {
	w.t.Helper()
	page, err := w.client.List(context.Background(), &hub.Filter{Status: hub.AnyStatus})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(page.Tickets)
}

const (
	meta2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	good     = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_async","arguments":` + database + `,` + meta2026 + `}}`
)

func headers2026(tool string) []string {
	return []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

// payloads are requests that made, or make, an MCP server run a tool that it
// should not: S17, S18, S29. %s is what the good request asks.
var payloads = []struct {
	name, body string
	header     []string
}{
	{"a page of another site", good, []string{"Origin", "https://evil.example"}},
	{"a browser that says so", good, []string{"Sec-Fetch-Site", "cross-site"}},
	{"another name for this address", good, []string{"Host", "evil.example"}},
	{"a form's text", good, []string{"Content-Type", "text/plain"}},
	{"the method twice", strings.Replace(good, `"method":`, `"method":"ping","method":`, 1), nil},
	{"an argument twice", strings.Replace(good, `{"questions":`, `{"questions":[],"questions":`, 1), nil},
	{"the method in capitals", strings.Replace(good, `"method":`, `"METHOD":`, 1), nil},
	{"a long s", strings.Replace(good, `"params":`, `"paramſ":`, 1), nil},
	{"a NUL behind a name", strings.Replace(good, `"method":`, `"method\u0000":`, 1), nil},
	{"invalid UTF-8", strings.Replace(good, "Which", "Wh\xffich", 1), nil},
	{"half a surrogate pair", strings.Replace(good, "Which", `Wh\ud800ich`, 1), nil},
	{"far too deep", strings.Replace(good, `{"questions":`, `{"deep":`+strings.Repeat("[", 1001)+strings.Repeat("]", 1001)+`,"questions":`, 1), nil},
	{"far too large", strings.Replace(good, `{"questions":`, `{"large":"`+strings.Repeat("x", 5<<20)+`","questions":`, 1), nil},
	// Beyond the thirteen.
	{"a byte order mark", "\ufeff" + good, nil},
	{"a second request behind", good + good, nil},
	{"a NUL in the text", strings.Replace(good, "Which", `Wh\u0000ich`, 1), nil},
	{"the name of a method and its fold", strings.Replace(good, `"method":`, `"Method":"ping","method":`, 1), nil},
	{"no credential", good, []string{"Authorization", ""}},
	{"a wrong credential", good, []string{"Authorization", "Bearer sayso_boot_x"}},
	{"an origin that is none", good, []string{"Origin", "null"}},
}

// TestPayloads: none of them falls through to a tool, over HTTP in either era or
// on the standard streams; the good request does.
func TestPayloads(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	session := s.session(s.token)
	older := []string{"Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"}
	post := func(body string, header ...string) (int, string) {
		if header[0] == "Mcp-Session-Id" {
			body = strings.ReplaceAll(body, ","+meta2026, "")
		}
		resp, err := http.DefaultClient.Do(s.request(t.Context(), body, header...))
		if err != nil {
			return 0, err.Error() // it hung up on a body that is too large
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		return resp.StatusCode, string(text)
	}
	for _, p := range payloads {
		for era, header := range map[string][]string{"2026-07-28": headers2026("ask_user_async"), "2025-11-25": older} {
			status, text := post(p.body, append(header, p.header...)...)
			if status/100 == 2 && !strings.Contains(text, `"error"`) || s.tickets() > 0 {
				t.Errorf("%s, %s falls through: %d %s", p.name, era, status, text)
			}
		}
	}
	for _, header := range [][]string{headers2026("ask_user_async"), older} {
		before := s.tickets()
		if status, text := post(good, header...); status != 200 || s.tickets() != before+1 {
			t.Errorf("the good request: %d %s", status, text)
		}
	}

	a := s.connect(nil)
	for _, p := range payloads {
		if p.header != nil || strings.Contains(p.name, "behind") {
			continue
		}
		a.send(p.body)
		if m := a.receive(); m.Error == nil {
			t.Errorf("%s falls through on the standard streams: %s", p.name, m.line)
		}
	}
	if n := s.tickets(); n != 2 {
		t.Errorf("%d asks", n)
	}
	a.send(good)
	if m := a.receive(); m.Error != nil || s.tickets() != 3 {
		t.Errorf("the good request on the standard streams: %s", m.line)
	}
}

// session begins a session of an older client.
func (s *site) session(token string) string {
	s.t.Helper()
	body := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`
	resp, err := http.DefaultClient.Do(s.request(s.t.Context(), body, "Authorization", "Bearer "+token))
	if err != nil {
		s.t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		s.t.Fatalf("no session: %s", resp.Status)
	}
	resp, err = http.DefaultClient.Do(s.request(s.t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Authorization", "Bearer "+token, "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25"))
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	return id
}

// TestSessionTheft: nobody uses a session, or a handle, that another began.
func TestSessionTheft(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	id := s.session(s.token)
	resp, err := http.DefaultClient.Do(s.request(t.Context(), good, "Authorization", "Bearer "+s.other, "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden || s.tickets() != 0 {
		t.Errorf("a stranger uses the session: %s", resp.Status)
	}
}

package attacktest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
)

// mark is what the attacker writes everywhere, and must be nowhere in the log.
const mark = "c4narybird"

// TestS41 has an attacker be refused in every way there is, and wants each to leave
// a line that names nothing but ids.
func TestS41(t *testing.T) {
	w := newWorld(t)
	agent, bob := w.key("asker", "agent"), w.key("answerer", "bob")
	gone := w.key("asker", "gone-"+mark)
	if _, bad, code := w.sayso("keys", "revoke", keyID(gone)); code != 0 {
		t.Fatal(bad)
	}
	w.serve("--web", "127.0.0.1:0", "--quota", "open=1,mcp-sessions=1")
	about := func(what string, more ...string) {
		t.Helper()
		w.noted(what, more...)
	}
	about("key-created", "key", keyID(agent), "role", "asker", "tenant", "local")
	about("key-revoked", "key", keyID(gone))

	ask := w.asked(agent, mark+"?").text("id")
	api := func(status int, method, path, key string, header ...string) {
		t.Helper()
		var body any
		if method != "GET" {
			body = yesNo(mark + "!")
		}
		if r := w.do(method, path, key, body, append(header, "X-Thing", mark, "User-Agent", mark)...); r.status != status {
			t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
		}
	}
	api(401, "GET", "/v1/asks/"+mark+"?q="+mark, "")
	about("credential-rejected", "route", "GET /v1/asks/{id}", "reason", "none", "address", "127.0.0.1")
	api(401, "GET", "/"+mark, mark)
	about("credential-rejected", "reason", "unknown", "route", "")
	api(401, "GET", "/v1/asks", "sayso_asker_"+mark+"_"+mark)
	api(401, "GET", "/v1/asks", agent+mark)
	about("credential-rejected", "reason", "secret", "key", keyID(agent))
	api(401, "GET", "/v1/asks", gone)
	about("credential-rejected", "reason", "revoked", "key", keyID(gone), "role", "asker")
	api(421, "GET", "/v1/asks", agent, "Host", mark+".example")
	about("host-rejected", "route", "GET /v1/asks")
	api(403, "GET", "/v1/asks", agent, "Origin", "https://"+mark+".example")
	about("origin-rejected", "route", "GET /v1/asks")
	api(403, "PUT", "/v1/asks/"+ask+"/answer", agent)
	about("role-rejected", "route", "PUT /v1/asks/{id}/answer", "key", keyID(agent), "role", "asker", "reason", "not-allowed")
	api(429, "POST", "/v1/asks", agent)
	about("quota-reached", "key", keyID(agent), "reason", "open")

	api(401, "POST", "/mcp", agent+mark)
	about("credential-rejected", "route", "/mcp", "key", keyID(agent))
	api(421, "POST", "/mcp", agent, "Host", mark+".example")
	about("host-rejected", "route", "/mcp")
	api(403, "POST", "/mcp", agent, "Origin", "https://"+mark+".example")
	about("origin-rejected", "route", "/mcp")

	hello := message{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": message{
		"protocolVersion": "2025-06-18", "capabilities": message{}, "clientInfo": message{"name": mark, "version": "1"},
	}}
	for _, status := range []int{200, 429} {
		if r := w.do("POST", "/mcp", agent, hello, "Accept", "application/json, text/event-stream"); r.status != status {
			t.Fatalf("initialize: %d %s", r.status, r.body)
		}
	}
	about("quota-reached", "route", "/mcp", "reason", "mcp-sessions", "key", keyID(agent))

	link := w.link()
	b := w.stranger(link)
	page := func(status int, r *reply) {
		t.Helper()
		if r.status != status {
			t.Fatalf("the inbox: %d %s", r.status, r.body)
		}
	}
	page(403, b.do("POST", "/login", map[string][]string{"token": {mark}}))
	about("sign-in-rejected", "reason", "unknown", "route", "POST /login")
	page(303, b.login(link))
	about("signed-in", "tenant", "local", "address", "127.0.0.1")
	page(410, w.stranger(link).login(link))
	about("sign-in-rejected", "reason", "used")
	page(421, b.do("GET", "/ask/"+mark, nil, "Host", mark+".example"))
	about("host-rejected", "route", "")
	page(403, b.do("POST", "/logout", map[string][]string{}, "Origin", "https://"+mark+".example", "Sec-Fetch-Site", "cross-site"))
	about("origin-rejected", "route", "")
	forged := w.stranger(link)
	forged.cookies["sayso"] = mark
	forged.do("GET", "/ask/"+mark, nil)
	about("session-rejected", "reason", "malformed", "route", "GET /ask/{handle}")
	page(303, b.do("POST", "/logout", map[string][]string{}))
	about("signed-out", "tenant", "local")
	about("session-ended", "tenant", "local")

	w.refused(5_000, agent)
	if r := w.do("GET", "/v1/asks/"+ask, agent, nil); r.status != 200 {
		t.Errorf("an honest request: %d %s", r.status, r.body)
	}
	w.stop()
	about("credential-rejected", "reason", "more")
	log := w.securityLog()
	if n := bytes.Count(log, []byte("\n")); n > 100 {
		t.Errorf("the log has %d lines", n)
	}
	for what, secret := range map[string]string{
		"what the attacker wrote": mark, "a key": secretOf(agent), "another key": secretOf(bob), "an ask": ask,
		"the sign-in code": link.Fragment, "the name of the inbox": strings.Split(link.Host, ".")[0],
	} {
		if bytes.Contains(bytes.ToLower(log), []byte(strings.ToLower(secret))) {
			t.Errorf("the log has %s (%s):\n%s", what, secret, log)
		}
	}
	if info, err := os.Stat(w.securityFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v %v", info, err)
	}
}

func keyID(key string) string    { return strings.Split(key, "_")[2] }
func secretOf(key string) string { return strings.Split(key, "_")[3] }

func (w *world) securityFile() string {
	return filepath.Join(w.home, ".local", "state", "sayso", "security.log")
}

func (w *world) securityLog() []byte {
	w.t.Helper()
	log, err := os.ReadFile(w.securityFile())
	if err != nil {
		w.t.Fatal(err)
	}
	return log
}

// noted wants a line about an event with these fields, in pairs. The hub writes it
// soon.
func (w *world) noted(event string, fields ...string) {
	w.t.Helper()
	has := func() bool {
		for text := range bytes.Lines(w.securityLog()) {
			line := map[string]any{}
			if err := json.Unmarshal(text, &line); err != nil {
				w.t.Fatalf("%v: %s", err, text)
			}
			same := line["event"] == event
			for i := 0; i+1 < len(fields); i += 2 {
				value, _ := line[fields[i]].(string)
				same = same && value == fields[i+1]
			}
			if same {
				return true
			}
		}
		return false
	}
	for end := time.Now().Add(10 * time.Second); !has(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("the log has no line %s %v:\n%s", event, fields, w.securityLog())
		}
	}
}

// refused makes so many requests with a key that does not hold.
func (w *world) refused(n int, key string) {
	w.t.Helper()
	var work sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	for range 8 {
		work.Go(func() {
			for range n / 8 {
				r, _ := http.NewRequest("GET", w.url+"/v1/asks", nil)
				r.Header.Set("Authorization", "Bearer "+key+mark)
				resp, err := client.Do(r)
				if err != nil {
					w.t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	work.Wait()
}

// TestFigure_S41 has a hub refuse 100,000 requests, and looks at its log and at what
// an honest client notices.
func TestFigure_S41(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes a minute: run make figures ONLY=S41")
	}
	var took [2]time.Duration
	for i, setting := range []string{"off", ""} {
		w := newWorld(t)
		agent := w.key("asker", "agent")
		w.serve("--security-log=" + setting)
		stop := make(chan struct{})
		var work sync.WaitGroup
		var all []time.Duration
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				one, err := timed(http.DefaultClient, w.url+"/v1/asks?limit=1", agent)
				if err != nil {
					t.Error(err)
				}
				all = append(all, one)
			}
		})
		w.refused(100_000, agent)
		close(stop)
		work.Wait()
		slices.Sort(all)
		took[i] = all[len(all)*99/100]
		w.stop()
		if setting == "" {
			log := w.securityLog()
			t.Logf("FIGURE S41-lines %d lines", bytes.Count(log, []byte("\n")))
			t.Logf("FIGURE S41-bytes %d B", len(log))
		}
	}
	t.Logf("FIGURE S41-p99-off %.1f ms", ms(took[0]))
	t.Logf("FIGURE S41-p99-on %.1f ms", ms(took[1]))
}

// s41 are the guards of TestS41, each turned off.
var s41 = []mutanttest.Mutant{
	{
		Name: "the API notes no refusals", Test: "TestS41", Says: `no line credential-rejected`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/server.go", Old: "\tc.noted(p)\n", New: "\tif !MUTANT {\n\t\tc.noted(p)\n\t}\n"}},
	},
	{
		Name: "the MCP door notes no refusals", Test: "TestS41", Says: `no line credential-rejected \[route /mcp`,
		Edits: []mutanttest.Edit{{File: "app/door/mcp/guard.go", Old: "\to.Security.Note(e)\n", New: "\tif !MUTANT {\n\t\to.Security.Note(e)\n\t}\n"}},
	},
	{
		Name: "the MCP door notes no quotas", Test: "TestS41", Says: `no line quota-reached \[route /mcp`,
		Edits: []mutanttest.Edit{{File: "app/door/mcp/http.go", Old: "p *api.Problem) {\n\to.Security.Note(", New: "p *api.Problem) {\n\tif MUTANT {\n\t\to = &HTTPOptions{}\n\t}\n\to.Security.Note("}},
	},
	{
		Name: "the web inbox notes nothing", Test: "TestS41", Says: `no line sign-in-rejected`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/site.go", Old: "\ts.opts.Security.Note(e)\n", New: "\tif !MUTANT {\n\t\ts.opts.Security.Note(e)\n\t}\n"}},
	},
	{
		Name: "a cookie that does not hold is not noted", Test: "TestS41", Says: `no line session-rejected`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/session.go", Old: "\t\tif errors.Is(err, auth.ErrCredential) {\n", New: "\t\tif errors.Is(err, auth.ErrCredential) && !MUTANT {\n"}},
	},
	{
		Name: "the end of a session is not noted", Test: "TestS41", Says: `no line session-ended`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/security.go", Old: "if e.What == \"ended\" {", New: "if e.What == \"ended\" && !MUTANT {"}},
	},
	{
		Name: "keys are not noted", Test: "TestS41", Says: `no line key-created`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/keys.go", Old: "\tplaces, err := localhub.PlacesOf(p.Getenv)\n\tif err == nil {\n", New: "\tplaces, err := localhub.PlacesOf(p.Getenv)\n\tif err == nil && !MUTANT {\n"}},
	},
	{
		Name: "every refusal is a line", Test: "TestS41", Says: `the log has \d+ lines|no line credential-rejected \[reason more`,
		Edits: []mutanttest.Edit{{File: "app/securitylog/log.go", Old: "if t.written >= l.opts.PerMinute {", New: "if t.written >= l.opts.PerMinute && !MUTANT {"}},
	},
	{
		Name: "the id of a key that does not exist is noted", Test: "TestS41", Says: `the log has what the attacker wrote`,
		Edits: []mutanttest.Edit{{File: "app/auth/keys.go", Old: "\t\treturn nil, rec.rejected(same)\n", New: "\t\tif MUTANT && rec.key.ID == \"\" {\n\t\t\treturn nil, &RejectedError{Why: \"unknown\", Key: id}\n\t\t}\n\t\treturn nil, rec.rejected(same)\n"}},
	},
	{
		Name: "the path is noted", Test: "TestS41", Says: `no line sign-in-rejected`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/site.go", Old: "e.Route, e.Address = r.Pattern,", New: "e.Route, e.Address = map[bool]string{false: r.Pattern, true: r.URL.Path}[MUTANT],"}},
	},
	{
		Name: "what a client made up is noted", In: "../securitylog", Test: "TestLine", Says: `nothing that is made up`,
		Edits: []mutanttest.Edit{{File: "app/securitylog/event.go", Old: "\tif len(text) > most {\n\t\treturn false\n", New: "\tif len(text) > most || MUTANT {\n\t\treturn MUTANT\n"}},
	},
	{
		Name: "a request waits for the disk", In: "../securitylog", Test: "TestBlocked", Says: `a request waits for the disk`,
		Edits: []mutanttest.Edit{{File: "app/securitylog/log.go", Old: "\tselect {\n\tcase l.lines <- entry{e, l.opts.Now()}:\n", New: "\tif MUTANT {\n\t\tl.lines <- entry{e, l.opts.Now()}\n\t\treturn\n\t}\n\tselect {\n\tcase l.lines <- entry{e, l.opts.Now()}:\n"}},
	},
	{
		Name: "many addresses are many lines", In: "../securitylog", Test: "TestManySources", Says: `60000 lines`,
		Edits: []mutanttest.Edit{{File: "app/securitylog/log.go", Old: "if l.count[e.Name] >= maxSources {", New: "if l.count[e.Name] >= maxSources && !MUTANT {"}},
	},
	{
		Name: "lines that a full disk took are not counted", In: "../securitylog", Test: "TestFullDisk", Says: `TestFullDisk`,
		Edits: []mutanttest.Edit{{File: "app/securitylog/log.go", Old: "\t\t\tl.lost += max(e.Count, 1)\n", New: "\t\t\tif !MUTANT {\n\t\t\t\tl.lost += max(e.Count, 1)\n\t\t\t}\n"}},
	},
}

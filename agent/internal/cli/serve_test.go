package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent/internal/cli"
	"github.com/saysohq/sayso/app/modeltest"
)

// said is what a run has said so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// await waits until a pattern is said, and returns its first group.
func (s *said) await(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		if m := re.FindStringSubmatch(s.String()); m != nil {
			return m[len(m)-1]
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %q in %q", pattern, s.String())
		}
	}
}

// served is a server of conversations.
type served struct {
	t        *testing.T
	url, key string
	said     *said
	stop     func() int
}

func (h *home) serve(args ...string) *served {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	s := &served{t: h.t, said: &said{}}
	code := make(chan int, 1)
	w := &cli.World{In: strings.NewReader(""), Out: io.Discard, Err: s.said, Getenv: func(k string) string { return h.env[k] }, Dir: h.dir}
	go func() { code <- cli.Main(ctx, w, append([]string{"serve"}, args...)) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	h.t.Cleanup(func() { s.stop() })
	s.url = s.said.await(h.t, `serving conversations on (http://\S+)`)
	key, err := os.ReadFile(s.said.await(h.t, `the key is in (\S+)`))
	if err != nil {
		h.t.Fatal(err)
	}
	s.key = string(key)
	return s
}

// call makes a request and decodes the answer, if it has the status.
func (s *served) call(method, path, body string, status int, into any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != status {
		s.t.Fatalf("%s %s: %s, want %d: %s", method, path, resp.Status, status, b)
	}
	if into != nil {
		if err := json.Unmarshal(b, into); err != nil {
			s.t.Fatalf("%s: %v", b, err)
		}
	}
}

// event is one of a stream.
type event struct{ id, name, data string }

// events follows a conversation behind an event.
func (s *served) events(conversation, last string) func() event {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/conversations/"+conversation+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() (e event) {
		s.t.Helper()
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					return e
				}
			}
		}
		s.t.Fatalf("the stream ended: %v", lines.Err())
		return e
	}
}

// until returns the first event of that name whose data have the words.
func until(next func() event, name, words string) event {
	for {
		if e := next(); e.name == name && strings.Contains(e.data, words) {
			return e
		}
	}
}

type view struct {
	ID, State, Error, Parent string
	Working                  bool
	Questions                []struct{ ID string }
	Transcript               []struct{ Role, Text string }
}

// A conversation from its start to its end, as seed 3 has it.
func TestServe(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	s := h.serve()
	var v view
	s.call("POST", "/conversations", `{"conversation":"c1","id":"m1","text":"Set up a service"}`, 201, &v)
	s.call("POST", "/conversations", `{"conversation":"c1","id":"m1","text":"Set up a service"}`, 201, nil) // its answer was lost, say
	next := s.events(v.ID, "")
	if e := next(); e.name != "entry" || e.id != "0" || !strings.Contains(e.data, `"text":"Set up a service"`) {
		t.Errorf("first event %+v", e)
	}
	e := until(next, "state_change", `"type":"awaiting_user_response"`)
	for _, words := range []string{`"question":"Which database?"`, `"label":"PostgreSQL"`, `"tool_use_id"`, `"multiSelect":false`} {
		if !strings.Contains(e.data, words) {
			t.Errorf("no %s in %s", words, e.data)
		}
	}
	until(next, "rest", "")
	s.call("POST", "/conversations/c1/respond", `{"answers":{"Which database?":"SQLite","What name?":"order-processor"}}`, 200, nil)
	until(next, "delta", `"text":"done"`)
	last := until(next, "entry", `"text":"done"`)
	until(next, "rest", `"type":"idle"`)
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite","What name?":"order-processor"}}`)
	s.call("GET", "/conversations/c1", "", 200, &v)
	if v.State != "idle" || len(v.Transcript) != 4 || v.Working {
		t.Errorf("the conversation is %+v", v)
	}
	s.call("POST", "/conversations/c1/messages", `{"text":"And now?"}`, 202, nil)
	again := s.events("c1", last.id) // a client that comes back
	if e := again(); !strings.Contains(e.data, "And now?") {
		t.Errorf("behind %s comes %+v", last.id, e)
	}
	until(again, "state_change", `"type":"idle"`)
	if code := s.stop(); code != 130 && code != 0 {
		t.Errorf("code %d", code)
	}
}

// The answer comes by the API of the hub, as the web inbox gives it.
func TestServeAnswerByAsk(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	s := h.serve("--web", "127.0.0.1:0")
	s.said.await(t, `serving the inbox; open (http://[a-z0-9]+\.localhost:\S+)`)
	s.call("POST", "/conversations", `{"conversation":"c1","text":"Set up a service"}`, 201, nil)
	next := s.events("c1", "")
	until(next, "state_change", "awaiting_user_response")
	var page struct {
		Tickets []struct{ ID, Digest string }
	}
	s.call("GET", "/v1/asks?conversation=c1", "", 200, &page)
	if len(page.Tickets) != 1 {
		t.Fatalf("%+v", page)
	}
	s.call("PUT", "/v1/asks/"+page.Tickets[0].ID+"/answer", `{"digest":"`+page.Tickets[0].Digest+`","answers":[{"questionId":"q1","selected":["o2"]}]}`, 200, nil)
	until(next, "rest", `"type":"idle"`)
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`)
}

func TestServeCancelAndFail(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Route(service(), modeltest.RouteTo{Word: "Fail", Script: modeltest.Steps(modeltest.Reply{Status: 400})}))
	s := h.serve()
	s.call("POST", "/conversations", `{"conversation":"c1","text":"Set up a service"}`, 201, nil)
	next := s.events("c1", "")
	until(next, "state_change", "awaiting_user_response")
	s.call("POST", "/conversations/c1/cancel", `{"reason":"no longer"}`, 200, nil)
	until(next, "state_change", `"type":"idle"`)
	s.call("POST", "/conversations", `{"conversation":"c2","text":"Fail"}`, 201, nil)
	until(s.events("c2", ""), "state_change", `"type":"failed"`)
	s.call("POST", "/conversations/c2/retry", "", 200, nil)
	s.call("POST", "/conversations/c1/retry", "", 409, nil)
	s.call("POST", "/conversations/c1/end", "", 200, nil)
	s.call("POST", "/conversations/c1/messages", `{"text":"x"}`, 409, nil)
	var all struct{ Conversations []view }
	s.call("GET", "/conversations", "", 200, &all)
	if len(all.Conversations) != 2 {
		t.Errorf("%+v", all)
	}
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	if r := h.run("serve", "--listen", "0.0.0.0:0"); r.code != 2 {
		t.Errorf("code %d, %s", r.code, r.err)
	}
	s := h.serve()
	for _, tc := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/conversations", `{"text":" "}`, 422},
		{"POST", "/conversations", `{"text":"a","text":"b"}`, 400},
		{"POST", "/conversations", `{"text":1}`, 422},
		{"POST", "/conversations", ``, 400},
		{"POST", "/conversations", `{"conversation":"a~b","text":"x"}`, 422},
		{"POST", "/conversations/nobody/messages", `{"text":"x"}`, 404},
		{"POST", "/conversations/nobody/cancel", ``, 404},
		{"GET", "/conversations/nobody", ``, 404},
		{"GET", "/conversations/nobody/events", ``, 404},
		{"POST", "/conversations/nobody/respond", `{"answers":{}}`, 400},
		{"GET", "/nonsense", ``, 404},
	} {
		s.call(tc.method, tc.path, tc.body, tc.status, nil)
	}
	s.key = "wrong"
	for _, path := range []string{"/conversations", "/conversations/c1/events", "/v1/asks", "/nonsense"} {
		s.call("GET", path, "", 401, nil)
	}
	r := h.run("-p", "x")
	if r.code != 1 || !strings.Contains(r.err, "another sayso-agent") {
		t.Errorf("beside a server: code %d, %s", r.code, r.err)
	}
	info, err := os.Stat(s.said.await(t, `the key is in (\S+)`))
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Base(info.Name()) != "serve.key" {
		t.Error(info, err)
	}
}

package modeltest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// eachWire runs f for every wire, streamed and whole.
func eachWire(t *testing.T, f func(t *testing.T, wire string, sp speaker, stream bool)) {
	for _, wire := range []string{Messages, Chat, Responses, Gemini} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", wire, stream), func(t *testing.T) {
				t.Parallel()
				f(t, wire, speakers[wire], stream)
			})
		}
	}
}

// TestConversation plays a whole conversation: a call by pattern, two calls
// with some words, an end, and a second prompt.
func TestConversation(t *testing.T) {
	eachWire(t, func(t *testing.T, wire string, sp speaker, stream bool) {
		model := New(t, Steps(
			Use("*ask_user", map[string]any{"question": "Which “database”?"}),
			Reply{Text: "two more", Calls: []Call{{Tool: "read"}, {Tool: "read", Input: []byte("x")}}},
			Say("done"),
			Say("again"),
		))
		tools := []string{"read", "mcp__sayso__ask_user"}
		conv := []turn{{user: "go"}}
		say := func() answer {
			t.Helper()
			a := sp.ask(t, model.URL, stream, conv, tools...)
			if again := sp.ask(t, model.URL, stream, conv, tools...); again.text != a.text || len(again.calls) != len(a.calls) {
				t.Errorf("a repeated request got %+v, then %+v", a, again)
			}
			conv = append(conv, turn{model: a})
			return a
		}

		a := say()
		if len(a.calls) != 1 || a.calls[0].name != "mcp__sayso__ask_user" || string(a.calls[0].input) != `{"question":"Which “database”?"}` {
			t.Fatalf("first turn: %+v", a)
		}
		conv = append(conv, turn{results: []Result{{ID: a.calls[0].id, Text: "The user answered:\n“SQLite”"}}})
		a = say()
		if a.text != "two more" || len(a.calls) != 2 || a.calls[0].id == a.calls[1].id || string(a.calls[0].input) != "{}" {
			t.Fatalf("second turn: %+v", a)
		}
		// A turn that the program made up in the model's name does not count.
		conv = append(conv, turn{results: []Result{{ID: a.calls[0].id, Text: "one"}, {ID: a.calls[1].id, Text: "two"}}},
			turn{model: answer{text: "No response requested."}}, turn{user: "go on"})
		if a = say(); a.text != "done" || len(a.calls) != 0 {
			t.Fatalf("third turn: %+v", a)
		}
		conv = append(conv, turn{user: "more"})
		if a = say(); a.text != "again" {
			t.Fatalf("fourth turn: %+v", a)
		}

		model.WantResults(t, "The user answered:\n“SQLite”", "one", "two")
		last := model.Requests()[len(model.Requests())-1]
		if last.Wire != wire || last.Prompt != "go" || last.Last != "more" || last.System != "be brief" || last.Turn != 3 || last.Model != "m" {
			t.Errorf("last request: %+v", last)
		}
		if got := last.Results[0].Tool; got != "mcp__sayso__ask_user" {
			t.Errorf("the first result belongs to %q", got)
		}
	})
}

func TestWithoutTools(t *testing.T) {
	eachWire(t, func(t *testing.T, _ string, sp speaker, stream bool) {
		model := New(t, Steps(Say("first")))
		if a := sp.ask(t, model.URL, stream, []turn{{user: "a title, please"}}); a.text != "ok" {
			t.Errorf("said %q", a.text)
		}
	})
}

func TestNamespace(t *testing.T) {
	t.Parallel()
	model := New(t, Steps(Use("*ask_user", nil)))
	a := speakers[Responses].ask(t, model.URL, true, []turn{{user: "go"}}, "exec", "mcp__sayso::ask_user")
	if len(a.calls) != 1 || a.calls[0].name != "mcp__sayso::ask_user" {
		t.Errorf("called %+v", a.calls)
	}
}

func TestRoute(t *testing.T) {
	t.Parallel()
	model := New(t, Route(Steps(Say("parent")), RouteTo{"look at", Steps(Say("child"))}))
	for prompt, want := range map[string]string{"please look at it": "child", "go": "parent"} {
		if a := speakers[Chat].ask(t, model.URL, false, []turn{{user: prompt}}, "x"); a.text != want {
			t.Errorf("%q got %q, want %q", prompt, a.text, want)
		}
	}
}

// witness is a test that takes note of its failures.
type witness struct {
	testing.TB
	failed  []string
	cleanup []func()
}

func (w *witness) Helper()          {}
func (w *witness) Cleanup(f func()) { w.cleanup = append(w.cleanup, f) }
func (w *witness) Error(args ...any) {
	w.failed = append(w.failed, fmt.Sprint(args...))
}
func (w *witness) Errorf(format string, args ...any) {
	w.failed = append(w.failed, fmt.Sprintf(format, args...))
}

func TestFailsItsTest(t *testing.T) {
	t.Parallel()
	w := &witness{TB: t}
	model := New(w, Steps(Use("*ask_user", nil)))
	a := speakers[Messages].ask(t, model.URL, true, []turn{{user: "go"}}, "read")
	if len(a.calls) != 0 || !strings.Contains(a.text, "no tool on offer") {
		t.Errorf("said %+v", a)
	}
	model.WantResults(w, "something")
	resp, err := http.Post(model.URL+"/v1/messages", "application/json", strings.NewReader("nonsense"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("nonsense got %s", resp.Status)
	}
	for _, f := range w.cleanup {
		f()
	}
	if len(w.failed) != 3 {
		t.Errorf("failures noted: %q", w.failed)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	model := New(t, func(context.Context, *Request) Reply { return Reply{Status: 529} })
	for wire, sp := range speakers {
		resp, err := http.Post(model.URL+sp.path, "application/json", strings.NewReader("{\"input\":\"x\"}"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 529 || !bytes.Contains(body, []byte(`"error"`)) {
			t.Errorf("%s: %s %s", wire, resp.Status, body)
		}
	}
}

func TestAside(t *testing.T) {
	t.Parallel()
	model := New(t, Steps(Say("x")))
	for path, want := range map[string]string{"/v1/messages/count_tokens?beta=true": "input_tokens", "/v1/models": "fake", "/api/event": "{}"} {
		resp, err := http.Post(model.URL+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", path, body)
		}
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests kept", n)
	}
}

func TestCompressedBody(t *testing.T) {
	t.Parallel()
	model := New(t, Steps(Say("x")))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, `{"messages":[{"role":"user","content":"packed"}]}`)
	z.Close()
	req, _ := http.NewRequest(http.MethodPost, model.URL+"/v1/messages", &b)
	req.Header.Set("Content-Encoding", "gzip")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := model.Requests()[0].Prompt; got != "packed" {
		t.Errorf("read %q", got)
	}
}

// TestAwait holds a reply back until the request has been seen, and leaves a
// blocked script when the client goes away.
func TestAwait(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	model := New(t, func(ctx context.Context, r *Request) Reply {
		<-ctx.Done()
		close(left)
		return Say("too late")
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, model.URL+"/v1/messages", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
		_, err := http.DefaultClient.Do(req)
		done <- err
	}()
	r, err := model.Await(t.Context(), func(r *Request) bool { return r.Prompt == "hi" })
	if err != nil || r.Wire != Messages {
		t.Fatal(r, err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("the request was answered")
	}
	<-left
	if _, err := model.Await(ctx, func(*Request) bool { return false }); err == nil {
		t.Error("awaited what never came")
	}
}

package modeltest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server is a scripted model. Its methods may be called at any time.
type Server struct {
	// URL is where it listens, without a slash at the end and without a version.
	URL string

	script Script

	mu       sync.Mutex
	requests []*Request
	changed  chan struct{} // closed and replaced with every request
	lastID   int
	replyOf  map[string]int // call id → number of the reply that made it
	texts    map[string]bool
	problems []string
}

// New starts a model that follows the script, and stops it when the test ends.
// A call for a tool that nobody offers, or a request that cannot be read,
// fails the test then.
func New(tb testing.TB, script Script) *Server {
	tb.Helper()
	s := &Server{
		script:  script,
		changed: make(chan struct{}),
		replyOf: map[string]int{},
		texts:   map[string]bool{},
	}
	hs := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = hs.URL
	tb.Cleanup(func() {
		hs.CloseClientConnections()
		hs.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.problems {
			tb.Error(p)
		}
	})
	return s
}

// Requests returns every request so far, oldest first.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Results returns every tool result that the model has received, each once, in
// the order of arrival. Two texts for one call are two results.
func (s *Server) Results() []Result {
	var out []Result
	have := map[Result]bool{}
	for _, r := range s.Requests() {
		for _, res := range r.Results {
			if !have[res] {
				have[res] = true
				out = append(out, res)
			}
		}
	}
	return out
}

// WantResults fails the test unless the texts of Results are exactly these.
func (s *Server) WantResults(tb testing.TB, want ...string) {
	tb.Helper()
	got := s.Results()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = got[i].Text == want[i]
	}
	if same {
		return
	}
	var b strings.Builder
	for i, r := range got {
		fmt.Fprintf(&b, "\n  got  %d: %s %s error=%v %q", i, r.Tool, r.ID, r.IsError, r.Text)
	}
	for i, w := range want {
		fmt.Fprintf(&b, "\n  want %d: %q", i, w)
	}
	tb.Errorf("the model received other results than wanted (%d requests):%s", len(s.Requests()), b.String())
}

// Await returns when a request for which cond holds has arrived, or the error
// of ctx.
func (s *Server) Await(ctx context.Context, cond func(*Request) bool) (*Request, error) {
	next := 0
	for {
		s.mu.Lock()
		have, changed := s.requests, s.changed
		s.mu.Unlock()
		for ; next < len(have); next++ {
			if cond(have[next]) {
				return have[next], nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("modeltest: await a request: %w", ctx.Err())
		}
	}
}

// wire is how one API reads a request and writes a reply. The calls of a reply
// are resolved, its ids given.
type wire struct {
	read  func(*Request) error
	write func(w http.ResponseWriter, r *Request, rep reply)
	fail  func(w http.ResponseWriter, status int)
}

// reply is a Reply made ready to be sent.
type reply struct {
	n     int // the number of the reply, unique in the server
	text  string
	calls []call
}

type call struct {
	id, name string
	input    json.RawMessage
}

func (s *Server) serve(w http.ResponseWriter, hr *http.Request) {
	body, err := readBody(hr)
	if err != nil {
		s.problem("modeltest: read the body of %s: %v", hr.URL.Path, err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := &Request{Wire: Other, Path: hr.URL.Path, Header: hr.Header, Body: body}
	var api wire
	switch {
	case hr.Method != http.MethodPost:
	case strings.HasSuffix(r.Path, "/messages"):
		r.Wire, api = Messages, anthropic
	case strings.HasSuffix(r.Path, "/chat/completions"):
		r.Wire, api = Chat, chat
	case strings.HasSuffix(r.Path, "/responses"):
		r.Wire, api = Responses, responses
	case strings.HasSuffix(r.Path, ":generateContent"), strings.HasSuffix(r.Path, ":streamGenerateContent"):
		r.Wire, api = Gemini, gemini
	}
	if r.Wire == Other {
		s.keep(r)
		sendJSON(w, http.StatusOK, aside(r.Path))
		return
	}
	if err := api.read(r); err != nil {
		s.problem("modeltest: read %s: %v", r.Path, err)
		s.keep(r)
		api.fail(w, http.StatusBadRequest)
		return
	}
	s.count(r)
	s.keep(r)
	rep := s.script(hr.Context(), r)
	if hr.Context().Err() != nil {
		return // nobody listens any more
	}
	if rep.Status != 0 {
		api.fail(w, rep.Status)
		return
	}
	ready, err := s.prepare(r, rep)
	if err != nil {
		s.problem("%v", err)
		ready = reply{n: ready.n, text: err.Error()}
	}
	api.write(w, r, ready)
}

// count finds the place in the conversation: how many turns in it are ours. A
// turn that a program made up in the model's name has neither an id that we
// gave nor a text that we said.
func (s *Server) count(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	replies := map[int]bool{}
	texts := 0
	for _, turn := range r.seen {
		for _, id := range turn.ids {
			if n, ok := s.replyOf[id]; ok {
				replies[n] = true
			}
		}
		if len(turn.ids) == 0 && s.texts[strings.TrimSpace(turn.text)] {
			texts++
		}
	}
	r.Turn = len(replies) + texts
}

func (s *Server) keep(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) prepare(r *Request, rep Reply) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	out := reply{n: s.lastID, text: rep.Text}
	calls, err := rep.find(r.Tools)
	if err != nil {
		return out, err
	}
	for i, c := range calls {
		if c.Input == nil {
			c.Input = object{}
		}
		input, err := json.Marshal(c.Input)
		if err != nil {
			return out, fmt.Errorf("modeltest: encode the input of %s: %w", c.Tool, err)
		}
		id := fmt.Sprintf("call_%d_%d", out.n, i)
		s.replyOf[id] = out.n
		out.calls = append(out.calls, call{id: id, name: c.Tool, input: input})
	}
	if len(r.Tools) > 0 && len(calls) == 0 {
		s.texts[strings.TrimSpace(rep.Text)] = true
	}
	return out, nil
}

func (s *Server) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func readBody(hr *http.Request) ([]byte, error) {
	var src io.Reader = hr.Body
	if hr.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, err
		}
		src = z
	}
	return io.ReadAll(src)
}

// aside answers what programs ask for beside the conversation.
func aside(path string) any {
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		return map[string]any{"input_tokens": 10}
	case strings.HasSuffix(path, ":countTokens"):
		return map[string]any{"totalTokens": 10}
	case strings.HasSuffix(path, "/models"):
		return map[string]any{
			"object": "list",
			"data":   []any{map[string]any{"id": "fake", "object": "model", "type": "model", "created": 1, "owned_by": "modeltest", "display_name": "fake"}},
			"models": []any{},
		}
	}
	return map[string]any{}
}

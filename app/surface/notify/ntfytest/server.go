package ntfytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Message is what is published to a topic.
type Message struct {
	ID       string   `json:"id"`
	Time     int64    `json:"time"`
	Event    string   `json:"event"` // open, message, keepalive, message_delete
	Topic    string   `json:"topic"`
	Sequence string   `json:"sequence_id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message,omitempty"`
	Priority int      `json:"priority,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []Action `json:"actions,omitempty"`
}

// Action is a button.
type Action struct {
	ID     string `json:"id,omitempty"`
	Action string `json:"action"` // view or http
	Label  string `json:"label"`
	URL    string `json:"url"`
	Method string `json:"method,omitempty"`
	Body   string `json:"body,omitempty"`
	Clear  bool   `json:"clear,omitempty"`
}

// Server is the ntfy server.
type Server struct {
	t    testing.TB
	http *httptest.Server

	mu       sync.Mutex
	rights   map[string]map[string]string // by token, by topic: "r", "w" or "rw"
	deny     bool                         // what nobody has a right for is denied
	old      bool
	messages []Message // of all topics
	wire     []string
	faults   []fault
	changed  chan struct{} // closed and replaced when there is something new
	streams  int
	cut      chan struct{} // closed and replaced to end all streams
	next     int
}

type fault struct {
	status int
	after  string
}

// New starts a server where everybody may do everything, as on ntfy.sh.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, rights: make(map[string]map[string]string), changed: make(chan struct{}), cut: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.Cut()
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// URL is the address of the server.
func (s *Server) URL() string { return s.http.URL }

// Deny makes it a server with access control: nobody may do what [Server.Allow] does
// not allow.
func (s *Server) Deny() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = true
}

// Allow gives the user with this token, or everybody if that is empty, a right to a
// topic: "r", "w" or "rw".
func (s *Server) Allow(token, topic, right string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rights[token] == nil {
		s.rights[token] = make(map[string]string)
	}
	s.rights[token][topic] = right
}

// Old makes it a server before 2.16, which neither replaces nor deletes.
func (s *Server) Old() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.old = true
}

// Fail answers the next request to publish or to delete with a status, and with a
// Retry-After if that is not empty.
func (s *Server) Fail(status int, after string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault{status, after})
}

// Cut ends all streams.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut = make(chan struct{})
}

// Streams returns how many follow a topic at this moment.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

var topicName = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.Method == "POST" && r.URL.Path == "/":
		s.publishJSON(w, r)
	case r.Method == "POST" && len(parts) == 1:
		s.publishText(w, r, parts[0])
	case r.Method == "GET" && len(parts) == 2 && parts[1] == "json":
		s.stream(w, r, parts[0])
	case r.Method == "DELETE" && len(parts) == 2:
		s.remove(w, r, parts[0], parts[1])
	default:
		refuse(w, 404, "page not found")
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": status * 100, "http": status, "error": text})
}

// may reports whether the request has the right, and answers it otherwise. The lock is
// held.
func (s *Server) may(w http.ResponseWriter, r *http.Request, topic, right string) bool {
	if !topicName.MatchString(topic) {
		refuse(w, 404, "page not found")
		return false
	}
	token := ""
	if h := r.Header.Get("Authorization"); h != "" {
		token = strings.TrimPrefix(h, "Bearer ")
		if _, ok := s.rights[token]; !ok || token == "" {
			refuse(w, 401, "unauthorized")
			return false
		}
	}
	if s.deny && !strings.Contains(s.rights[token][topic], right) && !strings.Contains(s.rights[""][topic], right) {
		refuse(w, 403, "forbidden")
		return false
	}
	return true
}

func (s *Server) faulty(w http.ResponseWriter) bool {
	if len(s.faults) == 0 {
		return false
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	if f.after != "" {
		w.Header().Set("Retry-After", f.after)
	}
	refuse(w, f.status, "a fault of the test")
	return true
}

// add stores a message. The lock is held.
func (s *Server) add(m Message) Message {
	s.next++
	m.ID, m.Time = fmt.Sprintf("msg%09d", s.next), time.Now().Unix()
	if m.Sequence == "" || s.old {
		m.Sequence = m.ID
	}
	s.messages = append(s.messages, m)
	close(s.changed)
	s.changed = make(chan struct{})
	return m
}

// Published returns everything that was published to a topic.
func (s *Server) Published(topic string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(topic)
}

func (s *Server) of(topic string) []Message {
	return slices.DeleteFunc(slices.Clone(s.messages), func(m Message) bool { return m.Topic != topic })
}

// Shown returns what a phone shows that follows the topic: the latest of each sequence,
// without those that were deleted.
func (s *Server) Shown(topic string) []Message {
	var out []Message
	for _, m := range s.Published(topic) {
		out = slices.DeleteFunc(out, func(o Message) bool { return o.Sequence == m.Sequence })
		if m.Event == "message" {
			out = append(out, m)
		}
	}
	return out
}

// Clear takes everything off the phones.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = nil
}

// Wire returns the bodies of the requests to publish since the last call.
func (s *Server) Wire() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.wire, "\n")
	s.wire = nil
	return all
}

// Press does what the app does when somebody presses a button: it makes the request,
// without an account. It returns the status.
func (s *Server) Press(a Action) int {
	s.t.Helper()
	if a.Action != "http" {
		s.t.Fatalf("a button of kind %q sends nothing", a.Action)
	}
	req, err := http.NewRequest(a.Method, a.URL, strings.NewReader(a.Body))
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := s.http.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

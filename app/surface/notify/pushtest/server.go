package pushtest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var b64 = base64.RawURLEncoding

// Server is the push service.
type Server struct {
	t     testing.TB
	http  *httptest.Server
	base  string
	conns sync.WaitGroup

	mu       sync.Mutex
	channels map[string]*channel
	faults   []fault
	sent     []Message
	acks     []Ack
	changed  chan struct{} // closed when something has come
	closing  bool
	open     map[net.Conn]bool
}

// channel is one subscription.
type channel struct {
	id   string
	key  string // the applicationServerKey that it is bound to; empty: to none
	gone bool
	play *Browser   // who has it, if that is played
	sock *socket    // the browser that has it, while it is connected
	held []*Message // what could not be delivered yet, one a topic
}

// Message is one that the service has taken.
type Message struct {
	Channel string
	Topic   string
	Urgency string
	TTL     int
	Subject string // of the token
	Body    []byte // encrypted
	Plain   []byte // as a browser that is played has read it
}

// Ack is what a browser says to a message: 100 means that it has decrypted it and
// that the page's worker took it.
type Ack struct {
	Channel string
	Code    int
}

type fault struct {
	status     int
	retryAfter string
}

// New returns a push service that ends with the test. It is reached as localhost:
// Firefox takes no other name without TLS.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, channels: map[string]*channel{}, changed: make(chan struct{}), open: map[net.Conn]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/push/{channel}", s.push)
	mux.HandleFunc("/ws", s.websocket)
	s.http = httptest.NewServer(mux)
	s.base = "http://localhost:" + strconv.Itoa(s.http.Listener.Addr().(*net.TCPAddr).Port)
	t.Cleanup(s.close)
	return s
}

func (s *Server) close() {
	s.mu.Lock()
	s.closing = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.conns.Wait()
	s.http.Close()
}

// URL is the address of the service, such as http://localhost:4711.
func (s *Server) URL() string { return s.base }

// Host is what an operator allows: localhost and the port.
func (s *Server) Host() string { return strings.TrimPrefix(s.base, "http://") }

// WebSocket is the value of Firefox's setting dom.push.serverURL.
func (s *Server) WebSocket() string { return "ws" + strings.TrimPrefix(s.base, "http") + "/ws" }

// Fail makes the next requests fail with this status and this Retry-After, which may
// be empty: one request for each call.
func (s *Server) Fail(status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault{status, retryAfter})
}

// Sent are the messages that the service has taken so far.
func (s *Server) Sent() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.sent...)
}

// Acks are what real browsers said to messages.
func (s *Server) Acks() []Ack {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Ack(nil), s.acks...)
}

// Wait waits until it is so, and fails the test if it never is. It looks again
// whenever something has come.
func (s *Server) Wait(what string, so func() bool) {
	s.t.Helper()
	end := time.After(time.Minute)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if so() {
			return
		}
		select {
		case <-changed:
		case <-end:
			s.t.Fatalf("pushtest: waited in vain until %s", what)
		}
	}
}

// came wakes who waits. The caller holds the lock.
func (s *Server) came() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// subscribe makes a subscription that is bound to a key.
func (s *Server) subscribe(id, key string, play *Browser, sock *socket) *channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &channel{id: id, key: key, play: play, sock: sock}
	s.channels[id] = c
	s.came()
	return c
}

func (s *Server) endpoint(id string) string { return s.base + "/push/" + id }

// Unsubscribe ends a subscription: the service says 410 from then on.
func (s *Server) Unsubscribe(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		c.gone = true
	}
}

// push takes a message from a hub.
func (s *Server) push(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[r.PathValue("channel")]
	if c == nil {
		http.Error(w, `{"errno":102,"error":"not found"}`, http.StatusNotFound)
		return
	}
	m, status, err := s.check(r, c, body)
	if err != nil {
		if !s.closing {
			s.t.Errorf("pushtest: a push that services refuse: %v", err)
		}
		http.Error(w, err.Error(), status)
		return
	}
	if len(s.faults) > 0 {
		f := s.faults[0]
		s.faults = s.faults[1:]
		if f.retryAfter != "" {
			w.Header().Set("Retry-After", f.retryAfter)
		}
		http.Error(w, "the test wants this", f.status)
		return
	}
	if c.gone {
		http.Error(w, `{"errno":106,"error":"gone"}`, http.StatusGone)
		return
	}
	if c.play != nil {
		if err := c.play.take(m); err != nil {
			s.t.Errorf("pushtest: a message that the browser cannot read: %v", err)
		}
	} else if c.sock == nil || c.sock.deliver(m) != nil {
		hold(c, m)
	}
	s.sent = append(s.sent, *m)
	s.came()
	w.Header().Set("Location", s.base+"/message/"+random())
	w.WriteHeader(http.StatusCreated)
}

// hold keeps a message until the browser is back, in place of one of its topic.
func hold(c *channel, m *Message) {
	for i, h := range c.held {
		if m.Topic != "" && h.Topic == m.Topic {
			c.held[i] = m
			return
		}
	}
	c.held = append(c.held, m)
}

func random() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func uuid() string {
	h := random()
	return fmt.Sprintf("%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}

package slacktest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// link is a connection of Socket Mode.
type link struct {
	conn *websocket.Conn
	net  *stalled
	out  chan []byte // what is to be written
}

// send writes something, after all else.
func (l *link) send(v any) {
	data, _ := json.Marshal(v)
	select {
	case l.out <- data:
	default: // nobody reads; it comes again
	}
}

// write writes what is sent, until the connection ends.
func (l *link) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case data := <-l.out:
			if l.conn.Write(ctx, websocket.MessageText, data) != nil {
				return
			}
		}
	}
}

// Delivery is something that a person did, on its way to the app.
type Delivery struct {
	ID    string
	Kind  string // interactive, slash_commands
	Tries int    // how often it was sent

	s       *Server
	user    string
	view    string // the id of the form
	payload any
	sent    time.Time // when it was sent last
	first   time.Time
	done    chan struct{}
	reply   json.RawMessage
}

// Wait waits until the app has acknowledged it, and returns what came with that.
func (d *Delivery) Wait() json.RawMessage {
	d.s.t.Helper()
	select {
	case <-d.done:
	case <-time.After(time.Minute):
		d.s.t.Fatalf("slacktest: never acknowledged: %s %s", d.Kind, d.ID)
	}
	return d.reply
}

// Acked reports whether the app has acknowledged it.
func (d *Delivery) Acked() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// Warned reports whether the person sees that the app did not answer within three
// seconds.
func (d *Delivery) Warned() bool {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	return !d.Acked() && d.s.now().Sub(d.first) > 3*time.Second
}

// connect takes a connection. Its address works once.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	good := s.tickets[ticket] && r.URL.Query().Get("app_id") == App
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !good {
		http.Error(w, "no such ticket: "+ticket, http.StatusForbidden)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	l := &link{conn: conn, net: r.Context().Value(wire{}).(*stalled), out: make(chan []byte, 20_000)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.work.Go(func() { l.write(ctx) })
	s.mu.Lock()
	l.send(map[string]any{"type": "hello", "num_connections": len(s.conns) + 1, "connection_info": map[string]any{"app_id": App},
		"debug_info": map[string]any{"host": "slacktest", "approximate_connection_time": 18060}})
	s.conns = append(s.conns, l)
	for _, d := range s.pending { // what nobody acknowledged comes again
		s.push(d, l)
	}
	s.poke()
	s.mu.Unlock()
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			break
		}
		s.ack(data)
	}
	conn.CloseNow()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.conns {
		if c == l {
			s.conns = append(s.conns[:i:i], s.conns[i+1:]...)
			break
		}
	}
}

// push sends an envelope on a connection.
func (s *Server) push(d *Delivery, l *link) {
	d.Tries++
	d.sent = s.now()
	e := map[string]any{"envelope_id": d.ID, "type": d.Kind, "payload": d.payload, "accepts_response_payload": true}
	if d.Tries > 1 {
		e["retry_attempt"], e["retry_reason"] = d.Tries-1, "timeout"
	}
	l.send(e)
}

// deliver sends something on one of the connections, or when there is one.
func (s *Server) deliver(d *Delivery) *Delivery {
	d.s, d.done = s, make(chan struct{})
	d.first = s.now()
	if d.ID == "" {
		d.ID = s.next("env-")
	}
	s.pending = append(s.pending, d)
	if n := len(s.conns); n > 0 {
		s.turn++ // connections share what arrives
		s.push(d, s.conns[s.turn%n])
	}
	s.poke()
	return d
}

// repeat sends again what was not acknowledged within three seconds.
func (s *Server) repeat() {
	for {
		s.mu.Lock()
		next := time.Hour
		for _, d := range s.pending {
			if n := len(s.conns); n > 0 && !s.mute {
				left := 3*time.Second - s.now().Sub(d.sent)
				if left <= 0 {
					s.turn++
					s.push(d, s.conns[s.turn%n])
					left = 3 * time.Second
				}
				next = min(next, left)
			}
		}
		s.mu.Unlock()
		select {
		case <-s.end:
			return
		case <-s.wake:
		case <-time.After(next):
		}
	}
}

// poke has repeat look again.
func (s *Server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// ack takes an acknowledgement.
func (s *Server) ack(data []byte) {
	var in struct {
		ID      string          `json:"envelope_id"`
		Payload json.RawMessage `json:"payload"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := strict(data, &in); err != nil || len(data) >= 20_000 {
		s.wrong = append(s.wrong, "not an acknowledgement: "+string(data))
		return
	}
	for i, d := range s.pending {
		if d.ID != in.ID {
			continue
		}
		if wrong := s.replied(d, in.Payload); wrong != "" {
			s.wrong = append(s.wrong, wrong)
		}
		s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
		d.reply = in.Payload
		close(d.done)
		return
	}
	if !strings.HasPrefix(in.ID, "env-") { // one that came again may be acknowledged again
		s.wrong = append(s.wrong, "acknowledged what was never sent: "+in.ID)
	}
}

// Connections returns how many connections there are.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Disconnect tells all connections to connect anew, as Slack does every few hours, and
// closes them.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	conns := s.conns
	s.mu.Unlock()
	for _, l := range conns {
		l.send(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "slacktest"}})
	}
}

// Cut ends all connections without a word.
func (s *Server) Cut() {
	s.mu.Lock()
	conns := s.conns
	s.mu.Unlock()
	for _, l := range conns {
		l.net.Close()
	}
}

// Silence has the server not send again what was not acknowledged, unless there is a
// new connection; with false it does again.
func (s *Server) Silence(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = on
}

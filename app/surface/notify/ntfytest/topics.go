package ntfytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// published is the body of a request to publish.
type published struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Click    string   `json:"click"`
	Actions  []Action `json:"actions"`
	Sequence string   `json:"sequence_id"`
}

const maxMessage = 4096

func (s *Server) publishJSON(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4*maxMessage))
	if err != nil {
		return
	}
	var p published
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.faulty(w):
	case d.Decode(&p) != nil || !utf8.Valid(body):
		refuse(w, 400, "invalid request: request body must be valid JSON")
	case !s.may(w, r, p.Topic, "w"):
	case len(p.Message) > maxMessage:
		refuse(w, 400, "invalid request: attachments not allowed") // what a long message becomes
	case p.Priority < 0 || p.Priority > 5:
		refuse(w, 400, "invalid request: priority invalid")
	case p.Sequence != "" && !topicName.MatchString(p.Sequence):
		refuse(w, 400, "invalid request: sequence ID invalid")
	case len(p.Actions) > 3:
		refuse(w, 400, "invalid request: actions invalid; only 3 actions allowed")
	case !valid(p.Actions):
		refuse(w, 400, "invalid request: actions invalid")
	default:
		s.wire = append(s.wire, string(body))
		m := s.add(Message{Event: "message", Topic: p.Topic, Sequence: p.Sequence, Title: p.Title, Message: p.Message, Priority: p.Priority, Click: p.Click, Actions: p.Actions})
		_ = json.NewEncoder(w).Encode(m)
	}
}

func valid(actions []Action) bool {
	for _, a := range actions {
		u, err := url.Parse(a.URL)
		switch {
		case err != nil || u.Host == "" || a.Label == "":
			return false
		case a.Action == "view" && a.Method == "" && a.Body == "":
		case a.Action == "http" && a.Method == "POST":
		default:
			return false
		}
	}
	return true
}

// publishText takes what the button of a phone sends.
func (s *Server) publishText(w http.ResponseWriter, r *http.Request, topic string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.may(w, r, topic, "w"):
	case len(body) > maxMessage:
		refuse(w, 400, "invalid request: attachments not allowed")
	default:
		_ = json.NewEncoder(w).Encode(s.add(Message{Event: "message", Topic: topic, Message: string(body)}))
	}
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request, topic, sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.old:
		refuse(w, 404, "page not found")
	case s.faulty(w):
	case !s.may(w, r, topic, "w"):
	case !topicName.MatchString(sequence):
		refuse(w, 400, "invalid request: sequence ID invalid")
	default:
		_ = json.NewEncoder(w).Encode(s.add(Message{Event: "message_delete", Topic: topic, Sequence: sequence}))
	}
}

// stream sends what a topic has since a message or a time, and then what comes.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, topic string) {
	s.mu.Lock()
	if !s.may(w, r, topic, "r") {
		s.mu.Unlock()
		return
	}
	s.streams++
	cut := s.cut
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.streams--
		s.mu.Unlock()
	}()
	out := json.NewEncoder(w)
	_ = out.Encode(Message{ID: "open", Time: time.Now().Unix(), Event: "open", Topic: topic})
	last := r.URL.Query().Get("since")
	for {
		s.mu.Lock()
		all, changed := s.of(topic), s.changed
		s.mu.Unlock()
		news := since(all, last)
		last = "all"
		if len(all) > 0 {
			last = all[len(all)-1].ID
		}
		for _, m := range news {
			_ = out.Encode(m)
		}
		if r.URL.Query().Get("poll") == "1" {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-changed:
		case <-cut:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// since returns what came after a message or a time. Of a message that is not known, it
// returns everything, as the real server does once it has forgotten it.
func since(all []Message, what string) []Message {
	switch what {
	case "all":
		return all
	case "", "none":
		return nil
	}
	if sec, err := strconv.ParseInt(what, 10, 64); err == nil {
		for i, m := range all {
			if m.Time >= sec {
				return all[i:]
			}
		}
		return nil
	}
	for i, m := range all {
		if m.ID == what {
			return all[i+1:]
		}
	}
	return all
}

package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/saysohq/sayso"
)

// How much is kept of what agents said about their tool calls. Of more than that the
// oldest is forgotten: then it is not known what such a call would do, and nothing
// can be allowed in the hub.
const (
	maxSessions  = 64
	maxCalls     = 256      // of a session
	maxCallBytes = 16 << 20 // of all calls of a session
)

// sessions is what the proxy has heard about the sessions of its agent. Some agents
// ask for permission with nothing but the id of a tool call that they described
// before.
type sessions struct {
	mu      sync.Mutex
	byID    map[string]*session
	order   []string          // the oldest first
	opening map[string]string // the directory of a session that has no id yet, by the request
}

type session struct {
	cwd, mode string
	calls     map[string]*toolCall
	order     []string // the oldest first
	size      int
}

// toolCall is what the agent told about a tool call: the last of each.
type toolCall struct {
	ID        string `json:"toolCallId"`
	Name      string `json:"name"`
	Title     string `json:"title"`
	Kind      string `json:"kind"`
	Status    string `json:"status"`
	RawInput  raw    `json:"rawInput"`
	Content   raw    `json:"content"`
	Locations raw    `json:"locations"`
	Meta      raw    `json:"_meta"`
}

func (c *toolCall) size() int {
	return len(c.Title) + len(c.RawInput) + len(c.Content) + len(c.Locations) + len(c.Meta) + 200
}

// with returns the call with what a later message says about it.
func (c toolCall) with(later *toolCall) toolCall {
	for _, s := range []struct{ to, from *string }{
		{&c.ID, &later.ID}, {&c.Name, &later.Name}, {&c.Title, &later.Title}, {&c.Kind, &later.Kind}, {&c.Status, &later.Status},
	} {
		if *s.from != "" {
			*s.to = *s.from
		}
	}
	for _, r := range []struct{ to, from *raw }{
		{&c.RawInput, &later.RawInput}, {&c.Content, &later.Content}, {&c.Locations, &later.Locations}, {&c.Meta, &later.Meta},
	} {
		if !nothing(*r.from) {
			*r.to = *r.from
		}
	}
	return c
}

// nothing reports whether a value says nothing.
func nothing(r raw) bool {
	switch string(bytes.Join(bytes.Fields(r), nil)) {
	case "", "null", "[]":
		return true
	}
	return false
}

// of returns the session; it is made if it is not known.
func (s *sessions) of(id string) *session {
	if one := s.byID[id]; one != nil {
		return one
	}
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	if len(s.order) >= maxSessions {
		delete(s.byID, s.order[0])
		s.order = s.order[1:]
	}
	one := &session{calls: map[string]*toolCall{}}
	s.byID[id], s.order = one, append(s.order, id)
	return one
}

// look returns what is known about a session and one of its calls.
func (s *sessions) look(id, call string) (cwd, mode string, was toolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byID[id]
	if one == nil {
		return "", "", toolCall{}
	}
	if c := one.calls[call]; c != nil {
		was = *c
	}
	return one.cwd, one.mode, was
}

// update takes a session/update of the agent.
func (s *sessions) update(line []byte, m *message) {
	if !bytes.Contains(line, []byte("tool_call")) && !bytes.Contains(line, []byte("current_mode")) {
		return // most are pieces of text
	}
	var p struct {
		Session string `json:"sessionId"`
		Update  struct {
			What string `json:"sessionUpdate"`
			Mode string `json:"currentModeId"`
			toolCall
		} `json:"update"`
	}
	readable := sayso.CheckLargeJSON(m.Params, maxCallBytes) == nil
	if json.Unmarshal(m.Params, &p) != nil || p.Session == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(p.Session)
	switch {
	case p.Update.What == "current_mode_update":
		one.mode = p.Update.Mode
	case p.Update.What != "tool_call" && p.Update.What != "tool_call_update" || p.Update.ID == "":
	case !readable, p.Update.Status == "completed", p.Update.Status == "failed":
		one.forget(p.Update.ID)
	default:
		one.note(&p.Update.toolCall)
	}
}

// note keeps what is told about a call.
func (s *session) note(c *toolCall) {
	now := *c
	if was := s.calls[c.ID]; was != nil {
		now = was.with(c)
		s.forget(c.ID)
	}
	s.calls[c.ID], s.order = &now, append(s.order, c.ID)
	for s.size += now.size(); len(s.order) > maxCalls || s.size > maxCallBytes; {
		s.forget(s.order[0])
	}
}

func (s *session) forget(id string) {
	c := s.calls[id]
	if c == nil {
		return
	}
	delete(s.calls, id)
	s.size -= c.size()
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == id })
}

// request takes a request of the editor that opens a session or changes its mode.
func (s *sessions) request(m *message) {
	var p struct {
		Session string `json:"sessionId"`
		Cwd     string `json:"cwd"`
		Mode    string `json:"modeId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Method == "session/new":
		if s.opening == nil || len(s.opening) >= maxSessions {
			s.opening = map[string]string{}
		}
		s.opening[idKey(m.ID)] = p.Cwd
	case p.Session == "":
	case m.Method == "session/set_mode":
		s.of(p.Session).mode = p.Mode
	case p.Cwd != "": // session/load, session/resume
		s.of(p.Session).cwd = p.Cwd
	}
}

// response takes a response of the agent, which may be that to session/new.
func (s *sessions) response(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cwd, ours := s.opening[idKey(m.ID)]
	if !ours {
		return
	}
	delete(s.opening, idKey(m.ID))
	var r struct {
		Session string `json:"sessionId"`
		Modes   struct {
			Current string `json:"currentModeId"`
		} `json:"modes"`
	}
	if json.Unmarshal(m.Result, &r) == nil && r.Session != "" {
		one := s.of(r.Session)
		one.cwd, one.mode = cwd, r.Modes.Current
	}
}

// idKey is the id of a request, spelled in one way.
func idKey(id raw) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		b, _ := json.Marshal(s) // a string can be spelled
		return string(b)
	}
	return string(id)
}

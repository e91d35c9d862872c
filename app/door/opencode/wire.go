package opencode

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
)

// The events of opencode that count here.
const (
	questionAsked     = "question.asked"
	questionReplied   = "question.replied"
	questionRejected  = "question.rejected"
	permissionAsked   = "permission.asked"
	permissionReplied = "permission.replied"
	sessionIdle       = "session.idle"
	sessionDeleted    = "session.deleted"
)

// event is something that happened in opencode.
type event struct {
	Type string `json:"type"`
	Data data   `json:"properties"`
}

// data is what an event tells. Each kind has some of it.
type data struct {
	ID      string `json:"id"`        // of a request that was made
	Request string `json:"requestID"` // of one that has an answer
	Session string `json:"sessionID"`
	Tool    *place `json:"tool"`

	Questions json.RawMessage `json:"questions"`
	Answers   [][]string      `json:"answers"` // to each question, in their order

	Permission string          `json:"permission"`
	Patterns   []string        `json:"patterns"` // what would be used
	Always     []string        `json:"always"`   // what "always" would allow
	Metadata   json.RawMessage `json:"metadata"`
	Reply      string          `json:"reply"` // once, always, reject
}

// place is where the tool call of a request stands.
type place struct {
	Message string `json:"messageID"`
	Call    string `json:"callID"`
}

// maxName is the most bytes of a name that opencode gives.
const maxName = 128

// readEvent reads an event. One of a kind that does not count here has no more than its
// type.
func readEvent(raw []byte) (*event, error) {
	if err := sayso.CheckLargeJSON(raw, bridge.MaxLine); err != nil {
		return nil, fmt.Errorf("opencode: reading an event: %w", err)
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("opencode: reading an event: %w", err)
	}
	switch head.Type {
	case questionAsked, questionReplied, questionRejected, permissionAsked, permissionReplied, sessionIdle, sessionDeleted:
	default:
		return &event{Type: head.Type}, nil
	}
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("opencode: reading an event: %w", err)
	}
	return &e, e.check()
}

// check reports a name that is missing where it is needed, or cannot be part of a path.
func (e *event) check() error {
	d := &e.Data
	needs := map[string]string{"session": d.Session}
	switch e.Type {
	case questionAsked, permissionAsked:
		needs["request"] = d.ID
	case questionReplied, questionRejected, permissionReplied:
		needs["request"] = d.Request
	}
	if d.Tool != nil {
		needs["message"], needs["call"] = d.Tool.Message, d.Tool.Call
	}
	for what, name := range needs {
		if name == "" || len(name) > maxName {
			return fmt.Errorf("opencode: the %s of %s has a name of %d bytes; 1 to %d are taken", what, e.Type, len(name), maxName)
		}
	}
	return nil
}

// message is what GET /session/{id}/message/{id} returns, as far as it counts here.
type message struct {
	Info struct {
		Agent string `json:"agent"`
		Path  struct {
			Cwd string `json:"cwd"`
		} `json:"path"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

// part is a part of a message, if it is a tool call.
type part struct {
	Type  string `json:"type"`
	Call  string `json:"callID"`
	Tool  string `json:"tool"`
	State struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
	} `json:"state"`
}

// Errors of the join.
var (
	errNotThere = errors.New("the message does not have the tool call")
	errNotYet   = errors.New("the tool call does not have its input yet")
)

// call returns the tool call of that id. While opencode still reads what the model
// writes, the call is there without its input.
func (m *message) call(id string) (*part, error) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Type != "tool" || p.Call != id {
			continue
		}
		if p.State.Status == "pending" || len(p.State.Input) == 0 {
			return nil, errNotYet
		}
		return p, nil
	}
	return nil, errNotThere
}

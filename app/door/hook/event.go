package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// MaxEvent is the most bytes that an event may have.
const MaxEvent = 1 << 20

// The events that the door knows.
const (
	PreToolUse        = "PreToolUse"
	PermissionRequest = "PermissionRequest"
	PostToolUse       = "PostToolUse"
	UserPromptSubmit  = "UserPromptSubmit"
)

// Events lists them, in the order in which they come.
var Events = []string{UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse}

// toolName is the tool whose calls the door carries.
const toolName = "AskUserQuestion"

// maxName is the most bytes that the hub takes as a name.
const maxName = 128

// Event is what Claude Code tells a hook. Fields that the door does not need are
// not read.
type Event struct {
	Name      string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Prompt    string `json:"prompt_id"` // the turn; missing in a session that was resumed
	Dir       string `json:"cwd"`
	Mode      string `json:"permission_mode"`
	Tool      string `json:"tool_name"`
	ToolUse   string `json:"tool_use_id"`
	AgentType string `json:"agent_type"` // of a sub-agent

	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// ParseEvent reads an event.
func ParseEvent(data []byte) (*Event, error) {
	if err := sayso.CheckJSON(data); err != nil {
		return nil, fmt.Errorf("hook: reading the event: %w", err)
	}
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("hook: reading the event: %w", err)
	}
	if e.Name == "" {
		return nil, errors.New("hook: the event has no hook_event_name")
	}
	if e.Session == "" {
		return nil, errors.New("hook: the event has no session_id")
	}
	for _, name := range []string{e.Session, e.Prompt, e.ToolUse} {
		if len(name) > maxName {
			return nil, fmt.Errorf("hook: a name in the event has %d bytes; at most %d are taken", len(name), maxName)
		}
	}
	return &e, nil
}

// call is the tool call that the event is about.
func (e *Event) call(workspace, branch string) sayso.Call {
	c := sayso.Call{
		ID: e.ToolUse, Conversation: e.Session, Host: host,
		Workspace: workspace, Branch: branch, Arguments: e.Input,
	}
	if agent := strings.TrimSpace(e.AgentType); agent != "" && len(agent) <= maxName {
		c.Agents = []string{agent}
	}
	return c
}

// host is how surfaces name the program.
const host = "claude-code"

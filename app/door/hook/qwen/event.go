package qwen

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/dialect"
)

// Surface is where a person is who answers in Qwen Code itself, and how surfaces name
// the program.
const Surface = "qwen-code"

// MaxWait is the longest that a hook may wait. What is decided later than Qwen Code
// waits would be taken for handed over, while its own dialog is open.
const MaxWait = 50 * time.Second

// The events that the door knows.
const (
	UserPromptSubmit   = "UserPromptSubmit"
	PermissionRequest  = "PermissionRequest"
	Notification       = "Notification"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
)

// Events lists them, in the order in which they come.
var Events = []string{UserPromptSubmit, PermissionRequest, Notification, PostToolUse, PostToolUseFailure}

const (
	toolAsk    = "ask_user_question"
	ourTools   = "mcp__sayso__"      // how the tools of our MCP server begin
	permission = "permission_prompt" // the notification of a dialog
)

// Agent returns Qwen Code as package hook takes it.
func Agent() hook.Agent { return agent{} }

type agent struct{}

func (agent) Info() hook.Info {
	return hook.Info{Name: Surface, Tool: tool, Events: Events, Nothing: (&reply{}).json(), Blocks: true}
}

var tool = &sayso.Tool{Dialect: dialect.Qwen}

// event is what Qwen Code tells a hook. Fields that the door does not need are not
// read.
type event struct {
	Name      string  `json:"hook_event_name"`
	Session   string  `json:"session_id"`
	Dir       string  `json:"cwd"`
	Mode      string  `json:"permission_mode"`
	Tool      string  `json:"tool_name"`
	ToolUse   string  `json:"tool_use_id"` // missing in a PermissionRequest
	AgentID   string  `json:"agent_id"`    // of a sub-agent
	Submitted *string `json:"submitted_prompt"`

	Notified string `json:"notification_type"`
	Message  string `json:"message"`

	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// Parse reads an event.
func (agent) Parse(data []byte) (hook.Event, error) {
	e := &event{}
	err := hook.Read(data, e, func() hook.Names { return hook.Names{Event: e.Name, Session: e.Session, Others: []string{e.ToolUse}} })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// About says what the event means.
func (e *event) About() hook.About {
	return hook.About{
		Name: e.Name, Meaning: e.meaning(), Session: e.Session, Dir: e.Dir, Agent: e.AgentID, Tool: e.Tool,
		Call: sayso.Call{ID: e.ToolUse, Arguments: e.Input}, Failed: e.Name == PostToolUseFailure,
		// Qwen Code fires UserPromptSubmit for tool results, too; those have no text
		// that was submitted.
		Continues: e.Submitted == nil,
	}
}

func (e *event) meaning() hook.Meaning {
	switch {
	case e.Name == UserPromptSubmit && e.AgentID == "":
		return hook.Prompted
	case e.Name == Notification && e.Notified == permission && !strings.HasSuffix(e.Message, " "+toolAsk):
		return hook.Noticing
	case e.Tool == "" || strings.HasPrefix(e.Tool, ourTools):
		return hook.Nothing
	case e.Tool == toolAsk:
		return map[string]hook.Meaning{PermissionRequest: hook.Asking, PostToolUse: hook.Answered}[e.Name]
	case e.Name == PermissionRequest && terminalOnly[e.Tool]:
		return hook.Nothing
	}
	return map[string]hook.Meaning{PermissionRequest: hook.Permitting, PostToolUse: hook.Ran, PostToolUseFailure: hook.Ran}[e.Name]
}

// terminalOnly are the tools that only Qwen Code's own dialog can allow: it takes no
// notice of a hook that does.
var terminalOnly = map[string]bool{"exit_plan_mode": true, "propose_goal": true}

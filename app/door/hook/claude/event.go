package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
)

// The events that the door knows.
const (
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	UserPromptSubmit   = "UserPromptSubmit"
)

// Events lists them, in the order in which they come.
var Events = []string{UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure}

// toolName is the tool whose calls the door carries.
const toolName = "AskUserQuestion"

// dontAsk is the mode in which Claude Code refuses every question by itself.
const dontAsk = "dontAsk"

// event is what Claude Code tells a hook. Fields that the door does not need are
// not read.
type event struct {
	Name      string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Prompt    string `json:"prompt_id"` // the turn; missing in a session that was resumed
	Dir       string `json:"cwd"`
	Mode      string `json:"permission_mode"`
	Tool      string `json:"tool_name"`
	ToolUse   string `json:"tool_use_id"`
	AgentID   string `json:"agent_id"`   // of a sub-agent
	AgentType string `json:"agent_type"` // its name

	Input       json.RawMessage   `json:"tool_input"`
	Response    json.RawMessage   `json:"tool_response"`
	Suggestions []json.RawMessage `json:"permission_suggestions"`
}

// Parse reads an event.
func (agent) Parse(data []byte) (hook.Event, error) {
	e := &event{}
	err := hook.Read(data, e, func() hook.Names {
		return hook.Names{Event: e.Name, Session: e.Session, Others: []string{e.Prompt, e.ToolUse}}
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// About says what the event means.
func (e *event) About() hook.About {
	about := hook.About{
		Name: e.Name, Meaning: e.meaning(), Session: e.Session, Dir: e.Dir, Refuses: e.Mode == dontAsk,
		Agent: e.AgentID, Tool: e.Tool, Call: sayso.Call{ID: e.ToolUse, Arguments: e.Input}, Failed: e.Name == PostToolUseFailure,
	}
	if agent := strings.TrimSpace(e.AgentType); agent != "" && len(agent) <= hook.MaxName {
		about.Call.Agents = []string{agent}
	}
	return about
}

func (e *event) meaning() hook.Meaning {
	switch {
	case e.Name == UserPromptSubmit:
		return hook.Prompted
	case slices.Contains(ourTools, e.Tool):
		if e.Name == PreToolUse {
			return hook.Alone
		}
		return hook.Nothing
	case e.Tool == toolName:
		return map[string]hook.Meaning{PreToolUse: hook.Asking, PermissionRequest: hook.Showing, PostToolUse: hook.Answered}[e.Name]
	case e.Tool == "":
		return hook.Nothing
	}
	return map[string]hook.Meaning{
		PreToolUse: hook.Called, PermissionRequest: hook.Permitting, PostToolUse: hook.Ran, PostToolUseFailure: hook.Ran,
	}[e.Name]
}

package gemini

import (
	"encoding/json"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/dialect"
)

// Surface is where a person is who answers in Gemini CLI itself, and how surfaces name
// the program.
const Surface = "gemini-cli"

// The events that the door knows.
const (
	BeforeAgent  = "BeforeAgent"
	BeforeTool   = "BeforeTool"
	Notification = "Notification"
	AfterTool    = "AfterTool"
	SessionEnd   = "SessionEnd"
)

// Events lists them, in the order in which they come.
var Events = []string{BeforeAgent, BeforeTool, Notification, AfterTool, SessionEnd}

const (
	toolAsk    = "ask_user"
	permission = "ToolPermission" // the notification of a dialog
)

// Agent returns Gemini CLI as package hook takes it.
func Agent() hook.Agent { return agent{} }

type agent struct{}

func (agent) Info() hook.Info {
	return hook.Info{Name: Surface, Tool: tool, Events: Events, Nothing: (&reply{}).json(), Blocks: true}
}

var tool = &sayso.Tool{Dialect: dialect.Gemini}

// event is what Gemini CLI tells a hook. Fields that the door does not need are not
// read.
type event struct {
	Name    string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Dir     string `json:"cwd"`
	Tool    string `json:"tool_name"`

	Notified string          `json:"notification_type"`
	Details  json.RawMessage `json:"details"`

	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
}

// Parse reads an event.
func (agent) Parse(data []byte) (hook.Event, error) {
	e := &event{}
	err := hook.Read(data, e, func() hook.Names { return hook.Names{Event: e.Name, Session: e.Session} })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// About says what the event means.
func (e *event) About() hook.About {
	return hook.About{
		Name: e.Name, Meaning: e.meaning(), Session: e.Session, Dir: e.Dir, Tool: e.Tool,
		Call: sayso.Call{Arguments: e.Input},
	}
}

func (e *event) meaning() hook.Meaning {
	switch {
	case e.Name == BeforeAgent:
		return hook.Prompted
	case e.Name == SessionEnd:
		return hook.Ended
	case e.Name == Notification && e.Notified == permission && e.details().Type != toolAsk:
		return hook.Noticing
	case e.Tool == toolAsk:
		return map[string]hook.Meaning{BeforeTool: hook.Asking, AfterTool: hook.Answered}[e.Name]
	case e.Name == AfterTool && e.Tool != "":
		return hook.Ran
	}
	return hook.Nothing
}

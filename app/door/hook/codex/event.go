package codex

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// Surface is how surfaces name Codex, and where a person is who answers in it.
const Surface = "codex"

// The events that the door knows.
const (
	UserPromptSubmit = "UserPromptSubmit"
	PreToolUse       = "PreToolUse"
)

// Events lists them, in the order in which they come.
var Events = []string{UserPromptSubmit, PreToolUse}

// ToolName is the tool whose calls the door carries.
const ToolName = "request_user_input"

const (
	maxHead = 1 << 20 // of the first line of a session's file

	neverAsks = "bypassPermissions" // the mode of a session that asks nobody for permission
	execs     = "exec"              // the source of a session of "codex exec"
)

// Agent returns Codex as package hook takes it.
func Agent() hook.Agent { return agent{} }

type agent struct{}

func (agent) Info() hook.Info {
	return hook.Info{Name: Surface, Tool: tool, Events: Events, Nothing: (&reply{}).json()}
}

var tool = &sayso.Tool{Dialect: dialect.Codex}

// event is what Codex tells a hook. Fields that the door does not need are not read.
type event struct {
	Name    string          `json:"hook_event_name"`
	Session string          `json:"session_id"`
	Dir     string          `json:"cwd"`
	Mode    string          `json:"permission_mode"`
	File    string          `json:"transcript_path"`
	Tool    string          `json:"tool_name"`
	ToolUse string          `json:"tool_use_id"`
	Input   json.RawMessage `json:"tool_input"`

	unattended bool
}

// Parse reads an event.
func (agent) Parse(data []byte) (hook.Event, error) {
	e := &event{}
	err := hook.Read(data, e, func() hook.Names { return hook.Names{Event: e.Name, Session: e.Session, Others: []string{e.ToolUse}} })
	if err != nil {
		return nil, err
	}
	e.unattended = e.Mode == neverAsks && source(e.File) == execs
	return e, nil
}

// source returns how a session was started, by the first line of its file.
func source(file string) string {
	if file == "" {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	line, err := bufio.NewReader(io.LimitReader(f, maxHead)).ReadBytes('\n')
	if err != nil {
		return ""
	}
	var head struct {
		Payload struct {
			Source any `json:"source"` // a text, or more about a sub-agent
		} `json:"payload"`
	}
	if json.Unmarshal(line, &head) != nil {
		return ""
	}
	s, _ := head.Payload.Source.(string)
	return s
}

// Unattended reports whether nobody sits at a terminal: the session is one of
// "codex exec".
func (e *event) Unattended() bool { return e.unattended }

// About says what the event means.
func (e *event) About() hook.About {
	about := hook.About{
		Name: e.Name, Session: e.Session, Dir: e.Dir, Tool: e.Tool,
		Call: sayso.Call{ID: e.ToolUse, Arguments: e.Input},
	}
	switch {
	case e.Name == UserPromptSubmit:
		about.Meaning = hook.Prompted
	case e.Name == PreToolUse && e.Tool == ToolName && e.unattended:
		about.Meaning = hook.Asking
	}
	return about
}

// Said is for events that tell what was answered in Codex; none does.
func (e *event) Said(*sayso.Ask) (*sayso.Outcome, error) {
	return nil, errors.New("hook: Codex does not tell what was answered in it")
}

// reply is what Codex is told. The zero value says nothing.
type reply struct {
	Output *output `json:"hookSpecificOutput,omitempty"`
}

type output struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`       // of PreToolUse
	Reason   string `json:"permissionDecisionReason,omitempty"` // which the model reads
	Context  string `json:"additionalContext,omitempty"`        // of UserPromptSubmit; the model reads it
}

func (r *reply) json() []byte { return hook.Line(r) }

// Reply words what Codex is told.
func (e *event) Reply(t hook.Told) ([]byte, error) {
	out := &output{Event: e.Name}
	switch {
	case len(t.Late) > 0:
		out.Context = hub.LateText(t.Late)
	case t.Refusal != nil:
		out.Decision, out.Reason = "deny", t.Refusal.Text
	case t.Outcome != nil:
		r, err := tool.Finish(t.Ask, t.Outcome)
		if err != nil {
			return nil, err
		}
		out.Decision, out.Reason = "deny", result(t.Outcome, r.Text)
	default:
		return nil, nil
	}
	return (&reply{Output: out}).json(), nil
}

// result words the result of the tool: Codex puts before it that the call was blocked.
func result(o *sayso.Outcome, text string) string {
	if o.Settled().Status == sayso.StatusAnswered {
		return "The user has answered: " + text
	}
	return text
}

package qwen

import (
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/claudecall"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/hub"
)

// reply is what Qwen Code is told. The zero value says nothing: its own dialog opens.
type reply struct {
	Message string  `json:"systemMessage,omitempty"` // shown to the person at the terminal
	Output  *output `json:"hookSpecificOutput,omitempty"`
}

// output is the part of a reply that belongs to one kind of event.
type output struct {
	Event   string               `json:"hookEventName"`
	Request *claudecall.Decision `json:"decision,omitempty"`          // of PermissionRequest
	Context string               `json:"additionalContext,omitempty"` // of UserPromptSubmit; the model reads it
}

// json encodes the reply on one line.
func (r *reply) json() []byte { return hook.Line(r) }

// Reply words what Qwen Code is told.
func (e *event) Reply(t hook.Told) ([]byte, error) {
	out := &output{Event: e.Name}
	switch {
	case len(t.Late) > 0:
		out.Context = hub.LateText(t.Late)
	case t.Kept != nil:
		return e.differs(t.Kept)
	case t.Changed:
		c := &claudecall.Call{Tool: e.Tool, Input: e.Input}
		out.Request = c.Changed()
	case t.Verdict != nil:
		out.Request = e.decide(t.Verdict)
	case t.Outcome != nil:
		r, err := tool.Finish(t.Ask, t.Outcome)
		if err != nil {
			return nil, err
		}
		out.Request = claudecall.Deny(r.Text)
	default:
		return nil, nil
	}
	return (&reply{Output: out}).json(), nil
}

// differs tells the person at the terminal if another surface has another answer: the
// model has the one of the terminal.
func (e *event) differs(t *hub.Ticket) ([]byte, error) {
	said, err := e.Said(t.Ask)
	if err != nil || hook.SameAnswers(said, t.Outcome) {
		return nil, err
	}
	return (&reply{Message: fmt.Sprintf(
		"sayso: this question was also answered at %q. Qwen Code goes on with what was said here; the other answer does not count.",
		sayso.SafeLine(t.Outcome.By.Surface))}).json(), nil
}

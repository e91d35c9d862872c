package claude

import (
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/claudecall"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/hub"
)

// reply is what Claude Code is told. The zero value says nothing: Claude Code
// goes on as if there were no hook.
type reply struct {
	Message string  `json:"systemMessage,omitempty"` // shown to the person at the terminal
	Output  *output `json:"hookSpecificOutput,omitempty"`
}

// output is the part of a reply that belongs to one kind of event.
type output struct {
	Event    string               `json:"hookEventName"`
	Decision string               `json:"permissionDecision,omitempty"` // of PreToolUse: allow, deny, defer
	Reason   string               `json:"permissionDecisionReason,omitempty"`
	Input    json.RawMessage      `json:"updatedInput,omitempty"`
	Request  *claudecall.Decision `json:"decision,omitempty"`          // of PermissionRequest
	Context  string               `json:"additionalContext,omitempty"` // of UserPromptSubmit; the model reads it
}

// json encodes the reply on one line.
func (r *reply) json() []byte { return hook.Line(r) }

// Reply words what Claude Code is told.
func (e *event) Reply(t hook.Told) ([]byte, error) {
	r, err := e.reply(t)
	if r == nil || err != nil {
		return nil, err
	}
	return r.json(), nil
}

func (e *event) reply(t hook.Told) (*reply, error) {
	switch {
	case t.Refusal != nil:
		return &reply{Output: &output{Event: e.Name, Decision: "deny", Reason: t.Refusal.Text}}, nil
	case t.Deferred:
		return &reply{Output: &output{Event: e.Name, Decision: "defer"}}, nil
	case len(t.Late) > 0:
		return &reply{Output: &output{Event: e.Name, Context: hub.LateText(t.Late)}}, nil
	case t.Kept != nil:
		return e.differs(t.Kept)
	case t.Changed:
		return &reply{Output: &output{Event: e.Name, Request: e.call(nil).Changed()}}, nil
	case t.Verdict != nil:
		return &reply{Output: &output{Event: e.Name, Request: e.call(nil).Decide(t.Verdict)}}, nil
	case t.Outcome != nil:
		return e.outcome(t.Ask, t.Outcome)
	}
	return e.introduce()
}

// outcome words an outcome for the event that waited for it.
func (e *event) outcome(a *sayso.Ask, o *sayso.Outcome) (*reply, error) {
	o = spoken(a, o)
	r, err := tool.Finish(a, o)
	if err != nil {
		return nil, err
	}
	out := &output{Event: e.Name}
	answered := false
	switch o.Settled().Status {
	case sayso.StatusAnswered, sayso.StatusUnanswered:
		answered = true
		if out.Input, err = withAnswers(e.Input, r.Structured); err != nil {
			return nil, err
		}
	}
	switch {
	case e.Name == PermissionRequest && answered:
		out.Request, out.Input = &claudecall.Decision{Behavior: "allow", Input: out.Input}, nil
	case e.Name == PermissionRequest:
		out.Request = &claudecall.Decision{Behavior: "deny", Message: r.Text, Interrupt: r.StopTurn}
	case answered:
		out.Decision = "allow"
	default:
		out.Decision, out.Reason = "deny", r.Text
	}
	return &reply{Output: out}, nil
}

// spoken returns the outcome as the tool's input can say it. It has no place for
// a reply to the whole form, so that is a note on the first question, and says so.
func spoken(a *sayso.Ask, o *sayso.Outcome) *sayso.Outcome {
	if o.Reply == "" || o.Status != sayso.StatusAnswered || len(a.Questions) == 0 {
		return o
	}
	note := o.Reply
	if len(a.Questions) > 1 {
		note = "(to all the questions) " + note
	}
	s := *o
	s.Reply = ""
	s.Answers = []sayso.Answer{{QuestionID: a.Questions[0].ID, Note: note}}
	return &s
}

// withAnswers returns the tool's input with what the person said. It replaces the
// whole input, so everything else stays as it came.
func withAnswers(input, said json.RawMessage) (json.RawMessage, error) {
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(input, &whole); err != nil {
		return nil, fmt.Errorf("hook: reading the tool's input: %w", err)
	}
	var answers struct {
		Answers     json.RawMessage `json:"answers"`
		Annotations json.RawMessage `json:"annotations"`
	}
	if err := json.Unmarshal(said, &answers); err != nil {
		return nil, fmt.Errorf("hook: reading the answers: %w", err)
	}
	whole["answers"] = answers.Answers
	delete(whole, "annotations")
	if answers.Annotations != nil {
		whole["annotations"] = answers.Annotations
	}
	return json.Marshal(whole)
}

package hook

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// Reply is what Claude Code is told. The zero value says nothing: Claude Code
// goes on as if there were no hook.
type Reply struct {
	Message string  `json:"systemMessage,omitempty"` // shown to the person at the terminal
	Output  *Output `json:"hookSpecificOutput,omitempty"`
}

// Output is the part of a reply that belongs to one kind of event.
type Output struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision,omitempty"` // of PreToolUse: allow, deny, defer
	Reason   string          `json:"permissionDecisionReason,omitempty"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
	Request  *Decision       `json:"decision,omitempty"`          // of PermissionRequest
	Context  string          `json:"additionalContext,omitempty"` // of UserPromptSubmit; the model reads it
}

// Decision is what a PermissionRequest is answered with.
type Decision struct {
	Behavior  string          `json:"behavior"` // allow, deny
	Message   string          `json:"message,omitempty"`
	Interrupt bool            `json:"interrupt,omitempty"` // the turn ends
	Input     json.RawMessage `json:"updatedInput,omitempty"`
}

// JSON spells the reply on one line.
func (r *Reply) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return []byte("{}\n") // of the parts, only an input that Claude Code sent could refuse to be spelled
	}
	return b.Bytes()
}

var tool = &sayso.Tool{Dialect: dialect.Claude}

// reply words an outcome for the event that waited for it.
func (e *Event) reply(a *sayso.Ask, o *sayso.Outcome) (*Reply, error) {
	o = spoken(a, o)
	r, err := tool.Finish(a, o)
	if err != nil {
		return nil, err
	}
	out := &Output{Event: e.Name}
	switch o.Settled().Status {
	case sayso.StatusAnswered, sayso.StatusUnanswered:
		if out.Input, err = withAnswers(e.Input, r.Structured); err != nil {
			return nil, err
		}
		if e.Name == PermissionRequest {
			out.Request = &Decision{Behavior: "allow", Input: out.Input}
			out.Input = nil
		} else {
			out.Decision = "allow"
		}
	default:
		if e.Name == PermissionRequest {
			if !decided(o) {
				return &Reply{}, nil // the dialog at the terminal is still open, and counts
			}
			out.Request = &Decision{Behavior: "deny", Message: r.Text, Interrupt: r.StopTurn}
		} else {
			out.Decision, out.Reason = "deny", r.Text
		}
	}
	return &Reply{Output: out}, nil
}

// decided reports whether a person decided that there is no answer.
func decided(o *sayso.Outcome) bool {
	return o.By.Kind.Human() && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled)
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

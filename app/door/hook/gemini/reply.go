package gemini

import (
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/hub"
)

// reply is what Gemini CLI is told. The zero value says nothing: its own dialog opens.
type reply struct {
	Decision string  `json:"decision,omitempty"` // of BeforeTool: deny
	Reason   string  `json:"reason,omitempty"`   // which the model reads
	Message  string  `json:"systemMessage,omitempty"`
	Output   *output `json:"hookSpecificOutput,omitempty"`
}

// output is the part of a reply that belongs to one kind of event.
type output struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext,omitempty"` // of BeforeAgent; the model reads it
}

// answered begins what the model is told of an answer, behind Gemini CLI's own words
// "Tool execution blocked: ".
const answered = "no dialog was shown, because the user answered elsewhere. The result is "

// closed begins what the model is told if the user decided not to answer.
const closed = "no dialog was shown, because the user responded elsewhere. "

// json encodes the reply on one line.
func (r *reply) json() []byte { return hook.Line(r) }

// Reply words what Gemini CLI is told.
func (e *event) Reply(t hook.Told) ([]byte, error) {
	switch {
	case len(t.Late) > 0:
		return (&reply{Output: &output{e.Name, hub.LateText(t.Late)}}).json(), nil
	case t.Kept != nil:
		return e.differs(t.Kept)
	case t.Outcome != nil:
		r, err := tool.Finish(t.Ask, t.Outcome)
		if err != nil {
			return nil, err
		}
		begin := closed
		if t.Outcome.Settled().Status == sayso.StatusAnswered {
			begin = answered
		}
		return (&reply{Decision: "deny", Reason: begin + r.Text}).json(), nil
	}
	return nil, nil
}

// differs tells the person at the terminal if another surface has another answer: the
// model has the one of the terminal.
func (e *event) differs(t *hub.Ticket) ([]byte, error) {
	said, err := e.Said(t.Ask)
	if err != nil || hook.SameAnswers(said, t.Outcome) {
		return nil, err
	}
	return (&reply{Message: fmt.Sprintf(
		"sayso: this question was also answered at %q. Gemini CLI goes on with what was said here; the other answer does not count.",
		sayso.SafeLine(t.Outcome.By.Surface))}).json(), nil
}

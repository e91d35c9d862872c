package dialect

import (
	"encoding/json"
	"slices"

	"github.com/saysohq/sayso"
)

// Cursor is the cursor/ask_question request of Cursor's agent, which it sends to
// its ACP client. Questions and options have ids, and the reply speaks of those
// only, so nothing that a person writes can be taken for something else.
//
// The reply is JSON with one of three outcomes. "skipped", with a reason, and
// "cancelled" have been seen in clients in the field. The members of "answered"
// are not documented: we send questionId and selectedOptionIds, as several public
// clients do, and own words in freeText, which is ours and which Cursor may
// ignore. A reply to the form as a whole goes into the reason for having skipped
// it.
var Cursor sayso.Dialect = cursor{}

type cursor struct{}

func (cursor) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "cursor",
		Name:        "cursor/ask_question",
		Description: cursorDescription,
		Schema:      json.RawMessage(cursorSchema),
		Limits:      sayso.Limits{MaxQuestions: 20, MinOptions: 1, MaxOptions: 20, NeedOptions: true},
	}
}

// Parse takes the title of the form for the header of its first question.
func (cursor) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	ask := r.ask(v)
	if _, form := member(v, namesQuestions); form && len(ask.Questions) > 0 && ask.Questions[0].Header == "" {
		r.at = -1
		ask.Questions[0].Header = r.str(v, "title", []string{"title"})
	}
	return ask, r.OrNil()
}

func (cursor) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("cursor/ask_question", e, ".text", ".prompt", ".multi", ".allowMultiple")
}

func (cursor) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	outcome, reason := "skipped", ""
	var answers []said
	switch o.Status {
	case sayso.StatusAnswered:
		answers = slices.DeleteFunc(saidTo(a, o.Answers), func(s said) bool { return !s.answered })
		if len(answers) > 0 {
			outcome = "answered"
		}
		if reply := unlessBlank(o.Reply); reply != "" {
			reason = "The user replied to the form as a whole: " + reply
		}
	case sayso.StatusCancelled:
		outcome, reason = "cancelled", sayso.SafeLine(o.Reason)
	default:
		reason = noAnswer(a, o)
	}
	var w jsonWriter
	w.open('{').key("outcome").open('{').key("outcome").str(outcome)
	if len(answers) > 0 {
		cursorAnswers(&w, answers)
	}
	if reason != "" {
		w.key("reason").str(reason)
	}
	w.close('}').close('}')
	return &sayso.Result{
		Text: string(w.buf), Structured: w.message(),
		IsError:  o.Status == sayso.StatusUnreachable,
		StopTurn: o.Status == sayso.StatusCancelled,
	}, nil
}

func cursorAnswers(w *jsonWriter, answers []said) {
	w.key("answers").open('[')
	for _, s := range answers {
		w.open('{').key("questionId").str(s.ID).key("selectedOptionIds").open('[')
		for _, opt := range s.options {
			w.str(opt.ID)
		}
		w.close(']')
		if words := s.remarks(); words != "" {
			w.key("freeText").str(words)
		}
		w.close('}')
	}
	w.close(']')
}

const cursorDescription = `Ask the person to choose when a decision is theirs and you cannot settle it yourself.

- Give every question and every option an id: the answers come back by id.
- Put the option you would choose first, and set allowMultiple when several can hold together.`

const cursorSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["questions"],
  "properties": {
    "toolCallId": {"type": "string", "description": "The tool call that asks"},
    "title": {"type": "string", "description": "A short name for the whole form"},
    "questions": {
      "type": "array",
      "minItems": 1,
      "maxItems": 20,
      "description": "The questions, in the order in which they are shown",
      "items": {
        "type": "object",
        "required": ["id", "prompt", "options"],
        "properties": {
          "id": {"type": "string", "minLength": 1, "description": "A name that no other question of the call has"},
          "prompt": {"type": "string", "minLength": 1, "description": "The question itself"},
          "options": {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "description": "The choices, different from each other",
            "items": {
              "type": "object",
              "required": ["id", "label"],
              "properties": {
                "id": {"type": "string", "minLength": 1, "description": "A name that no other option of the question has"},
                "label": {"type": "string", "minLength": 1, "description": "What the person sees and chooses"}
              }
            }
          },
          "allowMultiple": {"type": "boolean", "default": false, "description": "Whether several options may be chosen"}
        }
      }
    }
  }
}`

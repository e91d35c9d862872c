package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// Gemini is the ask_user tool of Gemini CLI (0.61.0).
//
// The result is JSON by the index of the question, so own words cannot pass for
// another question's answer; within one answer, options and own words are joined
// with a comma, as Gemini CLI does it. It has no notes and no reply to the whole
// form; they are members of their own.
var Gemini sayso.Dialect = gemini{}

type gemini struct{}

func (gemini) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "gemini",
		Name:        "ask_user",
		Description: geminiDescription,
		Schema:      json.RawMessage(geminiSchema),
		Limits:      sayso.Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4},
	}
}

func (gemini) Parse(arguments json.RawMessage) (*sayso.Ask, error) { return parse(arguments) }

// Refuse says in Gemini CLI's sentences what it has sentences for, one a line.
func (gemini) Refuse(e *sayso.InvalidError) *sayso.Result {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = geminiProblem(p)
	}
	return &sayso.Result{Text: strings.Join(lines, "\n"), IsError: true}
}

func geminiProblem(p sayso.Problem) string {
	if errors.Is(p.Err, sayso.ErrNoQuestions) {
		return "At least one question is required."
	}
	question, option, field := place(p.Path)
	at := fmt.Sprintf("Question %d", question+1)
	if option >= 0 {
		at += fmt.Sprintf(", option %d", option+1)
	}
	switch {
	case errors.Is(p.Err, sayso.ErrOptionCount):
		if strings.HasPrefix(p.Message, "has 0 ") || strings.HasPrefix(p.Message, "has 1 ") {
			return at + ": type='choice' requires 'options' array with 2-4 items."
		}
		return at + ": 'options' array must have at most 4 items."
	case errors.Is(p.Err, sayso.ErrEmptyLabel), errors.Is(p.Err, sayso.ErrMalformed) && option >= 0 && field == "label":
		return at + ": 'label' is required and must be a non-empty string."
	case errors.Is(p.Err, sayso.ErrMalformed) && option >= 0 && field == "description":
		return at + ": 'description' is required and must be a string."
	case question >= 0 && field != "":
		return at + ": '" + strings.NewReplacer("text", "question", "multi", "multiSelect").Replace(field) + "' " + sayso.SafeLine(p.Message)
	}
	return sayso.SafeLine(p.String())
}

// place reads a path of [sayso.QuestionPath]; what it does not name is negative.
func place(path string) (question, option int, field string) {
	question, option = -1, -1
	if n, _ := fmt.Sscanf(path, "questions[%d].options[%d].%s", &question, &option, &field); n < 2 {
		fmt.Sscanf(path, "questions[%d].%s", &question, &field)
	}
	return question, option, field
}

func (gemini) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{IsError: o.Status == sayso.StatusUnreachable}
	if o.Status == sayso.StatusAnswered {
		r.Structured = w.answersJSON(saidTo(a, o.Answers), o, byIndex)
	} else {
		r.Structured = w.noAnswersJSON(noAnswer(a, o))
	}
	r.Text = string(r.Structured)
	if (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled) && byPerson(o) {
		r.Text = withReason("User dismissed ask_user dialog without answering.", o)
	}
	return r, nil
}

const geminiDescription = `Ask the person you work for when you need their preference, a decision or something that only they know.

- Ask 1 to 4 questions in one call; keep each to one subject.
- type "choice" offers 2 to 4 options (the person can also write something else), "yesno" asks for a confirmation, "text" asks for words.
- Set multiSelect where several options can hold together; give a placeholder to hint at what to write.`

const geminiSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["questions"],
  "properties": {
    "questions": {
      "type": "array",
      "minItems": 1,
      "maxItems": 4,
      "description": "The questions, 1 to 4",
      "items": {
        "type": "object",
        "required": ["question", "header", "type"],
        "properties": {
          "question": {"type": "string", "minLength": 1, "description": "The whole question"},
          "header": {"type": "string", "description": "A very short name, at most 16 characters"},
          "type": {"type": "string", "enum": ["choice", "text", "yesno"], "default": "choice", "description": "How it is answered"},
          "options": {
            "type": "array",
            "minItems": 2,
            "maxItems": 4,
            "description": "For type choice: 2 to 4 choices; no \"Other\"",
            "items": {
              "type": "object",
              "required": ["label", "description"],
              "properties": {
                "label": {"type": "string", "minLength": 1, "description": "What the person sees, 1 to 5 words"},
                "description": {"type": "string", "description": "What the choice means"}
              }
            }
          },
          "multiSelect": {"type": "boolean", "description": "For type choice: whether several options may be chosen"},
          "placeholder": {"type": "string", "description": "A hint shown where the person writes"}
        }
      }
    }
  }
}`

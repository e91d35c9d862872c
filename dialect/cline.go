package dialect

import (
	"encoding/json"

	"github.com/saysohq/sayso"
)

// Cline is the ask_question tool of Cline: one question, with two to five
// options that are strings.
//
// The text is the answer and nothing else, so a person who writes "[User
// dismissed the question]" looks like one who dismissed it. Result.Structured,
// which Cline itself does not have, tells them apart: it holds the answer, and
// there is none without one.
var Cline sayso.Dialect = cline{}

type cline struct{}

func (cline) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "cline",
		Name:        "ask_question",
		Description: clineDescription,
		Schema:      json.RawMessage(clineSchema),
		Limits:      sayso.Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 5, NeedOptions: true},
	}
}

func (cline) Parse(arguments json.RawMessage) (*sayso.Ask, error) { return parse(arguments) }

func (cline) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("ask_question", e, "questions[0].text", "question", ".label", "", "questions[0].", "", "questions", "question")
}

func (cline) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	switch {
	case o.Status == sayso.StatusAnswered:
		answer := lines(choiceAndWords(a, o))
		var w jsonWriter
		w.open('{').key("answer").str(answer).close('}')
		return &sayso.Result{Text: answer, Structured: w.message()}, nil
	case byPerson(o) && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled):
		r := &sayso.Result{Text: "[User dismissed the question]"}
		if o.Reason != "" {
			r.Text += " Reason: " + sayso.SafeLine(o.Reason)
		}
		return r, nil
	}
	return &sayso.Result{Text: noAnswer(a, o), IsError: o.Status == sayso.StatusUnreachable}, nil
}

const clineDescription = `Ask the person one question when a decision is theirs, or when you lack something that only they know.

- Offer 2 to 5 short options, the one you would choose first.
- Do not offer an "Other" option: the person can always answer in their own words.
- Ask only what you cannot find out with your other tools.`

const clineSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["question", "options"],
  "additionalProperties": false,
  "properties": {
    "question": {"type": "string", "minLength": 1, "description": "The one question to ask"},
    "options": {
      "type": "array",
      "minItems": 2,
      "maxItems": 5,
      "description": "The choices, 2 to 5, different from each other",
      "items": {"type": "string", "minLength": 1}
    }
  }
}`

package dialect

import (
	"encoding/json"

	"github.com/saysohq/sayso"
)

// Opal is the ask_user tool of the opal agent (seed 0): one question, with or
// without choices, and the answer itself as the result.
//
// The text is the bare answer, own words on the line after a choice. Nothing but
// the error mark tells an answer from its absence: so everything that is not an
// answer is an error, in the words that opal has for a request that failed.
var Opal sayso.Dialect = opal{}

type opal struct{}

func (opal) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "opal",
		Name:        "ask_user",
		Description: opalDescription,
		Schema:      json.RawMessage(opalSchema),
		Limits:      sayso.Limits{MaxQuestions: 1, MaxOptions: 20},
	}
}

func (opal) Parse(arguments json.RawMessage) (*sayso.Ask, error) { return parse(arguments) }

func (opal) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("ask_user", e, "questions[0].text", "question", "questions[0].options", "choices", "questions[0].", "", ".label", "", "questions", "question")
}

func (opal) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status != sayso.StatusAnswered {
		return &sayso.Result{
			Text:     opalFailed(a, o),
			IsError:  true,
			StopTurn: o.Status == sayso.StatusCancelled,
		}, nil
	}
	answer := lines(choiceAndWords(a, o))
	var w jsonWriter
	w.open('{').key("answer").str(answer).close('}')
	return &sayso.Result{Text: answer, Structured: w.message()}, nil
}

func opalFailed(a *sayso.Ask, o *sayso.Outcome) string {
	switch {
	case o.Status == sayso.StatusPending:
		return noAnswer(a, o) // nothing has failed yet
	case o.By.Kind == sayso.ByAgent && o.Reason != "":
		return "Question failed: " + sayso.SafeLine(o.Reason) // it was the parent agent who was asked
	}
	return "User input request failed: " + noAnswer(a, o)
}

const opalDescription = `Ask the person you work for one question and wait until they answer.

Give choices when you can name the likely answers; the person may choose one or answer in their own words. Leave choices out to ask for words.`

const opalSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["question"],
  "additionalProperties": false,
  "properties": {
    "question": {"type": "string", "minLength": 1, "description": "The question"},
    "choices": {
      "type": "array",
      "maxItems": 20,
      "description": "Answers to choose from, different from each other",
      "items": {"type": "string", "minLength": 1}
    }
  }
}`

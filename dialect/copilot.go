package dialect

import (
	"encoding/json"

	"github.com/saysohq/sayso"
)

// Copilot is the ask_user tool of GitHub Copilot's CLI and SDK, in its plain
// form: one question, and choices that are strings. Its other form, in which the
// model writes a JSON schema, is not spoken here.
//
// The text says whether the person selected a choice or responded in words, and
// ends with those words, so it reads back; a choice whose label holds a line
// break can imitate both. Result.Structured is what a handler of the SDK's user
// input requests returns, with a note of our own where the person chose and
// remarked; there is none without an answer.
var Copilot sayso.Dialect = copilot{}

type copilot struct{}

func (copilot) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "copilot",
		Name:        "ask_user",
		Description: copilotDescription,
		Schema:      json.RawMessage(copilotSchema),
		Limits:      sayso.Limits{MaxQuestions: 1, MinOptions: 1, MaxOptions: 20},
	}
}

func (copilot) Parse(arguments json.RawMessage) (*sayso.Ask, error) { return parse(arguments) }

func (copilot) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("ask_user", e, "questions[0].text", "question", "questions[0].options", "choices",
		".label", "", "questions[0].", "", "questions", "question")
}

func (copilot) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status != sayso.StatusAnswered {
		return &sayso.Result{Text: noAnswer(a, o), IsError: o.Status == sayso.StatusUnreachable}, nil
	}
	choice, words := choiceAndWords(a, o)
	r := &sayso.Result{Text: "User selected: " + choice}
	var w jsonWriter
	w.open('{').key("answer")
	switch {
	case choice == "":
		r.Text = "User responded: " + words
		w.str(words).key("wasFreeform").bool(true)
	case words == "":
		w.str(choice).key("wasFreeform").bool(false)
	default:
		r.Text += "\nUser responded: " + words
		w.str(choice).key("wasFreeform").bool(false).key("note").str(words)
	}
	r.Structured = w.close('}').message()
	return r, nil
}

const copilotDescription = `Ask the person you work for one question and wait for the answer. Use it when a decision is theirs and you cannot settle it yourself.

- Offer choices where the likely answers are known, the one you would choose first; leave them out to ask for words.
- Do not add a choice such as "Other": the person can always answer in their own words.
- Ask one thing at a time.`

const copilotSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["question"],
  "properties": {
    "question": {"type": "string", "minLength": 1, "description": "The question, as one clear sentence"},
    "choices": {
      "type": "array",
      "minItems": 1,
      "maxItems": 20,
      "description": "The answers to choose from, different from each other",
      "items": {"type": "string", "minLength": 1}
    },
    "allow_freeform": {"type": "boolean", "default": true, "description": "Whether words are expected beside the choices"}
  }
}`

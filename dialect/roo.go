package dialect

import (
	"encoding/json"
	"regexp"

	"github.com/saysohq/sayso"
)

// Roo is the ask_followup_question tool of Roo Code: one question, with one to
// four suggested answers.
//
// What the person says comes back inside <user_message> tags, whether it was
// suggested or their own. A closing tag inside it gets a backslash before its
// slash, and one more where it has some already, so that the last line is always
// the only one that closes and the words read back exactly. Without an answer
// there are no tags.
//
// A suggestion may switch Roo's mode when it is taken; the person is told so in
// the description of the option.
var Roo sayso.Dialect = roo{}

type roo struct{}

func (roo) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "roo",
		Name:        "ask_followup_question",
		Description: rooDescription,
		Schema:      json.RawMessage(rooSchema),
		Limits:      sayso.Limits{MaxQuestions: 1, MinOptions: 1, MaxOptions: 4, NeedOptions: true},
	}
}

func (roo) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	ask := r.ask(v)
	if len(ask.Questions) == 1 {
		options := ask.Questions[0].Options
		for i, f := range newReader().list(v, "", namesOptions) {
			mode := newReader().str(f, "", []string{"mode"})
			if i < len(options) && mode != "" && options[i].Description == "" {
				options[i].Description = "Switches to the mode " + quote(mode)
			}
		}
	}
	return ask, r.OrNil()
}

func (roo) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("ask_followup_question", e, "questions[0].text", "question", "questions[0].options", "follow_up",
		".label", ".text", "questions[0].", "", "questions", "question")
}

func (roo) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status != sayso.StatusAnswered {
		return &sayso.Result{Text: noAnswer(a, o), IsError: o.Status == sayso.StatusUnreachable}, nil
	}
	message := rooClosing.ReplaceAllString(lines(choiceAndWords(a, o)), `<\${1}/${2}`)
	return &sayso.Result{Text: "<user_message>\n" + message + "\n</user_message>"}, nil
}

// rooClosing finds whatever could be read as the closing tag, and what it was
// made into.
var rooClosing = regexp.MustCompile(`(?i)<(\\*)/(\s*user_message)`)

const rooDescription = `Ask the person one question when you need to know something to go on that the task, the code and your tools do not tell.

- Suggest one to four complete answers that can be used as they are, the likeliest first.
- The person can take one of them or write their own.
- Give a suggestion a mode only where taking it means to go on in that mode.`

const rooSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["question", "follow_up"],
  "additionalProperties": false,
  "properties": {
    "question": {"type": "string", "minLength": 1, "description": "The question, clear and specific"},
    "follow_up": {
      "type": "array",
      "minItems": 1,
      "maxItems": 4,
      "description": "Suggested answers, 1 to 4, without gaps to fill in",
      "items": {
        "type": "object",
        "required": ["text", "mode"],
        "additionalProperties": false,
        "properties": {
          "text": {"type": "string", "minLength": 1, "description": "The answer that is suggested"},
          "mode": {"type": ["string", "null"], "description": "The mode to switch to when this answer is taken, or null"}
        }
      }
    }
  }
}`

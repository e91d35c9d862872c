package dialect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// JSON is the ask_user_question tool of the state machine agent (seed 3): its
// result is a JSON object with the answers keyed by question, a cancelled
// question is an error that ends the turn, and refusals are one sentence a line.
//
// The options that were chosen, and own words beside them, are joined by commas
// into one string. Nothing in it can pass for the answer to another question, but
// a label or own words with a comma look like two items.
//
// The agent lets no sub-agent ask. A host that wants the same gives sub-agents
// sayso.Deny("ask_user_question is not available to sub-agents").
var JSON sayso.Dialect = jsonAnswers{}

type jsonAnswers struct{}

const (
	jsonMinOptions = 2
	jsonMaxOptions = 4
)

func (jsonAnswers) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "json",
		Name:        "ask_user_question",
		Description: jsonDescription,
		Schema:      json.RawMessage(jsonSchema),
		Limits: sayso.Limits{
			MaxQuestions: 4, MinOptions: jsonMinOptions, MaxOptions: jsonMaxOptions,
			NeedOptions: true, UniqueText: true,
		},
	}
}

// Parse counts the options itself, because the agent's sentence about them quotes
// the question, and Refuse sees the problems only.
func (jsonAnswers) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	a := r.ask(v)
	for i := range a.Questions {
		q := &a.Questions[i]
		if n := len(q.Options); n < jsonMinOptions || n > jsonMaxOptions {
			r.Add(sayso.ErrOptionCount, "", "Question '"+q.Text+"' must have 2-4 options")
		}
	}
	return a, r.OrNil()
}

func (jsonAnswers) Refuse(e *sayso.InvalidError) *sayso.Result {
	quotes := func(p sayso.Problem) bool { return errors.Is(p.Err, sayso.ErrOptionCount) && p.Path == "" }
	quoted := slices.ContainsFunc(e.Problems, quotes)
	rename := strings.NewReplacer(".text", ".question", ".multi", ".multiSelect")
	var lines []string
	for _, p := range e.Problems {
		var line string
		switch {
		case errors.Is(p.Err, sayso.ErrNoQuestions), errors.Is(p.Err, sayso.ErrTooManyQuestions):
			line = "Must have 1-4 questions"
		case quotes(p):
			line = p.Message
		case quoted && errors.Is(p.Err, sayso.ErrOptionCount):
			continue // what Validate adds to what Parse has said already
		default:
			p.Path = rename.Replace(p.Path)
			line = "Invalid input: " + p.String()
		}
		lines = append(lines, sayso.SafeLine(line))
	}
	return &sayso.Result{Text: strings.Join(lines, "\n"), IsError: true}
}

func (jsonAnswers) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusCancelled, sayso.StatusDeclined, sayso.StatusUnreachable:
		r.IsError = true
		r.StopTurn = o.Status == sayso.StatusCancelled
		r.Text = noAnswer(a, o)
		if o.Status == sayso.StatusCancelled && byPerson(o) {
			r.Text = userCancelled(o)
		}
	case sayso.StatusAnswered:
		r.Structured = jsonResult(saidTo(a, o.Answers), unlessBlank(o.Reply))
		r.Text = string(r.Structured)
	default:
		var w jsonWriter
		w.open('{').key("answers").open('{').close('}').key("note").str(noAnswer(a, o))
		r.Structured = w.close('}').message()
		r.Text = string(r.Structured)
	}
	return r, nil
}

// jsonResult is the agent's result, and what it has no place for: a remark on the
// choice, and a reply to the form as a whole.
func jsonResult(all []said, reply string) json.RawMessage {
	var w jsonWriter
	w.open('{').key("answers").open('{')
	noted := false
	for _, s := range all {
		if values := s.values(); len(values) > 0 {
			w.key(s.TextAsAsked()).str(strings.Join(values, ", "))
		}
		noted = noted || s.note != ""
	}
	w.close('}')
	if noted {
		w.key("notes").open('{')
		for _, s := range all {
			if s.note != "" {
				w.key(s.TextAsAsked()).str(s.note)
			}
		}
		w.close('}')
	}
	if reply != "" {
		w.key("response").str(reply)
	}
	return w.close('}').message()
}

const jsonDescription = `Ask the person you work for when several ways are right and the choice is theirs.

Ask 1 to 4 questions in one call, each with 2 to 4 options; be brief and clear. The person can also answer in their own words. Sub-agents cannot use this tool.`

const jsonSchema = `{
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
        "required": ["question", "options"],
        "properties": {
          "question": {"type": "string", "minLength": 1, "description": "The whole question as the person reads it"},
          "header": {"type": "string", "description": "A short name for it, at most 12 characters"},
          "options": {
            "type": "array",
            "minItems": 2,
            "maxItems": 4,
            "description": "The choices, 2 to 4, different from each other",
            "items": {
              "type": "object",
              "required": ["label"],
              "properties": {
                "label": {"type": "string", "minLength": 1},
                "description": {"type": "string"}
              }
            }
          },
          "multiSelect": {"type": "boolean", "default": false, "description": "Whether several options may be chosen"}
        }
      }
    }
  }
}`

package dialect

import (
	"encoding/json"

	"github.com/saysohq/sayso"
)

// Kimi is the AskUserQuestion tool of Kimi CLI (source of July 2026).
//
// The result is JSON by the exact text of the question, so own words cannot pass
// for another question's answer; within one answer, options and own words are
// joined with a comma. Kimi CLI's words for a run without a person tell the model
// to decide by itself; they are not used, because nobody has said so.
var Kimi sayso.Dialect = kimi{}

type kimi struct{}

func (kimi) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "kimi",
		Name:        "AskUserQuestion",
		Description: kimiDescription,
		Schema:      json.RawMessage(kimiSchema),
		Limits: sayso.Limits{
			MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
			NeedOptions: true, UniqueText: true,
		},
	}
}

func (kimi) Parse(arguments json.RawMessage) (*sayso.Ask, error) { return parse(arguments) }

func (kimi) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("AskUserQuestion", e, ".text", ".question", ".multi", ".multi_select")
}

func (kimi) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	w := jsonWriter{spaced: true}
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusAnswered:
		all := saidTo(a, o.Answers)
		r.Structured = w.answersJSON(all, o, func(i int) string { return all[i].TextAsAsked() })
	case sayso.StatusUnanswered, sayso.StatusDeclined, sayso.StatusCancelled:
		note := noAnswer(a, o)
		if byPerson(o) {
			note = withReason("User dismissed the question without answering.", o)
		}
		r.Structured = w.noAnswersJSON(note)
	default:
		r.Structured = w.noAnswersJSON(noAnswer(a, o))
	}
	r.Text = string(r.Structured)
	if o.Status == sayso.StatusUnreachable {
		r.IsError = true
		if sayso.Blank(o.Reason) {
			r.Text = "The connected client does not support interactive questions. Do NOT call this tool again. Ask the user directly in your text response instead."
		}
	}
	return r, nil
}

const kimiDescription = `Ask the person you work for structured questions when the work depends on a choice that you should not make for them.

- Ask 1 to 4 questions in one call, each with 2 to 4 options that differ in substance.
- Do not offer "Other": one is always added.
- Set multi_select where several options can be chosen.
- End the label of an option that you recommend with "(Recommended)" and put it first.`

const kimiSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["questions"],
  "properties": {
    "questions": {
      "type": "array",
      "minItems": 1,
      "maxItems": 4,
      "description": "The questions, 1 to 4, each with another text",
      "items": {
        "type": "object",
        "required": ["question", "options"],
        "properties": {
          "question": {"type": "string", "minLength": 1, "description": "A question that can be acted upon, ending in a question mark"},
          "header": {"type": "string", "default": "", "description": "A short name, at most 12 characters"},
          "options": {
            "type": "array",
            "minItems": 2,
            "maxItems": 4,
            "description": "The choices, 2 to 4; no \"Other\"",
            "items": {
              "type": "object",
              "required": ["label"],
              "properties": {
                "label": {"type": "string", "minLength": 1, "description": "What the person sees, 1 to 5 words"},
                "description": {"type": "string", "default": "", "description": "What speaks for it and what it costs"}
              }
            }
          },
          "multi_select": {"type": "boolean", "default": false, "description": "Whether several options may be chosen"}
        }
      }
    }
  }
}`

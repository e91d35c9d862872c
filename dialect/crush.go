package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Crush is the question tool of Crush (0.90.0).
//
// The lines of a question's text, of own words and of notes are indented after
// the first, so that none of them can pass for the start of another question or
// answer. Choices come back by their ids; a choice that was sent without one has
// its label as id. The title and description of the confirmation, of which only
// forms have use, are in the ask's Metadata as confirm_title and
// confirm_description, made safe to show.
//
// Crush counts bytes where it limits lengths; this dialect counts characters, and
// a question without a description is taken.
var Crush sayso.Dialect = crush{}

const (
	crushMaxQuestion    = 240
	crushMaxDescription = 600
)

type crush struct{}

func (crush) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "crush",
		Name:        "question",
		Description: crushDescription,
		Schema:      json.RawMessage(crushSchema),
		Limits: sayso.Limits{
			MaxQuestions: 5, MinOptions: 2, MaxOptions: 5,
			MaxText: crushMaxDescription, MaxBody: crushMaxDescription, MaxLabel: 200,
		},
	}
}

func (crush) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	ask := r.ask(v)
	for i := range ask.Questions {
		q := &ask.Questions[i]
		if n := utf8.RuneCountInString(q.Text); n > crushMaxQuestion && n <= crushMaxDescription { // Validate has the rest
			r.Add(sayso.ErrTooLong, sayso.QuestionPath(i, -1, "text"), fmt.Sprintf("has %d characters; use at most %d", n, crushMaxQuestion))
		}
		for j := range q.Options {
			crushID(&q.Options[j])
		}
	}
	r.at = -1
	crushConfirm(ask, v, "confirm_title", sayso.SafeLine)
	crushConfirm(ask, v, "confirm_description", sayso.SafeText)
	return ask, r.OrNil()
}

// crushID names an option by its label: the model must know the id that it reads
// in the result.
func crushID(o *sayso.Option) {
	label := strings.TrimSpace(o.Label)
	if o.ID == "" && len(label) <= 128 && sayso.SafeLine(label) == label {
		o.ID = label
	}
}

func crushConfirm(ask *sayso.Ask, v strictjson.Value, name string, safe func(string) string) {
	f, _ := v.Get(name)
	text := strings.TrimSpace(safe(f.Str()))
	if text == "" {
		return
	}
	if ask.Metadata == nil {
		ask.Metadata = map[string]any{}
	}
	ask.Metadata[name] = text
}

func (crush) Refuse(e *sayso.InvalidError) *sayso.Result {
	return refuse("question", e, ".text", ".question", ".options", ".choices", ".header", ".label", ".body", ".description", ".multi", ".type")
}

func (crush) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	if o.Status == sayso.StatusAnswered {
		all := saidTo(a, o.Answers)
		list := make([]string, len(all))
		for i, s := range all {
			list[i] = "Q" + strconv.Itoa(i+1) + ": " + indented(s.TextAsAsked()) + "\n" + crushAnswer(s)
		}
		r.Text = withReply(strings.Join(list, "\n\n"), all, o)
		r.Structured = crushOutput(all, o)
		return r, nil
	}
	r.Text = noAnswer(a, o)
	var w jsonWriter
	r.Structured = w.open('{').key("responses").open('[').close(']').key("note").str(r.Text).close('}').message()
	switch o.Status {
	case sayso.StatusCancelled:
		r.IsError, r.StopTurn = true, true
		if byPerson(o) {
			r.Text = withReason("User cancelled this question", o)
		}
	case sayso.StatusDeclined, sayso.StatusUnreachable:
		r.IsError = true
	}
	return r, nil
}

func crushAnswer(s said) string {
	var lines []string
	if yes, ok := crushYes(s); ok {
		if yes {
			lines = append(lines, "User answered: yes")
		} else {
			lines = append(lines, "User answered: no")
		}
	} else if len(s.options) > 0 {
		var w jsonWriter
		lines = append(lines, "User selected: "+string(w.strs(crushIDs(s)).buf))
	}
	if s.other != "" {
		lines = append(lines, "User provided: "+indented(s.other))
	}
	if len(lines) == 0 {
		lines = append(lines, "User skipped this question")
	}
	if s.note != "" {
		if len(s.options) == 1 {
			lines = append(lines, "", "Notes:", indented("- ["+s.options[0].ID+"]: "+s.note))
		} else {
			lines = append(lines, "", "Notes:", indented("- "+s.note))
		}
	}
	return strings.Join(lines, "\n")
}

// crushYes returns the answer to a yes_no question, if s is one and has one.
func crushYes(s said) (yes, ok bool) {
	if !slices.Equal(s.Options, yesNo()) || len(s.options) != 1 {
		return false, false
	}
	return s.options[0].ID == "yes", true
}

func crushIDs(s said) []string {
	ids := make([]string, len(s.options))
	for i, o := range s.options {
		ids[i] = o.ID
	}
	return ids
}

// crushOutput has the answers as Crush's own API takes them.
func crushOutput(all []said, o *sayso.Outcome) json.RawMessage {
	var w jsonWriter
	w.open('{').key("responses").open('[')
	for _, s := range all {
		w.open('{').key("request_id").str(s.ID)
		if yes, ok := crushYes(s); ok {
			w.key("yes").bool(yes)
		} else if len(s.options) > 0 {
			w.key("selected_ids").strs(crushIDs(s))
		}
		if s.other != "" {
			w.key("fill_in_text").str(s.other)
		}
		if s.note != "" {
			on := "_question"
			if len(s.options) == 1 {
				on = s.options[0].ID
			}
			w.key("notes").open('{').key(on).str(s.note).close('}')
		}
		w.close('}')
	}
	w.close(']')
	w.reply(o)
	return w.close('}').message()
}

const crushDescription = `Ask the person you work for when you need a decision, a preference or a fact that only they have.

- Ask 1 to 5 questions in one call. Give more than one a confirm_title and a confirm_description for the last page of the form.
- type "yes_no" asks for a confirmation, "single_choice" and "multi_choice" offer 2 to 5 choices, "free_text" asks for words.
- Give every choice an id: it is what you get back. Do not add "Other": the person can always write something else.`

const crushSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["questions"],
  "properties": {
    "questions": {
      "type": "array",
      "minItems": 1,
      "maxItems": 5,
      "description": "The questions, 1 to 5",
      "items": {
        "type": "object",
        "required": ["type", "question", "description"],
        "properties": {
          "label": {"type": "string", "description": "A short name for the tab, at most 3 words"},
          "type": {"type": "string", "enum": ["yes_no", "single_choice", "multi_choice", "free_text"], "description": "How it is answered"},
          "question": {"type": "string", "minLength": 1, "maxLength": 240, "description": "The question"},
          "description": {"type": "string", "maxLength": 600, "description": "What the person should know to answer, in Markdown"},
          "choices": {
            "type": "array",
            "minItems": 2,
            "maxItems": 5,
            "description": "For the choice types: 2 to 5 choices; no \"Other\"",
            "items": {
              "type": "object",
              "required": ["id", "label"],
              "properties": {
                "id": {"type": "string", "minLength": 1, "description": "What comes back when it is chosen, unique in the question"},
                "label": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What the person sees"},
                "description": {"type": "string", "maxLength": 200, "description": "What the choice means"}
              }
            }
          }
        }
      }
    },
    "confirm_title": {"type": "string", "description": "The heading of the page on which the person confirms all answers"},
    "confirm_description": {"type": "string", "description": "What confirming the answers leads to"}
  }
}`

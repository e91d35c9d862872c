package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
)

// A form has the fields that claude-agent-acp gives them, which other clients
// know: question_<i> for the choice, question_<i>_custom for own words. Nothing is
// required and nothing has a default, so that what comes back blank was left
// blank. Clients of 2025-06-18 know no lists: there every option of a question
// that allows several is a field of its own, question_<i>_<j>.

const titled = "2025-11-25" // the first version with titles of options and with lists

const maxWords = 16384 // runes of one field

func fieldName(i int) string     { return fmt.Sprintf("question_%d", i) }
func customName(i int) string    { return fmt.Sprintf("question_%d_custom", i) }
func optionName(i, j int) string { return fmt.Sprintf("question_%d_%d", i, j) }
func constant(s string) *any     { v := any(s); return &v }
func optionTitle(o *sayso.Option) string {
	if o.Recommended {
		return o.Label + " (Recommended)"
	}
	return o.Label
}

// newForm returns the form for an ask. What is wrong with an earlier one stands
// above it.
func newForm(a *sayso.Ask, version, wrong string) *sdk.ElicitParams {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	put := func(name string, s *jsonschema.Schema) {
		schema.Properties[name] = s
		schema.PropertyOrder = append(schema.PropertyOrder, name)
	}
	var message []string
	if wrong != "" {
		message = append(message, wrong)
	}
	if len(a.Origin.Agents) > 0 {
		message = append(message, "Asked by "+strings.Join(a.Origin.Agents, " › ")+":")
	}
	if len(a.Questions) == 1 {
		message = append(message, whole(&a.Questions[0]))
	} else {
		message = append(message, "Please answer the following questions.")
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		description := ""
		if len(a.Questions) > 1 {
			description = whole(q)
		}
		choice(put, i, q, version, description)
		if len(q.Options) > 0 {
			put(customName(i), &jsonschema.Schema{Type: "string", Title: "Other", Description: "Your own answer, or a note on the option you chose above (optional)."})
		}
	}
	return &sdk.ElicitParams{Mode: "form", Message: strings.Join(message, "\n\n"), RequestedSchema: schema}
}

// whole is a question with what stands below it.
func whole(q *sayso.Question) string {
	if q.Body == "" {
		return q.Text
	}
	return q.Text + "\n\n" + q.Body
}

// choice adds the field, or the fields, in which a question is answered.
func choice(put func(string, *jsonschema.Schema), i int, q *sayso.Question, version, description string) {
	s := &jsonschema.Schema{Type: "string", Title: q.Header, Description: description}
	switch {
	case len(q.Options) == 0:
	case version < titled && q.Several():
		for j := range q.Options {
			o := &q.Options[j]
			below := o.Description
			if j == 0 && description != "" {
				below = strings.TrimSpace(description + "\n\n" + below)
			}
			put(optionName(i, j), &jsonschema.Schema{Type: "boolean", Title: optionTitle(o), Description: below})
		}
		return
	case version < titled:
		var names []any
		for j := range q.Options {
			s.Enum = append(s.Enum, q.Options[j].Label)
			names = append(names, optionTitle(&q.Options[j]))
		}
		s.Extra = map[string]any{"enumNames": names}
	default:
		var all []*jsonschema.Schema
		for j := range q.Options {
			o := &q.Options[j]
			all = append(all, &jsonschema.Schema{Const: constant(o.Label), Title: optionTitle(o), Description: o.Description})
		}
		if s.OneOf = all; q.Several() {
			s = &jsonschema.Schema{Type: "array", Title: q.Header, Description: description, Items: &jsonschema.Schema{AnyOf: all}}
		}
	}
	put(fieldName(i), s)
}

// readForm reads what came back in a form. It believes nothing: an error says
// everything that does not fit the questions.
func readForm(a *sayso.Ask, content map[string]any) (*sayso.Outcome, error) {
	r := &formReader{content: content, known: map[string]bool{}}
	o := &sayso.Outcome{Status: sayso.StatusUnanswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		ans := sayso.Answer{QuestionID: q.ID, Selected: r.chosen(i, q)}
		switch custom := r.text(customName(i)); {
		case len(q.Options) == 0:
			ans.Other = r.text(fieldName(i))
		case custom == "":
		case len(ans.Selected) > 0 && !q.Several():
			ans.Note = custom
		default:
			ans.Other = custom
		}
		if ans.Answered() {
			o.Status = sayso.StatusAnswered
		} else {
			ans.Unanswered = sayso.ReasonSkipped
		}
		o.Answers = append(o.Answers, ans)
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if !r.known[name] {
			r.Add(sayso.ErrUnknownQuestion, cut(sayso.SafeLine(name), 64), "is no field of the form")
		}
	}
	if err := r.OrNil(); err != nil {
		return nil, err
	}
	return o, a.Check(o)
}

type formReader struct {
	sayso.InvalidError
	content map[string]any
	known   map[string]bool
}

// field returns the value of a field; nil: it was left blank.
func (r *formReader) field(name string) any {
	r.known[name] = true
	return r.content[name]
}

// text reads words. Blank ones say nothing.
func (r *formReader) text(name string) string {
	switch v := r.field(name).(type) {
	case nil:
	case string:
		if utf8.RuneCountInString(v) > maxWords {
			r.Add(sayso.ErrTooLong, name, fmt.Sprintf("is longer than %d characters", maxWords))
		} else if !sayso.Blank(v) {
			return v
		}
	default:
		r.Add(sayso.ErrMalformed, name, "is not a text")
	}
	return ""
}

// chosen returns the ids of the options that were chosen.
func (r *formReader) chosen(i int, q *sayso.Question) []string {
	if len(q.Options) == 0 {
		return nil
	}
	name := fieldName(i)
	var ids []string
	for j := range q.Options {
		switch v := r.field(optionName(i, j)).(type) {
		case nil:
		case bool:
			if v && q.Several() {
				ids = append(ids, q.Options[j].ID)
			}
		default:
			r.Add(sayso.ErrMalformed, optionName(i, j), "is neither true nor false")
		}
	}
	take := func(label string) {
		o, err := q.OptionNamed(label, nil)
		switch {
		case err != nil:
			r.Add(sayso.ErrAmbiguous, name, err.Error())
		case o == nil && !sayso.Blank(label):
			r.Add(sayso.ErrUnknownOption, name, "is not one of the options")
		case o != nil && !slices.Contains(ids, o.ID):
			ids = append(ids, o.ID)
		}
	}
	switch v := r.field(name).(type) {
	case nil:
	case string:
		take(v)
	case []any:
		if !q.Several() && len(v) > 1 {
			r.Add(sayso.ErrTooManySelected, name, "holds more than one option")
			return nil
		}
		for _, one := range v {
			if s, ok := one.(string); ok {
				take(s)
			} else {
				r.Add(sayso.ErrMalformed, name, "holds something that is not a text")
			}
		}
	default:
		r.Add(sayso.ErrMalformed, name, "is neither a text nor a list")
	}
	return ids
}

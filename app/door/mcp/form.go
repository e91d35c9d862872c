package mcp

import (
	"fmt"
	"strings"

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

func fieldName(i int) string     { return fmt.Sprintf("question_%d", i) }
func customName(i int) string    { return fmt.Sprintf("question_%d_custom", i) }
func optionName(i, j int) string { return fmt.Sprintf("question_%d_%d", i, j) }
func constant(s string) *any     { v := any(s); return &v }

// maxForm is the most characters of a form as it is sent. A client that shows more
// than that in a dialog of its own cannot be counted on: the question waits in the
// inbox.
const maxForm = 8000

// newForm returns the form for an ask. What is wrong with an earlier one stands
// above it. Own says whether own words are an answer.
func newForm(a *sayso.Ask, version, wrong string, own bool) *sdk.ElicitParams {
	return sayso.ByAskKind(a, questionsForm, questionsForm)(a, version, wrong, own)
}

// questionsForm holds everything that a person must see where clients show it: in the
// message and in the titles and descriptions of the fields.
func questionsForm(a *sayso.Ask, version, wrong string, own bool) *sdk.ElicitParams {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	put := func(name string, s *jsonschema.Schema) {
		schema.Properties[name] = s
		schema.PropertyOrder = append(schema.PropertyOrder, name)
	}
	var message []string
	if wrong != "" {
		message = append(message, wrong)
	}
	message = append(message, strings.TrimSpace(sayso.RenderIntroduction(a)))
	if len(a.Questions) == 1 {
		message = append(message, whole(a, 0, version))
	} else {
		message = append(message, "Please answer the following questions.")
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		description := ""
		if len(a.Questions) > 1 {
			description = whole(a, i, version)
		}
		choice(put, i, q, version, description)
		if own && q.Chooses() {
			custom := &jsonschema.Schema{Type: "string", Title: "Other", Description: "Your own answer, or a note on the option you chose above (optional)."}
			if a.Approval != nil {
				custom.Title, custom.Description = "Message", "What the agent is told with a denial (optional). Without a choice above, a message denies the request."
			}
			put(customName(i), custom)
		}
	}
	return &sdk.ElicitParams{Mode: "form", Message: strings.Join(message, "\n\n"), RequestedSchema: schema}
}

// whole is everything that a question shows. Where it has a field for each option,
// its header has no other place.
func whole(a *sayso.Ask, i int, version string) string {
	text := strings.TrimSuffix(sayso.RenderForm(a, i), "\n")
	if q := &a.Questions[i]; version < titled && q.Several() && q.Header != "" {
		text = q.Header + ":\n" + text
	}
	return text
}

// choice adds the field, or the fields, in which a question is answered.
func choice(put func(string, *jsonschema.Schema), i int, q *sayso.Question, version, description string) {
	s := &jsonschema.Schema{Type: "string", Title: q.Header, Description: description}
	switch {
	case !q.Chooses():
	case version < titled && q.Several():
		for j := range q.Options {
			o := &q.Options[j]
			below := o.Description
			if j == 0 && description != "" {
				below = strings.TrimSpace(description + "\n\n" + below)
			}
			put(optionName(i, j), &jsonschema.Schema{Type: "boolean", Title: o.LabelMarked(), Description: below})
		}
		return
	case version < titled:
		var names []any
		for j := range q.Options {
			s.Enum = append(s.Enum, q.Options[j].Label)
			names = append(names, q.Options[j].LabelMarked())
		}
		s.Extra = map[string]any{"enumNames": names}
	default:
		var all []*jsonschema.Schema
		for j := range q.Options {
			o := &q.Options[j]
			all = append(all, &jsonschema.Schema{Const: constant(o.Label), Title: o.LabelMarked(), Description: o.Description})
		}
		if s.OneOf = all; q.Several() {
			s = &jsonschema.Schema{Type: "array", Title: q.Header, Description: description, Items: &jsonschema.Schema{AnyOf: all}}
		}
	}
	put(fieldName(i), s)
}

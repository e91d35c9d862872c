package acp

import (
	"fmt"

	"github.com/saysohq/sayso"
)

// The forms of the Claude adapter, which editors know.
const (
	severalQuestions = "Please answer the following questions."
	wordsTitle       = "Other"
	wordsAbout       = "Type your own answer, or add a note to the option you chose above (optional)."
)

// formFor spells an ask as a form: question_0, question_0_custom and so on. Nothing
// is required and nothing chosen, so that a blank is never an answer.
func formFor(a *sayso.Ask) (*form, any) {
	f := &form{ask: a}
	props := members{}
	for i := range a.Questions {
		q := &a.Questions[i]
		d := field{key: fmt.Sprintf("question_%d", i), multi: q.Several()}
		prop := members{{"type", "string"}}
		if q.Header != "" {
			prop = append(prop, member{"title", q.Header})
		}
		if len(a.Questions) > 1 {
			prop = append(prop, member{"description", q.Text})
		}
		if len(q.Options) > 0 {
			var options []any
			for _, opt := range q.Options {
				d.consts = append(d.consts, quoted(opt.Label))
				one := members{{"const", opt.Label}, {"title", opt.Label}}
				if opt.Description != "" {
					one = append(one, member{"description", opt.Description})
				}
				options = append(options, one)
			}
			if q.Several() {
				prop[0].value = "array"
				prop = append(prop, member{"items", members{{"anyOf", options}}})
			} else {
				prop = append(prop, member{"oneOf", options})
			}
			d.words = d.key + "_custom"
		}
		props = append(props, member{d.key, prop})
		if d.words != "" {
			props = append(props, member{d.words, members{{"type", "string"}, {"title", wordsTitle}, {"description", wordsAbout}}})
		}
		f.fields = append(f.fields, d)
	}
	message := severalQuestions
	if len(a.Questions) == 1 {
		message = a.Questions[0].Text
	}
	params := members{{"mode", "form"}, {"sessionId", a.Origin.Conversation}}
	if a.Origin.ToolCall != "" {
		params = append(params, member{"toolCallId", a.Origin.ToolCall})
	}
	return f, append(params, member{"message", message},
		member{"requestedSchema", members{{"type", "object"}, {"properties", props}}})
}

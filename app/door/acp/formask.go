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

	messageTitle = "Message"
	messageAbout = "What the agent is told with a denial (optional). Without a choice above, a message denies the request."
)

// formFor spells an ask as a form: question_0, question_0_custom and so on. Nothing
// is required and nothing chosen, so that a blank is never an answer. What was wrong
// with an earlier reply stands above it.
func formFor(a *sayso.Ask, wrong string) (*form, any) {
	f := &form{ask: a}
	props := members{}
	for i := range a.Questions {
		q := &a.Questions[i]
		d := field{key: fmt.Sprintf("question_%d", i), multi: q.Several()}
		prop := members{{"type", sayso.ByKind(q, "string", "string", "array")}}
		if q.Header != "" {
			prop = append(prop, member{"title", q.Header})
		}
		if len(a.Questions) > 1 {
			prop = append(prop, member{"description", questionText(q)})
		}
		if q.Chooses() {
			var options []any
			for j := range q.Options {
				opt := &q.Options[j]
				d.consts = append(d.consts, quoted(opt.Label))
				one := members{{"const", opt.Label}, {"title", opt.LabelMarked()}}
				if text := about(opt); text != "" {
					one = append(one, member{"description", text})
				}
				options = append(options, one)
			}
			prop = append(prop, sayso.ByKind(q, member{}, member{"oneOf", options}, member{"items", members{{"anyOf", options}}}))
			d.words = d.key + "_custom"
		}
		props = append(props, member{d.key, prop})
		if d.words != "" {
			props = append(props, member{d.words, members{{"type", "string"},
				{"title", sayso.ByAskKind(a, wordsTitle, messageTitle)}, {"description", sayso.ByAskKind(a, wordsAbout, messageAbout)}}})
		}
		f.fields = append(f.fields, d)
	}
	text := severalQuestions
	if len(a.Questions) == 1 {
		text = questionText(&a.Questions[0])
	}
	params := members{{"mode", "form"}, {"sessionId", a.Origin.Conversation}}
	if a.Origin.ToolCall != "" {
		params = append(params, member{"toolCallId", a.Origin.ToolCall})
	}
	return f, append(params, member{"message", paragraphs(wrong, sayso.RenderIntroduction(a), text)},
		member{"requestedSchema", members{{"type", "object"}, {"properties", props}}})
}

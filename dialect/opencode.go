package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// OpenCode is the question tool of opencode (1.18.33).
//
// The text does not escape quotes, so own words can imitate another question's
// answer in it: read Result.Structured, which has the answers in the order of the
// questions. opencode has no notes; they follow the answer.
var OpenCode sayso.Dialect = openCode{&openCodeTool}

type openCode struct{ *tool }

func (openCode) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	if o.Status == sayso.StatusAnswered {
		all := saidTo(a, o.Answers)
		r.Text = withReply("User has answered your questions: "+openCodeList(all)+". You can now continue with the user's answers in mind.", all, o)
		r.Structured = openCodeOutput(all, o)
		return r, nil
	}
	r.Text = noAnswer(a, o)
	switch o.Status {
	case sayso.StatusDeclined, sayso.StatusCancelled:
		r.IsError, r.StopTurn = true, true
		if byPerson(o) {
			r.Text = withReason("The user dismissed this question", o)
		}
	case sayso.StatusUnreachable:
		r.IsError = true
	}
	var w jsonWriter
	r.Structured = w.noAnswersJSON("answers", "[]", noAnswer(a, o))
	return r, nil
}

func openCodeList(all []said) string {
	list := make([]string, len(all))
	for i, s := range all {
		value := "Unanswered"
		if values := s.values(); len(values) > 0 {
			value = strings.Join(values, ", ")
		}
		list[i] = `"` + s.TextAsAsked() + `"="` + value + `"`
		if s.note != "" {
			list[i] += " user notes: " + s.note
		}
	}
	return strings.Join(list, ", ")
}

// openCodeOutput is the tool's metadata: a list of values for each question.
func openCodeOutput(all []said, o *sayso.Outcome) json.RawMessage {
	var w jsonWriter
	w.open('{').key("answers").open('[')
	for _, s := range all {
		w.strs(s.values())
	}
	w.close(']')
	if slices.ContainsFunc(all, func(s said) bool { return s.note != "" }) {
		w.key("notes").open('[')
		for _, s := range all {
			w.str(s.note)
		}
		w.close(']')
	}
	w.reply("reply", o)
	return w.close('}').message()
}

var openCodeTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "opencode",
		Name:        "question",
		Description: openCodeDescription,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(sayso.Limits{}, "The questions", schema.Object(
				schema.Required("question", schema.Text("The whole question")),
				schema.Required("header", schema.String("A very short name, at most 30 characters")),
				schema.Required("options", schema.Options(sayso.Limits{}, "The choices; an empty list asks for words", schema.Object(
					schema.Required("label", schema.Text("What the person sees, 1 to 5 words")),
					schema.Required("description", schema.String("What the choice means")),
				))),
				schema.Optional("multiple", schema.Boolean("Whether several options may be chosen")),
			))),
		).Document(),
	},
	names: []string{".text", ".question", ".multi", ".multiple"},
}

const openCodeDescription = `Ask the person you work for about something that is theirs to decide: what they prefer, what an unclear request means, which way to go.

- Offer options where you know them; the person can always type an answer of their own, so do not add "Other".
- Set multiple where several options can be chosen. Answers come back as lists of labels.
- If you recommend an option, put it first and end its label with "(Recommended)".`

package dialect

import (
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Cursor is the cursor/ask_question request of Cursor's agent, which it sends to
// its ACP client. Questions and options have ids, and the reply speaks of those
// only, so nothing that a person writes can be taken for something else.
//
// The reply is JSON with one of three outcomes. "skipped", with a reason, and
// "cancelled" have been seen in clients in the field. The members of "answered"
// are not documented: we send questionId and selectedOptionIds, as several public
// clients do, and own words in freeText, which is ours and which Cursor may
// ignore. A reply to the form as a whole goes into the reason for having skipped
// it.
var Cursor sayso.Dialect = cursor{&cursorTool}

type cursor struct{ *tool }

// cursorTitle takes the title of the form for the header of its first question.
func cursorTitle(r *reader, call strictjson.Value, ask *sayso.Ask) {
	if _, form := member(call, namesQuestions); form && len(ask.Questions) > 0 && ask.Questions[0].Header == "" {
		r.at = -1
		ask.Questions[0].Header = r.str(call, "title", []string{"title"})
	}
}

func (cursor) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	outcome, reason := "skipped", ""
	var answers []said
	switch o.Status {
	case sayso.StatusAnswered:
		answers = slices.DeleteFunc(saidTo(a, o.Answers), func(s said) bool { return !s.answered })
		if len(answers) > 0 {
			outcome = "answered"
		}
		if reply := unlessBlank(o.Reply); reply != "" {
			reason = "The user replied to the form as a whole: " + reply
		}
	case sayso.StatusCancelled:
		outcome, reason = "cancelled", sayso.SafeLine(o.Reason)
	default:
		reason = noAnswer(a, o)
	}
	var w jsonWriter
	w.open('{').key("outcome").open('{').key("outcome").str(outcome)
	if len(answers) > 0 {
		cursorAnswers(&w, answers)
	}
	if reason != "" {
		w.key("reason").str(reason)
	}
	w.close('}').close('}')
	return &sayso.Result{
		Text: string(w.buf), Structured: w.message(),
		IsError:  o.Status == sayso.StatusUnreachable,
		StopTurn: o.Status == sayso.StatusCancelled,
	}, nil
}

func cursorAnswers(w *jsonWriter, answers []said) {
	w.key("answers").open('[')
	for _, s := range answers {
		w.open('{').key("questionId").str(s.ID).key("selectedOptionIds").strs(s.ids())
		if words := s.remarks(); words != "" {
			w.key("freeText").str(words)
		}
		w.close('}')
	}
	w.close(']')
}

var cursorLimits = sayso.Limits{MaxQuestions: 20, MinOptions: 1, MaxOptions: 20, NeedOptions: true}

var cursorTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "cursor",
		Name:        "cursor/ask_question",
		Description: cursorDescription,
		Limits:      cursorLimits,
		Schema: schema.Object(
			schema.Optional("toolCallId", schema.String("The tool call that asks")),
			schema.Optional("title", schema.String("A short name for the whole form")),
			schema.Required("questions", schema.Questions(cursorLimits, "The questions, in the order in which they are shown", schema.Object(
				schema.Required("id", schema.Text("A name that no other question of the call has")),
				schema.Required("prompt", schema.Text("The question itself")),
				schema.Required("options", schema.Options(cursorLimits, "The choices, different from each other", schema.Object(
					schema.Required("id", schema.Text("A name that no other option of the question has")),
					schema.Required("label", schema.Text("What the person sees and chooses")),
				))),
				schema.Optional("allowMultiple", several()),
			))),
		).Document(),
	},
	names: []string{".text", ".prompt", ".multi", ".allowMultiple"},
	more:  cursorTitle,
}

const cursorDescription = `Ask the person to choose when a decision is theirs and you cannot settle it yourself.

- Give every question and every option an id: the answers come back by id.
- Put the option you would choose first, and set allowMultiple when several can hold together.`

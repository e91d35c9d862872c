package dialect

import (
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Qwen is the ask_user_question tool of Qwen Code (0.24.4).
//
// Each answer is a line that starts with its header in bold; further lines of own
// words are indented, so that they cannot pass for another answer. Two questions
// may have the same header: Result.Structured has the answers by index. Qwen Code
// introduces an empty form as answers of the user; here it is only said that
// there were none.
var Qwen sayso.Dialect = qwen{&qwenTool}

type qwen struct{ *tool }

func (qwen) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{}
	if o.Status == sayso.StatusAnswered {
		all := saidTo(a, o.Answers)
		r.Text = withReply("User has provided the following answers:\n\n"+qwenLines(all), all, o)
		r.Structured = w.answersJSON(all, o, byIndex, "reply")
		return r, nil
	}
	r.Text = noAnswer(a, o)
	r.Structured = w.noAnswersJSON("answers", "{}", r.Text)
	switch o.Status {
	case sayso.StatusUnanswered:
		r.Text = withReason("No valid answers were provided.", o)
	case sayso.StatusDeclined, sayso.StatusCancelled:
		if byPerson(o) {
			r.Text = withReason("User declined to answer the questions.", o)
		}
	case sayso.StatusUnreachable:
		r.IsError = true
		if sayso.Blank(o.Reason) {
			r.Text = "Cannot ask user questions in non-interactive mode without ACP support. Please run in interactive mode or enable ACP mode to use this tool."
		}
	}
	return r, nil
}

func qwenLines(all []said) string {
	var lines []string
	for i, s := range all {
		if !s.answered {
			continue
		}
		header := s.HeaderAsAsked()
		if header == "" {
			header = "Question " + strconv.Itoa(i+1)
		}
		value := strings.Join(s.values(), ", ")
		if value == "" {
			value = "(no option selected)"
		}
		if s.note != "" {
			value += " (note: " + s.note + ")"
		}
		lines = append(lines, indented("**"+header+"**: "+value))
	}
	return strings.Join(lines, "\n")
}

var qwenLimits = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, NeedHeader: true, NeedDescription: true,
}

var qwenTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "qwen",
		Name:        "ask_user_question",
		Description: qwenDescription,
		Limits:      qwenLimits,
		Schema: schema.Closed(
			schema.Required("questions", schema.Questions(qwenLimits, "The questions, 1 to 4", schema.Closed(
				schema.Required("question", schema.Text("The whole question, ending in a question mark")),
				schema.Required("header", schema.Text("A very short name for a chip, at most 12 characters; the answer comes back under it")),
				schema.Required("options", schema.Options(qwenLimits, `The choices, 2 to 4, different from each other; no "Other"`, schema.Closed(
					schema.Required("label", schema.Text("What the person sees and chooses, 1 to 5 words")),
					schema.Required("description", schema.Text("What choosing it means or leads to")),
				))),
				schema.Optional("multiSelect", several()),
			))),
			source(schema.Closed),
		).Document(),
	},
	names: usualNames(),
}

const qwenDescription = `Ask the person you work for while you work: to learn what they want, to clear up an instruction, or to let them choose between ways to go on.

- Ask 1 to 4 questions in one call, each with 2 to 4 options and a description for every option.
- Do not offer "Other": the person can always write an answer of their own.
- Set multiSelect where several options can be chosen.
- If you recommend an option, put it first and end its label with "(Recommended)".`

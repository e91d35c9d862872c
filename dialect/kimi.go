package dialect

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Kimi is the AskUserQuestion tool of Kimi CLI (source of July 2026).
//
// The result is JSON by the exact text of the question, so own words cannot pass
// for another question's answer; within one answer, options and own words are
// joined with a comma. Kimi CLI's words for a run without a person tell the model
// to decide by itself; they are not used, because nobody has said so.
var Kimi sayso.Dialect = kimi{&kimiTool}

type kimi struct{ *tool }

func (kimi) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	w := jsonWriter{spaced: true}
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusAnswered:
		r.Structured = w.answersJSON(saidTo(a, o.Answers), o, byText, "reply")
	case sayso.StatusUnanswered, sayso.StatusDeclined, sayso.StatusCancelled:
		note := noAnswer(a, o)
		if byPerson(o) {
			note = withReason("User dismissed the question without answering.", o)
		}
		r.Structured = w.noAnswersJSON("answers", "{}", note)
	default:
		r.Structured = w.noAnswersJSON("answers", "{}", noAnswer(a, o))
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

var kimiLimits = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, UniqueText: true,
}

var kimiTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "kimi",
		Name:        "AskUserQuestion",
		Description: kimiDescription,
		Limits:      kimiLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(kimiLimits, "The questions, 1 to 4, each with another text", schema.Object(
				schema.Required("question", schema.Text("A question that can be acted upon, ending in a question mark")),
				schema.Optional("header", schema.String("A short name, at most 12 characters").With("default", "")),
				schema.Required("options", schema.Options(kimiLimits, `The choices, 2 to 4; no "Other"`, schema.Object(
					schema.Required("label", schema.Text("What the person sees, 1 to 5 words")),
					schema.Optional("description", schema.String("What speaks for it and what it costs").With("default", "")),
				))),
				schema.Optional("multi_select", several()),
			))),
		).Document(),
	},
	names: []string{".text", ".question", ".multi", ".multi_select"},
}

const kimiDescription = `Ask the person you work for structured questions when the work depends on a choice that you should not make for them.

- Ask 1 to 4 questions in one call, each with 2 to 4 options that differ in substance.
- Do not offer "Other": one is always added.
- Set multi_select where several options can be chosen.
- End the label of an option that you recommend with "(Recommended)" and put it first.`

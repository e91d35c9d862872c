package dialect

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Cline is the ask_question tool of Cline: one question, with two to five
// options that are strings.
//
// The text is the answer and nothing else, so a person who writes "[User
// dismissed the question]" looks like one who dismissed it. Result.Structured,
// which Cline itself does not have, tells them apart: it holds the answer, and
// there is none without one.
var Cline sayso.Dialect = cline{&clineTool}

type cline struct{ *tool }

func (cline) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	switch {
	case o.Status == sayso.StatusAnswered:
		return bareAnswer(a, o), nil
	case dismissed(o):
		r := &sayso.Result{Text: "[User dismissed the question]"}
		if o.Reason != "" {
			r.Text += " Reason: " + sayso.SafeLine(o.Reason)
		}
		return r, nil
	}
	return unanswered(a, o), nil
}

var clineLimits = sayso.Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 5, NeedOptions: true}

var clineTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "cline",
		Name:        "ask_question",
		Description: clineDescription,
		Limits:      clineLimits,
		Schema: schema.Closed(
			schema.Required("question", schema.Text("The one question to ask")),
			schema.Required("options", schema.Options(clineLimits, "The choices, 2 to 5, different from each other", schema.Text(""))),
		).Document(),
	},
	names: namesOfOne("options", ""),
}

const clineDescription = `Ask the person one question when a decision is theirs, or when you lack something that only they know.

- Offer 2 to 5 short options, the one you would choose first.
- Do not offer an "Other" option: the person can always answer in their own words.
- Ask only what you cannot find out with your other tools.`

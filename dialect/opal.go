package dialect

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Opal is the ask_user tool of the opal agent (seed 0): one question, with or
// without choices, and the answer itself as the result.
//
// The text is the bare answer, own words on the line after a choice. Nothing but
// the error mark tells an answer from its absence: so everything that is not an
// answer is an error, in the words that opal has for a request that failed.
var Opal sayso.Dialect = opal{&opalTool}

type opal struct{ *tool }

func (opal) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status == sayso.StatusAnswered {
		return bareAnswer(a, o), nil
	}
	return &sayso.Result{Text: opalFailed(a, o), IsError: true, StopTurn: o.Status == sayso.StatusCancelled}, nil
}

func opalFailed(a *sayso.Ask, o *sayso.Outcome) string {
	switch {
	case o.Status == sayso.StatusPending:
		return noAnswer(a, o) // nothing has failed yet
	case o.By.Kind == sayso.ByAgent && o.Reason != "":
		return "Question failed: " + sayso.SafeLine(o.Reason) // it was the parent agent who was asked
	}
	return "User input request failed: " + noAnswer(a, o)
}

var opalLimits = sayso.Limits{MaxQuestions: 1, MaxOptions: 20}

var opalTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "opal",
		Name:        "ask_user",
		Description: opalDescription,
		Limits:      opalLimits,
		Schema: schema.Closed(
			schema.Required("question", schema.Text("The question")),
			schema.Optional("choices", schema.Options(opalLimits, "Answers to choose from, different from each other", schema.Text(""))),
		).Document(),
	},
	names: namesOfOne("choices", ""),
}

const opalDescription = `Ask the person you work for one question and wait until they answer.

Give choices when you can name the likely answers; the person may choose one or answer in their own words. Leave choices out to ask for words.`

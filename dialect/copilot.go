package dialect

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Copilot is the ask_user tool of GitHub Copilot's SDK and older CLIs, in its plain
// form: one question, and choices that are strings. [CopilotForm] is its other form, in
// which the model writes a JSON schema.
//
// The text says whether the person selected a choice or responded in words, and
// ends with those words, so it reads back; a choice whose label holds a line
// break can imitate both. Result.Structured is what a handler of the SDK's user
// input requests returns, with a note of our own where the person chose and
// remarked; there is none without an answer.
var Copilot sayso.Dialect = copilot{&copilotTool}

type copilot struct{ *tool }

func (copilot) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status != sayso.StatusAnswered {
		return unanswered(a, o), nil
	}
	choice, words := choiceAndWords(a, o)
	r := &sayso.Result{Text: "User selected: " + choice}
	var w jsonWriter
	w.open('{').key("answer")
	switch {
	case choice == "":
		r.Text = "User responded: " + words
		w.str(words).key("wasFreeform").bool(true)
	case words == "":
		w.str(choice).key("wasFreeform").bool(false)
	default:
		r.Text += "\nUser responded: " + words
		w.str(choice).key("wasFreeform").bool(false).key("note").str(words)
	}
	r.Structured = w.close('}').message()
	return r, nil
}

var copilotLimits = sayso.Limits{MaxQuestions: 1, MinOptions: 1, MaxOptions: 20}

var copilotTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "copilot",
		Name:        "ask_user",
		Description: copilotDescription,
		Limits:      copilotLimits,
		Schema: schema.Object(
			schema.Required("question", schema.Text("The question, as one clear sentence")),
			schema.Optional("choices", schema.Options(copilotLimits, "The answers to choose from, different from each other", schema.Text(""))),
			schema.Optional("allow_freeform", schema.Boolean("Whether words are expected beside the choices").With("default", true)),
		).Document(),
	},
	names: namesOfOne("choices", ""),
}

const copilotDescription = `Ask the person you work for one question and wait for the answer. Use it when a decision is theirs and you cannot settle it yourself.

- Offer choices where the likely answers are known, the one you would choose first; leave them out to ask for words.
- Do not add a choice such as "Other": the person can always answer in their own words.
- Ask one thing at a time.`

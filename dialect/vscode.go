package dialect

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// VSCode is the vscode_askQuestions tool of Visual Studio Code's chat. Its model
// reads JSON, with the answers under the headers of the questions, so nothing
// that a person writes can be taken for something else.
//
// VS Code has one word for everything that is not an answer: every question is
// skipped. Why, and a reply to the form as a whole, stand beside the answers in
// members of our own, reason and response. VS Code's autopilot puts a sentence
// of its own into freeText, where a person's words belong; we do not.
var VSCode sayso.Dialect = vscode{&vscodeTool}

type vscode struct{ *tool }

func (vscode) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var reason string
	var answers []sayso.Answer
	switch o.Status {
	case sayso.StatusAnswered:
		answers = o.Answers
	case sayso.StatusUnanswered, sayso.StatusDeclined:
		reason = sayso.SafeLine(o.Reason)
	default:
		reason = noAnswer(a, o)
	}
	var w jsonWriter
	w.open('{').key("answers").open('{')
	for _, s := range saidTo(a, answers) {
		w.key(s.HeaderAsAsked()).open('{').key("selected").strs(s.labels).key("freeText")
		if words := s.remarks(); words != "" {
			w.str(words)
		} else {
			w.raw("null")
		}
		w.key("skipped").bool(!s.answered).close('}')
	}
	w.close('}')
	w.reply("response", o)
	if reason != "" {
		w.key("reason").str(reason)
	}
	w.close('}')
	return &sayso.Result{
		Text: string(w.buf), Structured: w.message(),
		IsError: o.Status == sayso.StatusUnreachable,
	}, nil
}

var vscodeLimits = sayso.Limits{
	MaxQuestions: 20, MinOptions: 2, MaxOptions: 20,
	NeedHeader: true, UniqueHeader: true,
}

var vscodeTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "vscode",
		Name:        "vscode_askQuestions",
		Description: vscodeDescription,
		Limits:      vscodeLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(vscodeLimits, "The questions, in the order in which they are shown", schema.Object(
				schema.Required("header", schema.Text("A short name that no other question of the call has, at most 50 characters; the key of the answer")),
				schema.Required("question", schema.Text("The question, preferably one sentence of at most 200 characters")),
				schema.Optional("message", schema.String("Markdown shown below the question, for what the person should know before answering")),
				schema.Optional("multiSelect", several()),
				schema.Optional("allowFreeformInput", schema.Boolean("Whether words are expected beside the options").With("default", true)),
				schema.Optional("options", schema.Options(vscodeLimits, "The choices; leave it out for a question that is answered in words", schema.Object(
					schema.Required("label", schema.Text("What the person sees and chooses, and what comes back")),
					schema.Optional("description", schema.String("What choosing it means")),
					schema.Optional("recommended", schema.Boolean("Whether this is the option you would choose")),
				))),
			))),
		).Document(),
	},
	names: []string{".text", ".question", ".body", ".message", ".multi", ".multiSelect"},
}

const vscodeDescription = `Ask the person a few questions when you need a decision or a fact that only they can give, before you go on.

- Give each question a short header of its own: the answers come back under the headers.
- Offer options where the likely answers are known, at least two; leave them out to ask for words.
- The person can always answer in their own words beside the options.
- Mark the option you would choose as recommended, and set multiSelect when several can hold together.`

package dialect

import (
	"regexp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Roo is the ask_followup_question tool of Roo Code: one question, with one to
// four suggested answers.
//
// What the person says comes back inside <user_message> tags, whether it was
// suggested or their own. A closing tag inside it gets a backslash before its
// slash, and one more where it has some already, so that the last line is always
// the only one that closes and the words read back exactly. Without an answer
// there are no tags.
//
// A suggestion may switch Roo's mode when it is taken; the person is told so in
// the description of the option.
var Roo sayso.Dialect = roo{&rooTool}

type roo struct{ *tool }

// rooModes says in the description of an option which mode it switches to.
func rooModes(_ *reader, call strictjson.Value, ask *sayso.Ask) {
	if len(ask.Questions) != 1 {
		return
	}
	options := ask.Questions[0].Options
	for i, f := range newReader().list(call, "", namesOptions) {
		mode := newReader().str(f, "", []string{"mode"})
		if i < len(options) && mode != "" && options[i].Description == "" {
			options[i].Description = "Switches to the mode " + quote(mode)
		}
	}
}

func (roo) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	if o.Status != sayso.StatusAnswered {
		return unanswered(a, o), nil
	}
	message := rooClosing.ReplaceAllString(lines(choiceAndWords(a, o)), `<\${1}/${2}`)
	return &sayso.Result{Text: "<user_message>\n" + message + "\n</user_message>"}, nil
}

// rooClosing finds whatever could be read as the closing tag, and what it was
// made into.
var rooClosing = regexp.MustCompile(`(?i)<(\\*)/(\s*user_message)`)

var rooLimits = sayso.Limits{MaxQuestions: 1, MinOptions: 1, MaxOptions: 4, NeedOptions: true}

var rooTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "roo",
		Name:        "ask_followup_question",
		Description: rooDescription,
		Limits:      rooLimits,
		Schema: schema.Closed(
			schema.Required("question", schema.Text("The question, clear and specific")),
			schema.Required("follow_up", schema.Options(rooLimits, "Suggested answers, 1 to 4, without gaps to fill in", schema.Closed(
				schema.Required("text", schema.Text("The answer that is suggested")),
				schema.Required("mode", schema.New("The mode to switch to when this answer is taken, or null", "string", "null")),
			))),
		).Document(),
	},
	names: namesOfOne("follow_up", ".text"),
	more:  rooModes,
}

const rooDescription = `Ask the person one question when you need to know something to go on that the task, the code and your tools do not tell.

- Suggest one to four complete answers that can be used as they are, the likeliest first.
- The person can take one of them or write their own.
- Give a suggestion a mode only where taking it means to go on in that mode.`

package dialect

import (
	"errors"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// JSON is the ask_user_question tool of the state machine agent (seed 3): its
// result is a JSON object with the answers keyed by question, a cancelled
// question is an error that ends the turn, and refusals are one sentence a line.
//
// The options that were chosen, and own words beside them, are joined by commas
// into one string. Nothing in it can pass for the answer to another question, but
// a label or own words with a comma look like two items.
//
// The agent lets no sub-agent ask. A host that wants the same gives sub-agents
// sayso.Deny("ask_user_question is not available to sub-agents").
var JSON sayso.Dialect = jsonAnswers{&jsonTool}

type jsonAnswers struct{ *tool }

// jsonCount counts the options, because the agent's sentence about them quotes the
// question, and Refuse sees the problems only.
func jsonCount(r *reader, _ strictjson.Value, a *sayso.Ask) {
	for i := range a.Questions {
		q := &a.Questions[i]
		if n := len(q.Options); n < jsonLimits.MinOptions || n > jsonLimits.MaxOptions {
			r.Add(sayso.ErrOptionCount, "", "Question '"+q.Text+"' must have 2-4 options")
		}
	}
}

func (d jsonAnswers) Refuse(e *sayso.InvalidError) *sayso.Result {
	quotes := func(p sayso.Problem) bool { return errors.Is(p.Err, sayso.ErrOptionCount) && p.Path == "" }
	quoted := slices.ContainsFunc(e.Problems, quotes)
	rename := strings.NewReplacer(d.names...)
	var lines []string
	for _, p := range e.Problems {
		var line string
		switch {
		case errors.Is(p.Err, sayso.ErrNoQuestions), errors.Is(p.Err, sayso.ErrTooManyQuestions):
			line = "Must have 1-4 questions"
		case quotes(p):
			line = p.Message
		case quoted && errors.Is(p.Err, sayso.ErrOptionCount):
			continue // what Validate adds to what Parse has said already
		default:
			p.Path = rename.Replace(p.Path)
			line = "Invalid input: " + p.String()
		}
		lines = append(lines, sayso.SafeLine(line))
	}
	return &sayso.Result{Text: strings.Join(lines, "\n"), IsError: true}
}

func (jsonAnswers) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{}
	switch o.Status {
	case sayso.StatusCancelled, sayso.StatusDeclined, sayso.StatusUnreachable:
		r.IsError = true
		r.StopTurn = o.Status == sayso.StatusCancelled
		r.Text = userCancelled(a, o)
		return r, nil
	case sayso.StatusAnswered:
		r.Structured = w.answersJSON(saidTo(a, o.Answers), o, byText, "response")
	default:
		r.Structured = w.noAnswersJSON("answers", "{}", noAnswer(a, o))
	}
	r.Text = string(r.Structured)
	return r, nil
}

var jsonLimits = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, UniqueText: true,
}

var jsonTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "json",
		Name:        "ask_user_question",
		Description: jsonDescription,
		Limits:      jsonLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(jsonLimits, "The questions, 1 to 4", schema.Object(
				schema.Required("question", schema.Text("The whole question as the person reads it")),
				schema.Optional("header", schema.String("A short name for it, at most 12 characters")),
				schema.Required("options", schema.Options(jsonLimits, "The choices, 2 to 4, different from each other", schema.Object(
					schema.Required("label", schema.Text("")),
					schema.Optional("description", schema.String("")),
				))),
				schema.Optional("multiSelect", several()),
			))),
		).Document(),
	},
	names: usualNames(),
	more:  jsonCount,
}

const jsonDescription = `Ask the person you work for when several ways are right and the choice is theirs.

Ask 1 to 4 questions in one call, each with 2 to 4 options; be brief and clear. The person can also answer in their own words.`

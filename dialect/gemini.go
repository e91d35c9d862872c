package dialect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Gemini is the ask_user tool of Gemini CLI (0.61.0).
//
// The result is JSON by the index of the question, so own words cannot pass for
// another question's answer; within one answer, options and own words are joined
// with a comma, as Gemini CLI does it. It has no notes and no reply to the whole
// form; they are members of their own.
var Gemini sayso.Dialect = gemini{&geminiTool}

type gemini struct{ *tool }

// Refuse says in Gemini CLI's sentences what it has sentences for, one a line.
func (gemini) Refuse(e *sayso.InvalidError) *sayso.Result {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = geminiProblem(p)
	}
	return &sayso.Result{Text: strings.Join(lines, "\n"), IsError: true}
}

func geminiProblem(p sayso.Problem) string {
	if errors.Is(p.Err, sayso.ErrNoQuestions) {
		return "At least one question is required."
	}
	question, option, field := place(p.Path)
	at := fmt.Sprintf("Question %d", question+1)
	if option >= 0 {
		at += fmt.Sprintf(", option %d", option+1)
	}
	switch {
	case errors.Is(p.Err, sayso.ErrOptionCount):
		if strings.HasPrefix(p.Message, "has 0 ") || strings.HasPrefix(p.Message, "has 1 ") {
			return at + ": type='choice' requires 'options' array with 2-4 items."
		}
		return at + ": 'options' array must have at most 4 items."
	case errors.Is(p.Err, sayso.ErrEmptyLabel), errors.Is(p.Err, sayso.ErrMalformed) && option >= 0 && field == "label":
		return at + ": 'label' is required and must be a non-empty string."
	case errors.Is(p.Err, sayso.ErrMalformed) && option >= 0 && field == "description":
		return at + ": 'description' is required and must be a string."
	case question >= 0 && field != "":
		return at + ": '" + strings.NewReplacer("text", "question", "multi", "multiSelect").Replace(field) + "' " + sayso.SafeLine(p.Message)
	}
	return sayso.SafeLine(p.String())
}

// place reads a path of [sayso.QuestionPath]; what it does not name is negative.
func place(path string) (question, option int, field string) {
	question, option = -1, -1
	if n, _ := fmt.Sscanf(path, "questions[%d].options[%d].%s", &question, &option, &field); n < 2 {
		fmt.Sscanf(path, "questions[%d].%s", &question, &field)
	}
	return question, option, field
}

func (gemini) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	var w jsonWriter
	r := &sayso.Result{IsError: o.Status == sayso.StatusUnreachable}
	if o.Status == sayso.StatusAnswered {
		r.Structured = w.answersJSON(saidTo(a, o.Answers), o, byIndex, "reply")
	} else {
		r.Structured = w.noAnswersJSON("answers", "{}", noAnswer(a, o))
	}
	r.Text = string(r.Structured)
	if dismissed(o) {
		r.Text = withReason("User dismissed ask_user dialog without answering.", o)
	}
	return r, nil
}

var geminiLimits = sayso.Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4}

var geminiTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "gemini",
		Name:        "ask_user",
		Description: geminiDescription,
		Limits:      geminiLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(geminiLimits, "The questions, 1 to 4", schema.Object(
				schema.Required("question", schema.Text("The whole question")),
				schema.Required("header", schema.String("A very short name, at most 16 characters")),
				schema.Required("type", schema.String("How it is answered").With("enum", []string{"choice", "text", "yesno"}).With("default", "choice")),
				schema.Optional("options", schema.Options(geminiLimits, `For type choice: 2 to 4 choices; no "Other"`, schema.Object(
					schema.Required("label", schema.Text("What the person sees, 1 to 5 words")),
					schema.Required("description", schema.String("What the choice means")),
				))),
				schema.Optional("multiSelect", schema.Boolean("For type choice: whether several options may be chosen")),
				schema.Optional("placeholder", schema.String("A hint shown where the person writes")),
			))),
		).Document(),
	},
}

const geminiDescription = `Ask the person you work for when you need their preference, a decision or something that only they know.

- Ask 1 to 4 questions in one call; keep each to one subject.
- type "choice" offers 2 to 4 options (the person can also write something else), "yesno" asks for a confirmation, "text" asks for words.
- Set multiSelect where several options can hold together; give a placeholder to hint at what to write.`

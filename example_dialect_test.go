package sayso_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/saysotest"
)

// confirm is a dialect of your own in one file: a tool that takes a sentence and
// returns yes, no, or nothing decided.
type confirm struct{}

func (confirm) Spec() sayso.ToolSpec {
	return sayso.ToolSpec{
		Dialect:     "confirm",
		Name:        "confirm",
		Description: "Ask the person to confirm one step before you take it.",
		Schema:      schema.Object(schema.Required("step", schema.Text("The step, as a question"))).Document(),
		Limits:      sayso.Limits{MaxQuestions: 1},
	}
}

// Parse reads what the model sent. Cleaning and checking it is not its work.
func (confirm) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	var call struct{ Step string }
	if err := json.Unmarshal(arguments, &call); err != nil {
		return nil, err
	}
	return &sayso.Ask{Questions: []sayso.Question{{
		Text:    call.Step,
		Options: []sayso.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}},
	}}}, nil
}

// Format has words for every status, and says yes only where the person did.
func (confirm) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = o.Settled()
	ans, _ := o.Answer(a.Questions[0].ID)
	switch {
	case o.Status != sayso.StatusAnswered:
		return &sayso.Result{Text: "Nobody decided (" + string(o.Status) + "). Do not take the step."}, nil
	case len(ans.Selected) > 0 && ans.Other+ans.Note == "":
		return &sayso.Result{Text: "The person said " + ans.Selected[0] + "."}, nil
	}
	words := strings.Join(append(ans.Selected, ans.Other, ans.Note, o.Reply), " ")
	return &sayso.Result{Text: fmt.Sprintf("The person said %q.", strings.TrimSpace(words))}, nil
}

func ExampleDialect() {
	call := sayso.Call{ID: "1", Arguments: json.RawMessage(`{"step": "Drop the table users?"}`)}
	for _, person := range []sayso.Resolver{
		saysotest.Answers("No"), saysotest.Answers("rename it instead"), saysotest.Answers(""), saysotest.Cancels(),
	} {
		tool := &sayso.Tool{Dialect: confirm{}, Resolver: person}
		result, err := tool.Call(context.Background(), call)
		fmt.Println(result.Text, err)
	}
	// Output:
	// The person said no. <nil>
	// The person said "rename it instead". <nil>
	// Nobody decided (unanswered). Do not take the step. <nil>
	// Nobody decided (cancelled). Do not take the step. <nil>
}

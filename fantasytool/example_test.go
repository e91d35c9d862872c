package fantasytool_test

import (
	"context"
	"fmt"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/fantasytool"
)

// A program on fantasy gets the asking tool with one line.
func Example() {
	person := sayso.ResolverFunc(func(_ context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
		q := a.Questions[0]
		return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: q.ID, Selected: []string{q.Options[1].ID}}}}, nil
	})
	ask := fantasytool.NewTool(dialect.Claude, person)
	model := &model{input: valid} // in place of a real one
	agent := fantasy.NewAgent(model, fantasy.WithTools(ask))
	r, err := agent.Generate(context.Background(), fantasy.AgentCall{Prompt: "Set up a service"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Response.Content.Text())
	// Output: Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.
}

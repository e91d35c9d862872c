package dialect_test

import (
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// One question, in the formats of two agents: each model reads the answer in the words
// of its own tool.
func Example() {
	ask := &sayso.Ask{Questions: []sayso.Question{{
		Text: "Which database?", Header: "DB",
		Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	ask.Normalize()
	q := ask.Questions[0]
	answered := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
		{QuestionID: q.ID, Selected: []string{q.Options[1].ID}},
	}}
	for _, d := range []sayso.Dialect{dialect.Claude, dialect.Cline} {
		r, err := d.Format(ask, answered)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", d.Spec().Name, r.Text)
	}
	// Output:
	// AskUserQuestion: Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.
	// ask_question: SQLite
}

// A tool call that comes from an agent you do not know.
func ExampleDetect() {
	call := json.RawMessage(`{"question":"Which database?","choices":["PostgreSQL","SQLite"]}`)
	d, ok := dialect.Detect("ask_user", call)
	if !ok {
		fmt.Println("no known format")
		return
	}
	ask, err := d.Parse(call)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Spec().Dialect, ask.Questions[0].Text, len(ask.Questions[0].Options))
	// Output: copilot Which database? 2
}

// A program that takes the format by name, as from a flag.
func ExampleByName() {
	d, ok := dialect.ByName("codex")
	fmt.Println(ok, d.Spec().Name)
	// Output: true request_user_input
}

package prompt_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
)

// A program would use os.Stdin; here the person types 2 and Enter.
func Example() {
	person := &prompt.Resolver{In: strings.NewReader("2\n"), Out: os.Stdout}
	ask := &sayso.Ask{
		Origin: sayso.Origin{Agents: []string{"planner"}, Workspace: "payments-api", Branch: "main"},
		Questions: []sayso.Question{{
			Header: "Database", Text: "Which database should we use?",
			Options: []sayso.Option{{Label: "PostgreSQL (Recommended)"}, {Label: "SQLite", Description: "One file, no server"}},
		}},
	}
	ask.Normalize()
	outcome, err := person.Ask(context.Background(), ask)
	fmt.Println(outcome.Status, outcome.Answers[0].Selected, err)
	// Output:
	// Asked by: unverified
	// Says it is: planner · payments-api @ main
	//
	// Database:
	// Which database should we use?
	//   1. PostgreSQL [recommended]
	//   2. SQLite
	//      One file, no server
	// Your choice (a number, a label, your own words, or /help): Sent. Database: SQLite
	// answered [o2] <nil>
}

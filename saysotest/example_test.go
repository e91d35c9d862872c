package saysotest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/saysotest"
)

// A host that asks at the terminal and in the browser at once, tested with two
// people: the one at the terminal has gone home.
func Example() {
	terminal := saysotest.Absent()
	browser := saysotest.Answers("SQLite").After(time.Millisecond)
	host := sayso.Race(terminal, browser)

	ask := &sayso.Ask{Questions: []sayso.Question{{
		Header: "Database", Text: "Which database should we use?",
		Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	ask.Normalize()
	outcome, err := host.Ask(context.Background(), ask)

	fmt.Println(sayso.RenderResult(ask, outcome), err)
	fmt.Println("the terminal was told:", terminal.Withdrawn()[0])
	fmt.Println("the browser showed:", browser.Asks()[0].Questions[0].Text)
	// Output:
	// ✓ Database: SQLite <nil>
	// the terminal was told: sayso: closed elsewhere (answered)
	// the browser showed: Which database should we use?
}

// What takes answers from people must bear with a double click.
func ExamplePerson_Replies() {
	ask := &sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: "Its name?"}}}
	taken := 0
	for outcome, err := range saysotest.Answers("order-processor").Twice().Replies(context.Background(), ask) {
		taken++
		fmt.Println(taken, outcome.Answers[0].Other, err)
	}
	// Output:
	// 1 order-processor <nil>
	// 2 order-processor <nil>
}

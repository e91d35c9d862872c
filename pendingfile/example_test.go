package pendingfile_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/pendingfile"
)

// A host without a person asks in two passes: the first leaves the questions in a
// file, the second finds what the person has said.
func Example() {
	path, err := os.MkdirTemp("", "workspace")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(path)
	workspace, err := os.OpenRoot(path)
	if err != nil {
		panic(err)
	}
	defer workspace.Close()
	dir := pendingfile.New(workspace, &pendingfile.Options{
		Now: func() time.Time { return time.Date(2026, 2, 4, 22, 16, 32, 0, time.UTC) },
	})

	ctx := context.Background()
	tool := &sayso.Tool{Dialect: dialect.Pi, Resolver: dir}
	call := sayso.Call{ID: "call_1", Conversation: "abc123", Arguments: []byte(
		`{"questions": [{"question": "Which database?", "options": [{"label": "PostgreSQL"}, {"label": "SQLite"}]}]}`)}

	if _, err := tool.Call(ctx, call); err != nil {
		panic(err)
	}

	// Later, perhaps in another process: the person answers.
	pending, err := dir.Read("")
	if err != nil {
		panic(err)
	}
	fmt.Println(pending.File, "asks:", pending.Ask.Questions[0].Text)
	outcome, err := pending.FromList([]byte(`["SQLite"]`))
	if err != nil {
		panic(err)
	}
	if _, err := dir.Close(ctx, pending, outcome); err != nil {
		panic(err)
	}

	// The agent continues, and makes the same call again.
	result, err := tool.Call(ctx, call)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Text)
	if err := dir.Clear(ctx, pending.File); err != nil {
		panic(err)
	}

	// Output:
	// .sayso/pending-questions.json asks: Which database?
	// {"answered":true,"answers":[{"question":"Which database?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false}]}
}

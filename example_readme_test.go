package sayso_test

import (
	"context"
	"encoding/json"
	"os"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/prompt"
)

// toolCall is a tool call as some library for models returns it.
type toolCall struct {
	ID    string
	Input json.RawMessage
}

// answerCalls is a program that offers the tool to its model. The README shows what
// is between begin and end.
func answerCalls(ctx context.Context, session string, register func(sayso.ToolSpec), calls <-chan toolCall, reply func(id, text string, isError bool)) error {
	// begin host
	tool := &sayso.Tool{
		Dialect:  dialect.Claude,                                 // the tool as your model knows it
		Resolver: &prompt.Resolver{In: os.Stdin, Out: os.Stdout}, // or a hub: client.New(…)
	}
	register(tool.Spec()) // name, description and JSON schema, for the model

	for call := range calls {
		result, err := tool.Call(ctx, sayso.Call{ID: call.ID, Conversation: session, Arguments: call.Input})
		if err != nil {
			return err // a failure; a refusal is a result
		}
		reply(call.ID, result.Text, result.IsError)
	}
	// end host
	return nil
}

var _ = answerCalls // compiled and not run: it reads the terminal

package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/dialect"
)

// input is what a model writes when it calls the tool.
var input = json.RawMessage(`{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,
	"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`)

// A host that asks through a hub. If it is killed while it waits and makes the same
// call again, it gets the answer to the same question.
func ExampleNew() {
	hub, err := client.New(os.Getenv("SAYSO_HUB"), &client.Options{Key: os.Getenv("SAYSO_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: hub}
	spec := tool.Spec()
	fmt.Println("offer to the model:", spec.Name, spec.Description, spec.Schema)

	// The model calls the tool:
	result, err := tool.Call(context.Background(), sayso.Call{
		ID: "toolu_1", Conversation: "session-7", Host: "my-agent", Arguments: input,
	})
	if err != nil {
		log.Fatal(err) // nobody could be asked
	}
	fmt.Println("give to the model:", result.Text, result.IsError)
}

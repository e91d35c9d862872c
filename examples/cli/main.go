// Command cli shows the whole loop of the tool without a model: it makes the call that
// a model would make, asks you on standard input and output, and prints what the
// model would read.
//
//	go run ./examples/cli
//	go run ./examples/cli -dialect pi
//
// -call has the arguments of a call of your own.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/prompt"
)

// example is a call as a model makes it.
const example = `{"questions": [
  {"question": "Which auth method?", "header": "Auth", "multiSelect": false, "options": [
    {"label": "OAuth (Recommended)", "description": "Browser flow"},
    {"label": "API key", "description": "Static token"}]},
  {"question": "Which languages?", "header": "Languages", "multiSelect": true, "options": [
    {"label": "Go", "description": "Fast builds"},
    {"label": "Rust", "description": "No garbage collector"},
    {"label": "Zig", "description": "Small"}]}]}`

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cli:", err)
		os.Exit(1)
	}
}

// run asks one call and prints its result.
func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("cli", flag.ContinueOnError)
	name := flags.String("dialect", "text", "how the call is written and the result worded")
	call := flags.String("call", example, "the arguments of the call, as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	d, ok := dialect.ByName(*name)
	if !ok {
		return fmt.Errorf("there is no dialect %q; try one of %s", *name, strings.Join(names(), ", "))
	}
	tool := &sayso.Tool{Dialect: d, Resolver: &prompt.Resolver{In: in, Out: out}}

	fmt.Fprintf(out, "The model calls %s.\n\n", tool.Spec().Name)
	result, err := tool.Call(context.Background(), sayso.Call{ID: "call_1", Agents: []string{"example"}, Arguments: json.RawMessage(*call)})
	if err != nil {
		return err // nobody could be asked
	}
	fmt.Fprintf(out, "\nThe model reads (error: %v):\n%s\n", result.IsError, result.Text)
	return nil
}

func names() []string {
	var all []string
	for _, d := range dialect.All() {
		all = append(all, d.Spec().Dialect)
	}
	return all
}

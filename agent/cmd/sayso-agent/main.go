// Command sayso-agent is an agent that asks its person, sleeps on disk until there
// is an answer, and goes on.
package main

import (
	"context"
	"os"

	"github.com/saysohq/sayso/agent/internal/cli"
)

func main() { os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:])) }

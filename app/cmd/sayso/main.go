// Command sayso asks people on behalf of agents, and lets people answer.
package main

import (
	"context"
	"os"

	"github.com/saysohq/sayso/app/internal/cli"
)

func main() { os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:])) }

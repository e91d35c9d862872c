// Command sayso-agent is an agent that asks its person, sleeps on disk until there
// is an answer, and goes on.
package main

import (
	"context"
	"os"

	"github.com/saysohq/sayso/agent/internal/cli"
	"github.com/saysohq/sayso/app/ownhub"
)

func main() {
	if code, ok := ownhub.Main(context.Background(), os.Args); ok {
		os.Exit(code)
	}
	os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
}

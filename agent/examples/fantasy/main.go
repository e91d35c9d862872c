// Command fantasy is an agent on charm.land/fantasy that can ask its person: one tool
// more.
//
//	ANTHROPIC_API_KEY=… SAYSO_HUB=http://127.0.0.1:7777 SAYSO_KEY=… go run ./examples/fantasy "Set up a service"
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"charm.land/fantasy"

	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/fantasytool"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, prompt string) error {
	hub, err := client.New(os.Getenv("SAYSO_HUB"), &client.Options{Key: os.Getenv("SAYSO_KEY")})
	if err != nil {
		return err
	}
	m, err := model.Open(ctx, model.Config{
		Provider: model.Anthropic, Model: "claude-sonnet-4-5",
		APIKey: os.Getenv("ANTHROPIC_API_KEY"), BaseURL: os.Getenv("ANTHROPIC_BASE_URL"),
	})
	if err != nil {
		return err
	}
	agent := fantasy.NewAgent(m, fantasy.WithTools(fantasytool.NewTool(dialect.Claude, hub)))
	result, err := agent.Generate(ctx, fantasy.AgentCall{Prompt: prompt})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, result.Response.Content.Text())
	return nil
}

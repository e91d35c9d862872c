// Command anthropic is a plain loop over the Messages API of Anthropic that can ask
// its person. It needs nothing but the library and the client of a hub.
//
//	ANTHROPIC_API_KEY=… SAYSO_HUB=http://127.0.0.1:7777 SAYSO_KEY=… go run ./examples/anthropic "Set up a service"
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/dialect"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

func run(ctx context.Context, out io.Writer, prompt string) error {
	hub, err := client.New(os.Getenv("SAYSO_HUB"), &client.Options{Key: os.Getenv("SAYSO_KEY")})
	if err != nil {
		return err
	}
	ask := &sayso.Tool{Dialect: dialect.Claude, Resolver: hub}
	messages := []message{{"user", []block{{Type: "text", Text: prompt}}}}
	for {
		reply, err := send(ctx, ask.Spec(), messages)
		if err != nil {
			return err
		}
		messages = append(messages, message{"assistant", reply})
		var results []block
		for _, b := range reply {
			switch b.Type {
			case "text":
				fmt.Fprintln(out, b.Text)
			case "tool_use": // the same call after a crash is the same question
				r, err := ask.Call(ctx, sayso.Call{ID: b.ID, Conversation: "example", Host: "anthropic-example", Arguments: b.Input})
				if err != nil {
					return err
				}
				results = append(results, block{Type: "tool_result", ToolUseID: b.ID, Content: r.Text, IsError: r.IsError})
				if r.StopTurn {
					return nil
				}
			}
		}
		if len(results) == 0 {
			return nil
		}
		messages = append(messages, message{"user", results})
	}
}

// send asks the model what comes next.
func send(ctx context.Context, tool sayso.ToolSpec, messages []message) ([]block, error) {
	body, err := json.Marshal(map[string]any{
		"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages,
		"tools": []any{map[string]any{"name": tool.Name, "description": tool.Description, "input_schema": tool.Schema}},
	})
	if err != nil {
		return nil, err
	}
	base := os.Getenv("ANTHROPIC_BASE_URL")
	if base == "" {
		base = "https://api.anthropic.com"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-api-key", os.Getenv("ANTHROPIC_API_KEY"))
	r.Header.Set("anthropic-version", "2023-06-01")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the model: %s", resp.Status)
	}
	var reply message
	err = json.NewDecoder(resp.Body).Decode(&reply)
	return reply.Content, err
}

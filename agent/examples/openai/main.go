// Command openai is a plain loop over Chat Completions, of OpenAI or of anything that
// speaks its wire, that can ask its person. It needs nothing but the library and the
// client of a hub.
//
//	OPENAI_API_KEY=… SAYSO_HUB=http://127.0.0.1:7777 SAYSO_KEY=… go run ./examples/openai "Set up a service"
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func run(ctx context.Context, out io.Writer, prompt string) error {
	hub, err := client.New(os.Getenv("SAYSO_HUB"), &client.Options{Key: os.Getenv("SAYSO_KEY")})
	if err != nil {
		return err
	}
	ask := &sayso.Tool{Dialect: dialect.JSON, Resolver: hub}
	messages := []message{{Role: "user", Content: prompt}}
	for {
		reply, err := send(ctx, ask.Spec(), messages)
		if err != nil {
			return err
		}
		messages = append(messages, reply)
		if reply.Content != "" {
			fmt.Fprintln(out, reply.Content)
		}
		if len(reply.ToolCalls) == 0 {
			return nil
		}
		for _, c := range reply.ToolCalls { // the same call after a crash is the same question
			r, err := ask.Call(ctx, sayso.Call{ID: c.ID, Conversation: "example", Host: "openai-example", Arguments: json.RawMessage(c.Function.Arguments)})
			if err != nil {
				return err
			}
			messages = append(messages, message{Role: "tool", ToolCallID: c.ID, Content: r.Text})
			if r.StopTurn {
				return nil
			}
		}
	}
}

// send asks the model what comes next.
func send(ctx context.Context, tool sayso.ToolSpec, messages []message) (message, error) {
	body, err := json.Marshal(map[string]any{
		"model": "gpt-5", "messages": messages,
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{
			"name": tool.Name, "description": tool.Description, "parameters": tool.Schema,
		}}},
	})
	if err != nil {
		return message{}, err
	}
	base := os.Getenv("OPENAI_BASE_URL")
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return message{}, fmt.Errorf("the model: %s", resp.Status)
	}
	var reply struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return message{}, err
	}
	if len(reply.Choices) == 0 {
		return message{}, errors.New("the model says nothing")
	}
	return reply.Choices[0].Message, nil
}

package claude

import (
	"encoding/json"
	"fmt"
	"slices"
)

// askTools are the tools of our MCP server that ask, as Claude Code names them. A
// sub-agent has no tool of Claude Code's own to ask with.
var askTools = []string{"mcp__sayso__ask_user", "mcp__sayso__ask_user_async"}

// ourTools are all of its tools for models. They ask the person, or read and withdraw
// what was asked: to be asked for permission first would be to be asked twice.
var ourTools = append([]string{"mcp__sayso__check_answer", "mcp__sayso__withdraw", "mcp__sayso__past_decisions"}, askTools...)

// introduce allows a call of our tool, and adds to that of a sub-agent who asks. The
// MCP server is not told by Claude Code, and a sub-agent does not know its own name.
func (e *event) introduce() (*reply, error) {
	if e.AgentType == "" || !slices.Contains(askTools, e.Tool) {
		return &reply{Output: &output{Event: e.Name, Decision: "allow"}}, nil
	}
	input := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Input, &input); err != nil {
		return nil, fmt.Errorf("reading the tool's input: %w", err)
	}
	input["agents"] = spell([]string{e.AgentType})
	whole, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	return &reply{Output: &output{Event: e.Name, Decision: "allow", Input: whole}}, nil
}

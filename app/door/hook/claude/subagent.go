package claude

import (
	"encoding/json"
	"fmt"
)

// ourTools are the tools of our MCP server, as Claude Code names them. A sub-agent
// has no tool of Claude Code's own to ask with.
var ourTools = []string{"mcp__sayso__ask_user", "mcp__sayso__ask_user_async"}

// introduce adds to a sub-agent's call of our tool who asks. The MCP server is not
// told by Claude Code, and a sub-agent does not know its own name.
func (e *event) introduce() (*reply, error) {
	if e.AgentType == "" {
		return nil, nil
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

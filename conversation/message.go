package conversation

import "encoding/json"

// ToolCall is a model's wish to have a tool run.
type ToolCall struct {
	ID        string `json:"id"` // unique among the calls of one reply
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"` // as the model wrote them, which may not be JSON
}

// ToolResult is what the model is told about a call.
type ToolResult struct {
	Call       string          `json:"call"`
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	StopTurn   bool            `json:"stopTurn,omitempty"` // end the turn instead of asking the model again
}

// Entry is one addition to the transcript, which the host keeps beside the state.
type Entry struct {
	Role    Role         `json:"role"`
	ID      string       `json:"id,omitempty"`      // of a user's message
	Text    string       `json:"text,omitempty"`    // what a person reads of it
	Content string       `json:"content,omitempty"` // the host's own form of a model's reply
	Calls   []ToolCall   `json:"calls,omitempty"`   // of the model
	Results []ToolResult `json:"results,omitempty"` // of tools
}

// Role says whose an entry is.
type Role string

// The roles.
const (
	RoleUser  Role = "user"
	RoleModel Role = "model"
	RoleTool  Role = "tool"
)

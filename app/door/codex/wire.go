package codex

import (
	"encoding/json"
	"slices"
)

// message is a message of either side: a request has a method and an id, a
// notification a method, a reply an id.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// What Codex asks.
const (
	askInput   = "item/tool/requestUserInput"
	askCommand = "item/commandExecution/requestApproval"
	askFiles   = "item/fileChange/requestApproval"
	askForm    = "mcpServer/elicitation/request"
	askGrant   = "item/permissions/requestApproval"
)

// What Codex tells.
const (
	toldStatus    = "thread/status/changed"
	toldItem      = "item/started"
	toldItemEnd   = "item/completed"
	toldPatch     = "item/fileChange/patchUpdated"
	toldTurnEnd   = "turn/completed"
	toldResolved  = "serverRequest/resolved"
	toldClosed    = "thread/closed"
	callResume    = "thread/resume"
	callLoaded    = "thread/loaded/list"
	callLeave     = "thread/unsubscribe"
	callRead      = "thread/read"
	callBegin     = "initialize"
	tellBegun     = "initialized"
	ownServer     = "sayso" // as which sayso setup enters our MCP server
	mcpApproval   = "mcp_tool_call"
	statusWaits   = "active"
	turnInterrupt = "interrupted"
)

// params are those of all requests and notifications, as far as they are needed.
type params struct {
	Thread   string          `json:"threadId"`
	Turn     json.RawMessage `json:"turn"`
	TurnID   string          `json:"turnId"`
	ItemID   string          `json:"itemId"`
	Request  json.RawMessage `json:"requestId"`
	Approval string          `json:"approvalId"`
	Status   status          `json:"status"`
	Item     json.RawMessage `json:"item"`
	Changes  []change        `json:"changes"`
	Reason   string          `json:"reason"`
	Cwd      string          `json:"cwd"`

	// Of a question.
	Questions json.RawMessage `json:"questions"`

	// Of a command.
	Kind       string            `json:"kind"`
	Command    *string           `json:"command"`
	Additional json.RawMessage   `json:"additionalPermissions"`
	Network    json.RawMessage   `json:"networkApprovalContext"`
	Decisions  []json.RawMessage `json:"availableDecisions"`

	// Of a change of files, and of rights.
	GrantRoot   string          `json:"grantRoot"`
	Permissions json.RawMessage `json:"permissions"`

	// Of a tool of an MCP server.
	Server  string `json:"serverName"`
	Message string `json:"message"`
	Meta    struct {
		Kind        string          `json:"codex_approval_kind"`
		Persist     []string        `json:"persist"`
		Title       string          `json:"tool_title"`
		Description string          `json:"tool_description"`
		Params      json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
}

// status is what a session does.
type status struct {
	Type  string   `json:"type"`
	Flags []string `json:"activeFlags"`
}

// waits reports whether the session waits for a person.
func (s status) waits() bool {
	return slices.Contains(s.Flags, "waitingOnApproval") || slices.Contains(s.Flags, "waitingOnUserInput")
}

// item is a step of a turn.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Changes   []change        `json:"changes"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// change is the change of a file: its hunks, or all of a file that comes or goes.
type change struct {
	Path string `json:"path"`
	Kind struct {
		Type string  `json:"type"` // add, delete, update
		Move *string `json:"move_path"`
	} `json:"kind"`
	Diff string `json:"diff"`
}

// turn is one turn of a session.
type turn struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Items  []json.RawMessage `json:"items"`
}

// thread is a session.
type thread struct {
	ID      string  `json:"id"`
	Session string  `json:"sessionId"` // that sub-agents share with the one who started them
	Cwd     string  `json:"cwd"`
	Path    string  `json:"path"` // of the file that Codex keeps the session in
	Parent  string  `json:"parentThreadId"`
	Name    string  `json:"agentNickname"`
	Role    string  `json:"agentRole"`
	Status  status  `json:"status"`
	Turns   []*turn `json:"turns"`
}

// resumed is what Codex replies to one who joins a session.
type resumed struct {
	Thread thread `json:"thread"`
	Page   *struct {
		Data []*turn `json:"data"`
	} `json:"initialTurnsPage"`
}

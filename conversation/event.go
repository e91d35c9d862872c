package conversation

import "github.com/saysohq/sayso"

// Event is something that happened. Events are values, and may come more than
// once.
type Event interface {
	name() string
	isEvent()
}

// UserMessage is a message of the user, or the task of a sub-agent. A message
// while an ask waits takes the place of the answer.
type UserMessage struct {
	ID   string `json:"id"` // unique in the conversation
	Text string `json:"text"`
}

// ModelReplied says what the model answered to the request of a step.
type ModelReplied struct {
	Step    int        `json:"step"`
	Text    string     `json:"text,omitempty"`
	Content string     `json:"content,omitempty"` // the host's own form of the reply, kept with the entry
	Calls   []ToolCall `json:"calls,omitempty"`
}

// ModelFailed says that an attempt to ask the model came to nothing.
type ModelFailed struct {
	Step      int    `json:"step"`
	Attempt   int    `json:"attempt"`
	Error     string `json:"error"`
	Retryable bool   `json:"retryable,omitempty"` // it may go better next time
}

// ToolFinished brings the result of a tool call. A call that the host refuses to
// run, or to ask, has a result too.
type ToolFinished struct {
	Step   int        `json:"step"`
	Result ToolResult `json:"result"`
}

// AskPending says that the call is one of the asking tool, and is ready to be
// asked. The ask has an id.
type AskPending struct {
	Step int        `json:"step"`
	Call string     `json:"call"`
	Ask  *sayso.Ask `json:"ask"`
}

// AskClosed brings the final outcome of an ask, of this conversation or of a
// sub-agent: an answer, a refusal, an expired deadline. Result is what the model
// is told, as [sayso.Tool] words it; for the ask of a sub-agent it is empty.
type AskClosed struct {
	Ask     string         `json:"ask"`
	Outcome *sayso.Outcome `json:"outcome"`
	Result  ToolResult     `json:"result,omitzero"`
}

// AskWithdrawn says that whoever asked does not want to know any more.
type AskWithdrawn struct {
	Ask    string `json:"ask"`
	Reason string `json:"reason,omitempty"`
}

// SubAgentsSpawned says that the call is one that starts these sub-agents.
type SubAgentsSpawned struct {
	Step   int        `json:"step"`
	Call   string     `json:"call"`
	Agents []SubAgent `json:"agents"` // with their ID, Name and Task
}

// SubAgentAsked says that a sub-agent asks, by way of this conversation.
type SubAgentAsked struct {
	Agent string     `json:"agent"`
	Ask   *sayso.Ask `json:"ask"`
}

// SubAgentDone says that a sub-agent has ended.
type SubAgentDone struct {
	Agent   string `json:"agent"`
	Text    string `json:"text,omitempty"`
	IsError bool   `json:"isError,omitempty"`
}

// Cancel ends the turn: what runs is stopped, what waits is withdrawn.
type Cancel struct {
	Reason string `json:"reason,omitempty"`
}

// Retry asks the model again after a failure.
type Retry struct{}

// End ends the conversation for good.
type End struct {
	Reason string `json:"reason,omitempty"`
}

// Delivered says that an effect of the outbox was carried out.
type Delivered struct {
	Key string `json:"key"`
}

// Resumed says that the state was read from where it is kept, by a host that does
// not know what was carried out.
type Resumed struct{}

func (UserMessage) name() string      { return "user_message" }
func (ModelReplied) name() string     { return "model_replied" }
func (ModelFailed) name() string      { return "model_failed" }
func (ToolFinished) name() string     { return "tool_finished" }
func (AskPending) name() string       { return "ask_pending" }
func (AskClosed) name() string        { return "ask_closed" }
func (AskWithdrawn) name() string     { return "ask_withdrawn" }
func (SubAgentsSpawned) name() string { return "sub_agents_spawned" }
func (SubAgentAsked) name() string    { return "sub_agent_asked" }
func (SubAgentDone) name() string     { return "sub_agent_done" }
func (Cancel) name() string           { return "cancel" }
func (Retry) name() string            { return "retry" }
func (End) name() string              { return "end" }
func (Delivered) name() string        { return "delivered" }
func (Resumed) name() string          { return "resumed" }

func (UserMessage) isEvent()      {}
func (ModelReplied) isEvent()     {}
func (ModelFailed) isEvent()      {}
func (ToolFinished) isEvent()     {}
func (AskPending) isEvent()       {}
func (AskClosed) isEvent()        {}
func (AskWithdrawn) isEvent()     {}
func (SubAgentsSpawned) isEvent() {}
func (SubAgentAsked) isEvent()    {}
func (SubAgentDone) isEvent()     {}
func (Cancel) isEvent()           {}
func (Retry) isEvent()            {}
func (End) isEvent()              {}
func (Delivered) isEvent()        {}
func (Resumed) isEvent()          {}

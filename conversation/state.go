package conversation

import (
	"slices"

	"github.com/saysohq/sayso"
)

// State is where a conversation stands. It is one of [Idle], [LLMRequesting],
// [ToolExecuting], [AwaitingUserResponse], [AwaitingSubAgents], [Failed] and
// [Ended]. States are values: nothing in them may be changed.
type State interface {
	name() string
	thread() Thread
	with(Thread) State // the same state of another thread
	on(Event, *change) (State, error)
}

// Idle waits for a message of the user.
type Idle struct {
	Thread
}

// LLMRequesting waits for the model. The request is named by Step and Attempt.
type LLMRequesting struct {
	Thread
	Attempt int `json:"attempt"` // from 1
}

// ToolExecuting waits for the result of one tool call; the others come after it.
type ToolExecuting struct {
	Thread
	Current   ToolCall   `json:"current"`
	Remaining []ToolCall `json:"remaining,omitempty"`
}

// AwaitingUserResponse waits for the outcome of an ask, for as long as it takes.
type AwaitingUserResponse struct {
	Thread
	Ask       *sayso.Ask `json:"ask"`
	Call      string     `json:"call"` // the tool call that the outcome is the result of
	Remaining []ToolCall `json:"remaining,omitempty"`
}

// AwaitingSubAgents waits until all sub-agents of one tool call are done. They may
// ask meanwhile.
type AwaitingSubAgents struct {
	Thread
	Call      string     `json:"call"` // the tool call that started them
	Agents    []SubAgent `json:"agents"`
	Remaining []ToolCall `json:"remaining,omitempty"`
}

// Failed is at rest because the model cannot be reached. A message or a Retry
// goes on.
type Failed struct {
	Thread
	Error string `json:"error"`
}

// Ended is final. A sub-agent ends when its work is done.
type Ended struct {
	Thread
	Text    string `json:"text,omitempty"` // what a sub-agent has to say, or why the conversation was ended
	IsError bool   `json:"isError,omitempty"`
}

// Thread is what a conversation knows in every state.
type Thread struct {
	Conversation string `json:"conversation"`
	Parent       string `json:"parent,omitempty"` // the conversation that started this one; empty at the top
	Asking       Asking `json:"asking,omitempty"`

	Revision int         `json:"revision"`          // how often it was saved
	Step     int         `json:"step"`              // how often the model was asked, retries aside
	Message  string      `json:"message,omitempty"` // the id of the last message of the user
	Done     []string    `json:"done,omitempty"`    // the tool calls of this step whose results are saved
	Closed   []ClosedAsk `json:"closed,omitempty"`  // the asks that have an outcome
	Outbox   Effects     `json:"outbox,omitempty"`  // effects that wait for their Delivered
}

// Asking says whom the asks of a conversation go to.
type Asking string

// The ways to ask.
const (
	AskPerson Asking = ""       // the person; a sub-agent too, if it has nobody else
	AskParent Asking = "parent" // the parent, which passes it on
	AskNobody Asking = "nobody" // the tool is not available
)

// ClosedAsk remembers an ask that has an outcome.
type ClosedAsk struct {
	ID       string `json:"id"`
	Decision string `json:"decision"` // a hash of what was decided, to tell a repeat from a rival
}

// SubAgent is a sub-agent as its parent sees it.
type SubAgent struct {
	ID     string       `json:"id"` // its conversation; never used twice
	Name   string       `json:"name,omitempty"`
	Task   string       `json:"task,omitempty"`
	Asks   []*sayso.Ask `json:"asks,omitempty"`   // what it has asked and not been told
	Result *ToolResult  `json:"result,omitempty"` // nil while it works
}

// Options shape a new conversation. Nil means the defaults.
type Options struct {
	Parent string // the conversation that starts this one; default: none, it is at the top
	Asking Asking // whom it asks; default: the person
}

// New returns a conversation that nobody has said anything in.
func New(conversation string, o *Options) State {
	t := Thread{Conversation: conversation}
	if o != nil {
		t.Parent, t.Asking = o.Parent, o.Asking
	}
	return Idle{t}
}

// ThreadOf returns what the conversation knows whatever its state.
func ThreadOf(s State) Thread { return s.thread() }

// Name returns the name of a state, as in its JSON form: "awaiting_user_response".
func Name(s State) string { return s.name() }

func (t Thread) thread() Thread { return t }

func (Idle) name() string                 { return "idle" }
func (LLMRequesting) name() string        { return "llm_requesting" }
func (ToolExecuting) name() string        { return "tool_executing" }
func (AwaitingUserResponse) name() string { return "awaiting_user_response" }
func (AwaitingSubAgents) name() string    { return "awaiting_sub_agents" }
func (Failed) name() string               { return "failed" }
func (Ended) name() string                { return "ended" }

func (s Idle) with(t Thread) State                 { s.Thread = t; return s }
func (s LLMRequesting) with(t Thread) State        { s.Thread = t; return s }
func (s ToolExecuting) with(t Thread) State        { s.Thread = t; return s }
func (s AwaitingUserResponse) with(t Thread) State { s.Thread = t; return s }
func (s AwaitingSubAgents) with(t Thread) State    { s.Thread = t; return s }
func (s Failed) with(t Thread) State               { s.Thread = t; return s }
func (s Ended) with(t Thread) State                { s.Thread = t; return s }

func (t *Thread) done(call string) bool { return slices.Contains(t.Done, call) }

// closed returns what was decided of the ask, if anything was.
func (t *Thread) closed(ask string) (decision string, ok bool) {
	for _, c := range t.Closed {
		if c.ID == ask {
			return c.Decision, true
		}
	}
	return "", false
}

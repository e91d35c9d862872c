package conversation

import (
	"fmt"

	"github.com/saysohq/sayso"
)

// Effect is something for the host to do. Doing it again under the same key must
// change nothing.
type Effect interface {
	// Key names the effect within its conversation. The same key always means the
	// same effect.
	Key() string
	name() string
}

// Save writes the new state and adds the entries to the transcript, both or
// neither, if the revision that is stored is one less.
type Save struct {
	Revision int     `json:"revision"`
	Entries  []Entry `json:"entries,omitempty"`
}

// Notify tells whoever watches that the conversation has moved. It may get lost.
type Notify struct {
	Revision int    `json:"revision"`
	State    string `json:"state"`
}

// RequestModel asks the model; ModelReplied or ModelFailed comes back. How long to
// wait before a later attempt is the host's to choose.
type RequestModel struct {
	Step    int `json:"step"`
	Attempt int `json:"attempt"`
}

// ExecuteTool runs a tool; ToolFinished, AskPending or SubAgentsSpawned comes back.
type ExecuteTool struct {
	Step int      `json:"step"`
	Call ToolCall `json:"call"`
}

// StopWork stops what runs under a key, if it still does. It may get lost.
type StopWork struct {
	Work string `json:"work"`
}

// AskUser puts the ask before the person, or before the parent if that is named
// (SubAgentAsked); AskClosed comes back.
type AskUser struct {
	Ask    *sayso.Ask `json:"ask"`
	Parent string     `json:"parent,omitempty"`
}

// WithdrawAsk takes back what AskUser has put (AskWithdrawn at a parent).
type WithdrawAsk struct {
	Ask    string       `json:"ask"`
	Parent string       `json:"parent,omitempty"`
	Status sayso.Status `json:"status"` // cancelled or superseded
	Reason string       `json:"reason,omitempty"`
}

// StartAgent starts a sub-agent: New, with its id, and UserMessage with its task.
type StartAgent struct {
	Agent SubAgent `json:"agent"`
}

// TellAgent gives a sub-agent the outcome of what it has asked (AskClosed there).
type TellAgent struct {
	Agent   string         `json:"agent"`
	Ask     string         `json:"ask"`
	Outcome *sayso.Outcome `json:"outcome"`
}

// CancelAgent cancels a sub-agent (Cancel there).
type CancelAgent struct {
	Agent string `json:"agent"`
}

// TellParent tells the parent that this sub-agent is done (SubAgentDone there).
type TellParent struct {
	Parent  string `json:"parent"`
	Text    string `json:"text,omitempty"`
	IsError bool   `json:"isError,omitempty"`
}

// Key is save/REVISION.
func (e Save) Key() string { return fmt.Sprintf("save/%d", e.Revision) }

// Key is notify/REVISION.
func (e Notify) Key() string { return fmt.Sprintf("notify/%d", e.Revision) }

// Key is model/STEP/ATTEMPT.
func (e RequestModel) Key() string { return fmt.Sprintf("model/%d/%d", e.Step, e.Attempt) }

// Key is tool/STEP/CALL: some models give calls the same ids in every reply.
func (e ExecuteTool) Key() string { return fmt.Sprintf("tool/%d/%s", e.Step, e.Call.ID) }

// Key is stop/ and the key of the work.
func (e StopWork) Key() string { return "stop/" + e.Work }

// Key is ask/ASK.
func (e AskUser) Key() string { return "ask/" + e.Ask.ID }

// Key is withdraw/ASK.
func (e WithdrawAsk) Key() string { return "withdraw/" + e.Ask }

// Key is agent/AGENT.
func (e StartAgent) Key() string { return "agent/" + e.Agent.ID }

// Key is tell/AGENT/ASK.
func (e TellAgent) Key() string { return "tell/" + e.Agent + "/" + e.Ask }

// Key is cancel/AGENT.
func (e CancelAgent) Key() string { return "cancel/" + e.Agent }

// Key is parent: there is only one, and it is told once.
func (TellParent) Key() string { return "parent" }

func (Save) name() string         { return "save" }
func (Notify) name() string       { return "notify" }
func (RequestModel) name() string { return "request_model" }
func (ExecuteTool) name() string  { return "execute_tool" }
func (StopWork) name() string     { return "stop_work" }
func (AskUser) name() string      { return "ask_user" }
func (WithdrawAsk) name() string  { return "withdraw_ask" }
func (StartAgent) name() string   { return "start_agent" }
func (TellAgent) name() string    { return "tell_agent" }
func (CancelAgent) name() string  { return "cancel_agent" }
func (TellParent) name() string   { return "tell_parent" }

package bridge

import (
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
)

// From says where a request comes from.
type From struct {
	Session string // the agent's name for it; the conversation of the ask
	Call    string // the id of the tool call, if it is known
	Dir     string // the folder that the session works in
	Agents  []string
}

// Question makes the ask of a call of the agent's own question tool. The error says what
// is wrong with the call.
func (b *Bridge) Question(d sayso.Dialect, from From, arguments json.RawMessage) (*sayso.Ask, error) {
	o := b.origin(from)
	a, refusal := (&sayso.Tool{Dialect: d}).Prepare(sayso.Call{
		ID: o.ToolCall, Conversation: o.Conversation, Agents: o.Agents, Host: o.Host,
		Workspace: o.Workspace, Branch: o.Branch, Arguments: arguments,
	})
	if refusal != nil {
		return nil, fmt.Errorf("bridge: the question cannot be asked: %s", refusal.Text)
	}
	return a, nil
}

// Approval makes the ask of a request for permission.
func (b *Bridge) Approval(p *sayso.Approval, from From) (*sayso.Ask, error) {
	a := &sayso.Ask{Approval: p, Dialect: sayso.ApprovalDialect, Origin: b.origin(from)}
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, fmt.Errorf("bridge: the request cannot be shown: %w", err)
	}
	a.ID = a.DeriveID()
	return a, nil
}

func (b *Bridge) origin(from From) sayso.Origin {
	o := sayso.Origin{Conversation: from.Session, ToolCall: from.Call, Agents: from.Agents, Host: b.opts.Host}
	o.Workspace, o.Branch = b.opts.Place(from.Dir)
	return o
}

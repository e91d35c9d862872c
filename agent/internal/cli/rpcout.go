package cli

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/dialect"
)

// rpcOut is what the program is told: an event, or the response to a command.
type rpcOut struct {
	Type         string `json:"type"`
	ID           string `json:"id,omitempty"`
	Command      string `json:"command,omitempty"`
	Success      *bool  `json:"success,omitempty"`
	Error        string `json:"error,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	State        string `json:"state,omitempty"`

	RequestID       string       `json:"requestId,omitempty"`
	*dialect.PiForm              // of what is asked
	Status          sayso.Status `json:"status,omitempty"`

	Delta      string           `json:"delta,omitempty"`
	Text       string           `json:"text,omitempty"`
	ToolCallID string           `json:"toolCallId,omitempty"`
	ToolName   string           `json:"toolName,omitempty"`
	Args       string           `json:"args,omitempty"` // as the model wrote them
	Result     string           `json:"result,omitempty"`
	IsError    bool             `json:"isError,omitempty"`
	Asked      []agent.Question `json:"asked,omitempty"`
}

func (o *rpcOut) stateOf(c *agent.Conversation) error {
	o.Conversation, o.State = c.ID, conversation.Name(c.State)
	if s, ok := c.State.(conversation.Failed); ok {
		o.Text = s.Error
	}
	return nil
}

func (s *rpcSession) write(o rpcOut) {
	b, err := json.Marshal(o)
	if err == nil && s.err == nil {
		_, err = s.Out.Write(append(b, '\n'))
	}
	if s.err == nil {
		s.err = err
	}
}

// tell tells news. Asks come before the entries of their closing.
func (s *rpcSession) tell(ctx context.Context, all []agent.Update) {
	for _, u := range all {
		switch {
		case u.Conversation != s.id:
			continue
		case !s.works && !u.Resting:
			s.works = true
			s.write(rpcOut{Type: "agent_start", Conversation: s.id})
		}
		if u.Delta != "" {
			if u.Member == s.id {
				s.write(rpcOut{Type: "message_update", Delta: u.Delta})
			}
			continue
		}
		waits := u.State == "awaiting_user_response" || u.State == "awaiting_sub_agents"
		if !waits && len(s.asked) > 0 {
			s.look(ctx)
		}
		if u.Member == s.id {
			s.entries(u.Length-len(u.Entries), u.Entries)
		}
		if waits || u.Resting {
			s.look(ctx)
		}
		if u.Resting && s.works {
			s.works = false
			s.write(rpcOut{Type: "agent_end", Conversation: s.id, State: u.State})
		}
	}
}

// look tells what is asked, and what no longer is.
func (s *rpcSession) look(ctx context.Context) {
	if c, err := s.d.Get(ctx, s.id); err == nil {
		s.questions(ctx, c)
	}
}

func (s *rpcSession) questions(ctx context.Context, c *agent.Conversation) {
	open := c.Asks()
	var gone []string
	for id := range s.asked {
		if !slices.ContainsFunc(open, func(a *sayso.Ask) bool { return a.ID == id }) {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	for _, id := range gone {
		s.write(rpcOut{Type: "ask_user_closed", RequestID: id, Status: s.statusOf(ctx, s.asked[id])})
		delete(s.asked, id)
	}
	for _, a := range open {
		if s.asked[a.ID] != nil {
			continue
		}
		s.d.placed(ctx, a)
		s.asked[a.ID] = a
		s.write(rpcOut{Type: "ask_user_request", RequestID: a.ID, PiForm: dialect.NewPiForm(a)})
	}
}

func (s *rpcSession) statusOf(ctx context.Context, a *sayso.Ask) sayso.Status {
	in, err := s.d.inbox("rpc")
	if err != nil {
		return ""
	}
	t, err := s.d.ticket(ctx, in, a)
	if err != nil {
		return ""
	}
	if t.Open() {
		return sayso.StatusCancelled // it is being taken back
	}
	return t.Status()
}

// entries tells additions to the transcript, each once.
func (s *rpcSession) entries(from int, all []conversation.Entry) {
	for i, e := range all {
		if from+i < s.told {
			continue
		}
		s.told = from + i + 1
		switch e.Role {
		case conversation.RoleModel:
			s.write(rpcOut{Type: "message_end", Text: e.Text})
			for _, c := range e.Calls {
				s.write(rpcOut{Type: "tool_execution_start", ToolCallID: c.ID, ToolName: c.Name, Args: c.Arguments})
			}
		case conversation.RoleTool:
			for _, r := range e.Results {
				s.write(rpcOut{Type: "tool_execution_end", ToolCallID: r.Call, Result: r.Text, IsError: r.IsError})
			}
		}
	}
}

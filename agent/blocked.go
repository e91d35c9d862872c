package agent

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/conversation"
)

// blocks notes what waits behind an ask of a member in this state, whatever the
// model put there.
func (f *family) blocks(s conversation.State, a *sayso.Ask) {
	var tools, agents []any
	later := func(calls []conversation.ToolCall) {
		for _, c := range calls {
			tools = append(tools, sayso.SafeLine(c.Name))
		}
	}
	for n := 0; n <= len(f.members); n++ {
		thread := conversation.ThreadOf(s)
		switch s := s.(type) {
		case conversation.ToolExecuting:
			later(s.Remaining)
		case conversation.AwaitingSubAgents:
			later(s.Remaining)
			agents = append(agents, f.nameOf(thread.Conversation))
		}
		parent := f.members[thread.Parent]
		if parent == nil {
			break
		}
		s = parent.state
	}
	metadata := map[string]any{}
	for k, v := range a.Metadata {
		if k != sayso.MetadataBlocked {
			metadata[k] = v
		}
	}
	if blocked := (map[string]any{}); len(tools)+len(agents) > 0 {
		if len(tools) > 0 {
			blocked["tools"] = tools
		}
		if len(agents) > 0 {
			blocked["agents"] = agents
		}
		metadata[sayso.MetadataBlocked] = blocked
	}
	a.Metadata = nil
	if len(metadata) > 0 {
		a.Metadata = metadata
	}
}

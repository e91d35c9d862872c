package agent

import (
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// Question is a call of the asking tool because of which people were asked, in the
// order of the transcript.
type Question struct {
	Number  int            `json:"number"` // from 1
	Ask     *sayso.Ask     `json:"ask"`
	Outcome *sayso.Outcome `json:"outcome,omitempty"` // nil while it waits, and where it was withdrawn
	Told    string         `json:"told,omitempty"`    // what the model was told; empty while it waits

	entry int // of the transcript
	call  int // of the entry
}

// Questions returns what the conversation itself has asked, answered or not.
// Calls that were refused disturbed nobody, and are left out.
func (h *Host) Questions(c *Conversation) []Question {
	var all []Question
	closed := c.Closed
	for i, e := range c.Transcript {
		for j, call := range e.Calls {
			if call.Name != h.o.AskTool {
				continue
			}
			a, refusal := h.ask.Prepare(sayso.Call{Arguments: arguments(call)})
			if refusal != nil {
				continue
			}
			q := Question{Number: len(all) + 1, Ask: a, entry: i, call: j}
			if r := resultOf(c.Transcript[i+1:], call.ID); r != nil {
				q.Told = r.Text
				at := slices.IndexFunc(closed, func(k journal.Closed) bool { return isAskOf(k.Ask, call) && k.Ask.Digest() == a.Digest() })
				if at >= 0 {
					q.Ask, q.Outcome, closed = closed[at].Ask, closed[at].Outcome, closed[at+1:]
				}
			} else if s, ok := c.State.(conversation.AwaitingUserResponse); ok && s.Call == call.ID {
				q.Ask = s.Ask
			}
			all = append(all, q)
		}
	}
	return all
}

// isAskOf reports whether an ask came of a call with this id.
func isAskOf(a *sayso.Ask, c conversation.ToolCall) bool {
	return len(a.Origin.Agents) == 0 && strings.HasSuffix(a.Origin.ToolCall, "/"+c.ID)
}

// resultOf returns the result of a call of the reply before these entries.
func resultOf(entries []conversation.Entry, call string) *conversation.ToolResult {
	for _, e := range entries {
		if e.Role == conversation.RoleModel {
			return nil
		}
		for i := range e.Results {
			if e.Results[i].Call == call {
				return &e.Results[i]
			}
		}
	}
	return nil
}

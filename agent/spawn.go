package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/conversation"
)

// spawnTool is the tool that starts sub-agents.
const spawnTool = "spawn_agents"

// taskMessage is the id of the one message that a sub-agent gets.
const taskMessage = "task"

// agentMark divides the id of the conversation at the top from the rest of the id
// of a sub-agent. Other ids must not have it.
const agentMark = "~"

const spawnDescription = "Start sub-agents that each work on a task of their own, at the same time, and wait for all of them. " +
	"The result is a list with what each has to say. A sub-agent knows nothing but its task, so put everything into it that matters."

const spawnSchema = `{
	"type": "object",
	"required": ["agents"],
	"additionalProperties": false,
	"properties": {
		"agents": {
			"type": "array", "minItems": 1, "maxItems": %d,
			"items": {
				"type": "object",
				"required": ["name", "task"],
				"additionalProperties": false,
				"properties": {
					"name": {"type": "string", "minLength": 1, "maxLength": 40, "description": "A short name that people are shown, such as researcher"},
					"task": {"type": "string", "minLength": 1, "description": "What it is to do, complete"}
				}
			}
		}
	}
}`

// spawn turns a call into sub-agents to start.
func (f *family) spawn(id string, e conversation.ExecuteTool) conversation.Event {
	if f.depth(id) >= f.h.o.SubAgents.MaxDepth {
		return f.refuse(e, "%s is not available here: agents are nested %d deep at most.", spawnTool, max(0, f.h.o.SubAgents.MaxDepth))
	}
	var in struct {
		Agents []struct{ Name, Task string } `json:"agents"`
	}
	if err := json.Unmarshal(arguments(e.Call), &in); err != nil {
		return f.refuse(e, "%s: the arguments cannot be read, so no agent was started: %v", spawnTool, err)
	}
	if n := len(in.Agents); n < 1 || n > f.h.o.SubAgents.MaxCount {
		return f.refuse(e, "%s: there are %d agents, and there must be 1 to %d, so no agent was started.", spawnTool, n, f.h.o.SubAgents.MaxCount)
	}
	agents := make([]conversation.SubAgent, len(in.Agents))
	for i, a := range in.Agents {
		name := sayso.SafeLine(strings.TrimSpace(a.Name))
		if name == "" || strings.TrimSpace(a.Task) == "" {
			return f.refuse(e, "%s: agent %d has no name or no task, so no agent was started.", spawnTool, i+1)
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%d", id, e.Step, e.Call.ID, i))
		agents[i] = conversation.SubAgent{ID: f.root + agentMark + hex.EncodeToString(sum[:6]), Name: name, Task: a.Task}
	}
	return conversation.SubAgentsSpawned{Step: e.Step, Call: e.Call.ID, Agents: agents}
}

// depth is how many conversations stand above a member.
func (f *family) depth(id string) int {
	n := 0
	for m := f.members[id]; m != nil && n <= len(f.members); n++ {
		parent := conversation.ThreadOf(m.state).Parent
		if parent == "" {
			return n
		}
		m = f.members[parent]
	}
	return n
}

// options are those of a new member: of the conversation at the top, or of a
// sub-agent that its parent waits for.
func (f *family) options(id string) *conversation.Options {
	parent, _ := f.agent(id)
	if parent == "" {
		return nil
	}
	o := &conversation.Options{Parent: parent, Asking: conversation.AskParent}
	if f.h.o.SubAgents.Deny {
		o.Asking = conversation.AskNobody
	}
	return o
}

// agent returns a sub-agent as its parent knows it, and whose it is.
func (f *family) agent(id string) (parent string, a conversation.SubAgent) {
	for _, p := range f.order {
		s, ok := f.members[p].state.(conversation.AwaitingSubAgents)
		if !ok {
			continue
		}
		for _, a := range s.Agents {
			if a.ID == id {
				return p, a
			}
		}
	}
	return "", a
}

// nameOf is what people call a member.
func (f *family) nameOf(id string) string {
	if _, a := f.agent(id); a.Name != "" {
		return a.Name
	}
	return "main"
}

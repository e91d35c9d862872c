package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// Tool is something that the model may have done. Package mcptools has those of
// MCP servers.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object; default: no arguments

	// Repeat says that a call may be made again under its key after a crash,
	// because it only reads or knows calls by their keys. Default: it may not. If
	// the host dies while such a call runs, or before its result is saved, the
	// model is told that nobody knows what became of it.
	Repeat bool

	// Run makes a call. An error is told to the model. When ctx ends, it returns.
	Run func(ctx context.Context, c Call) (Result, error)
}

// Call is a call of a tool.
type Call struct {
	Key          string // the same for the same call, whenever and wherever it is made
	Conversation string
	Name         string
	Arguments    json.RawMessage // valid JSON
}

// Result is what the model is told of a call.
type Result struct {
	Text       string
	Structured json.RawMessage // for the host's own use; the model is not told
	IsError    bool
}

// offer is the tool as the model is told of it.
func (t *Tool) offer() (fantasy.FunctionTool, error) {
	if t.Run == nil {
		return fantasy.FunctionTool{}, errors.New("it has no Run")
	}
	return offer(t.Name, t.Description, t.Schema)
}

func offer(name, description string, schema json.RawMessage) (fantasy.FunctionTool, error) {
	in := map[string]any{"type": "object", "properties": map[string]any{}}
	if len(schema) > 0 {
		if err := json.Unmarshal(schema, &in); err != nil {
			return fantasy.FunctionTool{}, fmt.Errorf("schema: %w", err)
		}
	}
	required := []string{} // some providers read no other type
	if list, ok := in["required"].([]any); ok {
		for _, v := range list {
			if s, ok := v.(string); ok {
				required = append(required, s)
			}
		}
	}
	in["required"] = required
	return fantasy.FunctionTool{Name: name, Description: description, InputSchema: in}, nil
}

// execute runs a tool, or does what takes its place for asking and for sub-agents.
func (f *family) execute(ctx context.Context, id string, e conversation.ExecuteTool) error {
	if event := f.decide(id, f.members[id].state, e); event != nil {
		f.local = append(f.local, happened(id, event)...)
		f.after(id, e)
		return nil
	}
	t, key := f.h.tools[e.Call.Name], id+"/"+e.Key()
	if !t.Repeat && f.claimed != key { // one that was planted, or that an older version was about to make
		f.before(id, "claim")
		if err := f.append(ctx, journal.Record{Conversation: id, Claim: e.Key(), Owner: f.h.owner}); err != nil {
			return err
		}
		f.after(id, "claim")
		f.members[id].claim(e.Key())
	}
	c := Call{Key: key, Conversation: id, Name: t.Name, Arguments: arguments(e.Call)}
	f.begin(ctx, key, func(ctx context.Context) []mail {
		r, err := t.Run(ctx, c)
		f.after(id, e)
		switch {
		case err != nil && f.h.ctx.Err() != nil:
			return nil // it was the host that stopped
		case err != nil:
			return happened(id, f.refuse(e, "%s failed: %v", t.Name, err))
		}
		return happened(id, f.finish(e, conversation.ToolResult{Text: r.Text, Structured: r.Structured, IsError: r.IsError}))
	})
	return nil
}

func arguments(c conversation.ToolCall) json.RawMessage {
	if strings.TrimSpace(c.Arguments) == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(c.Arguments)
}

// intercept takes a call of the asking tool, which nobody runs: it becomes an ask
// that the conversation waits for, or a refusal that the model can act on.
func (f *family) intercept(id string, s conversation.State, e conversation.ExecuteTool) conversation.Event {
	if conversation.ThreadOf(s).Asking == conversation.AskNobody {
		return f.refuse(e, "%s is not available to sub-agents", e.Call.Name)
	}
	a, refusal := f.h.ask.Prepare(sayso.Call{
		// Some models use the same ids in every reply, and sub-agents those of each
		// other; all of them ask in the name of the conversation at the top.
		ID:           fmt.Sprintf("%s/%d/%s", id, e.Step, e.Call.ID),
		Conversation: f.root,
		Host:         f.h.o.Program, Workspace: f.h.o.Workspace, Branch: f.h.o.Branch,
		Arguments: arguments(e.Call),
	})
	if refusal != nil {
		return f.finish(e, conversation.ToolResult{Text: refusal.Text, Structured: refusal.Structured, IsError: refusal.IsError, StopTurn: refusal.StopTurn})
	}
	a.To = f.h.o.To
	f.blocks(s, a)
	return conversation.AskPending{Step: e.Step, Call: e.Call.ID, Ask: a}
}

// cut shortens a text to so many bytes, says so, and leaves valid UTF-8.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[%d more bytes were cut off]", s[:end], len(s)-end)
}

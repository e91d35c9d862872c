package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"charm.land/fantasy"

	"github.com/saysohq/sayso/conversation"
)

// promptOf is a transcript as the model is told it.
func promptOf(system string, entries []conversation.Entry) (fantasy.Prompt, error) {
	var p fantasy.Prompt
	if system != "" {
		p = append(p, fantasy.NewSystemMessage(system))
	}
	for i, e := range remembered(entries) {
		switch e.Role {
		case conversation.RoleUser:
			p = append(p, fantasy.NewUserMessage(e.Text))
		case conversation.RoleModel:
			m, err := said(e)
			if err != nil {
				return nil, &ownError{fmt.Errorf("entry %d of the transcript: %w", i, err)}
			}
			if len(m.Content) > 0 {
				p = append(p, m)
			}
		case conversation.RoleTool:
			m := fantasy.Message{Role: fantasy.MessageRoleTool}
			for _, r := range e.Results {
				m.Content = append(m.Content, resultPart(r))
			}
			p = append(p, m)
		}
	}
	return p, nil
}

// said is what the model said, in the form that its provider wants it back in,
// with signatures and all.
func said(e conversation.Entry) (fantasy.Message, error) {
	m := fantasy.Message{Role: fantasy.MessageRoleAssistant}
	if e.Content != "" {
		err := json.Unmarshal([]byte(e.Content), &m)
		return m, err
	}
	if e.Text != "" {
		m.Content = append(m.Content, fantasy.TextPart{Text: e.Text})
	}
	for _, c := range e.Calls {
		m.Content = append(m.Content, fantasy.ToolCallPart{ToolCallID: c.ID, ToolName: c.Name, Input: c.Arguments})
	}
	return m, nil
}

func resultPart(r conversation.ToolResult) fantasy.ToolResultPart {
	p := fantasy.ToolResultPart{ToolCallID: r.Call, Output: fantasy.ToolResultOutputContentText{Text: r.Text}}
	if r.IsError {
		p.Output = fantasy.ToolResultOutputContentError{Error: errors.New(r.Text)}
	}
	return p
}

// collector puts the parts of a streamed reply together, in the order in which
// they began.
type collector struct {
	parts  []*part
	finish fantasy.FinishReason // empty: it has not finished
}

type part struct {
	kind     fantasy.ContentType
	id       string
	text     strings.Builder
	call     fantasy.ToolCallPart
	metadata fantasy.ProviderMetadata
}

func (c *collector) add(p fantasy.StreamPart) error {
	switch p.Type {
	case fantasy.StreamPartTypeError:
		if p.Error == nil {
			return errors.New("the model's stream broke")
		}
		return p.Error
	case fantasy.StreamPartTypeTextStart, fantasy.StreamPartTypeTextDelta, fantasy.StreamPartTypeTextEnd:
		c.open(fantasy.ContentTypeText, p)
	case fantasy.StreamPartTypeReasoningStart, fantasy.StreamPartTypeReasoningDelta, fantasy.StreamPartTypeReasoningEnd:
		c.open(fantasy.ContentTypeReasoning, p)
	case fantasy.StreamPartTypeToolCall:
		c.parts = append(c.parts, &part{kind: fantasy.ContentTypeToolCall, id: p.ID, call: fantasy.ToolCallPart{
			ToolCallID: p.ID, ToolName: p.ToolCallName, Input: p.ToolCallInput, ProviderExecuted: p.ProviderExecuted,
			ProviderOptions: fantasy.ProviderOptions(p.ProviderMetadata),
		}})
	case fantasy.StreamPartTypeFinish:
		c.finish = p.FinishReason
		if c.finish == "" {
			c.finish = fantasy.FinishReasonUnknown
		}
	}
	return nil
}

func (c *collector) open(kind fantasy.ContentType, p fantasy.StreamPart) {
	i := slices.IndexFunc(c.parts, func(q *part) bool { return q.kind == kind && q.id == p.ID })
	if i < 0 || p.Type == fantasy.StreamPartTypeTextStart || p.Type == fantasy.StreamPartTypeReasoningStart {
		c.parts = append(c.parts, &part{kind: kind, id: p.ID})
		i = len(c.parts) - 1
	}
	if p.Type == fantasy.StreamPartTypeTextDelta || p.Type == fantasy.StreamPartTypeReasoningDelta {
		c.parts[i].text.WriteString(p.Delta)
	}
	if p.ProviderMetadata != nil {
		c.parts[i].metadata = p.ProviderMetadata
	}
}

func isCall(p *part) bool { return p.kind == fantasy.ContentTypeToolCall }

// reply is what the model said. Every call has an id of its own. The calls of a
// reply that was cut off may be cut off too, and are left out.
func (c *collector) reply() (conversation.ModelReplied, error) {
	var out conversation.ModelReplied
	switch c.finish {
	case "":
		return out, fantasy.NewIncompleteStreamError()
	case fantasy.FinishReasonError:
		return out, errors.New("the model broke off with an error")
	case fantasy.FinishReasonLength, fantasy.FinishReasonContentFilter:
		if calls := slices.ContainsFunc(c.parts, isCall); calls {
			c.parts = slices.DeleteFunc(c.parts, isCall)
			note := &part{kind: fantasy.ContentTypeText}
			fmt.Fprintf(&note.text, "[The reply was cut off (%s), and with it a call that was not made.]", c.finish)
			c.parts = append(c.parts, note)
		}
	}
	m := fantasy.Message{Role: fantasy.MessageRoleAssistant}
	seen := map[string]bool{}
	for i, p := range c.parts {
		switch p.kind {
		case fantasy.ContentTypeText:
			if p.text.Len() > 0 {
				out.Text += p.text.String()
				m.Content = append(m.Content, fantasy.TextPart{Text: p.text.String(), ProviderOptions: fantasy.ProviderOptions(p.metadata)})
			}
		case fantasy.ContentTypeReasoning:
			m.Content = append(m.Content, fantasy.ReasoningPart{Text: p.text.String(), ProviderOptions: fantasy.ProviderOptions(p.metadata)})
		case fantasy.ContentTypeToolCall:
			if p.call.ProviderExecuted {
				continue
			}
			if p.call.ToolCallID == "" || seen[p.call.ToolCallID] {
				p.call.ToolCallID = fmt.Sprintf("call_%d%s", i, p.call.ToolCallID)
			}
			seen[p.call.ToolCallID] = true
			m.Content = append(m.Content, p.call)
			out.Calls = append(out.Calls, conversation.ToolCall{ID: p.call.ToolCallID, Name: p.call.ToolName, Arguments: p.call.Input})
		}
	}
	content, err := json.Marshal(m)
	if err != nil {
		return out, &ownError{fmt.Errorf("keep the model's reply: %w", err)}
	}
	out.Content = string(content)
	return out, nil
}

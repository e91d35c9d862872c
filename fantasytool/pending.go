package fantasytool

import (
	"encoding/json"
	"errors"
	"fmt"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
)

// Pending is the metadata of a result that ends the turn because the answer may
// still come. Keep it with the conversation.
type Pending struct {
	Status   sayso.Status `json:"status"` // always pending
	ToolCall string       `json:"toolCall"`
	Ask      *sayso.Ask   `json:"ask"`
}

func pending(call string, a *sayso.Ask, r *sayso.Result) fantasy.ToolResponse {
	out := fantasy.WithResponseMetadata(fantasy.NewTextResponse(r.Text), Pending{sayso.StatusPending, call, a})
	out.StopTurn = true
	return out
}

// PendingIn returns what a result waits for, and whether it waits at all.
func PendingIn(r fantasy.ToolResultContent) (*Pending, bool) {
	var p Pending
	if r.ClientMetadata == "" || json.Unmarshal([]byte(r.ClientMetadata), &p) != nil {
		return nil, false
	}
	return &p, p.Status == sayso.StatusPending && p.Ask != nil
}

// Answer gives the pending call its result in the messages of a conversation, in
// place of the one that ended the turn. The agent then goes on from them. The
// dialect is the one that the tool was made with.
func Answer(messages []fantasy.Message, p *Pending, d sayso.Dialect, o *sayso.Outcome) ([]fantasy.Message, error) {
	r, err := (&sayso.Tool{Dialect: d}).Finish(p.Ask, o)
	if err != nil {
		return nil, err
	}
	part := fantasy.ToolResultPart{ToolCallID: p.ToolCall, Output: fantasy.ToolResultOutputContentText{Text: r.Text}}
	if r.IsError {
		part.Output = fantasy.ToolResultOutputContentError{Error: errors.New(r.Text)}
	}
	out := make([]fantasy.Message, len(messages))
	found := false
	for i, m := range messages {
		parts := make([]fantasy.MessagePart, len(m.Content))
		for j, c := range m.Content {
			parts[j] = c
			if old, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](c); ok && old.ToolCallID == p.ToolCall {
				parts[j], found = part, true
			}
		}
		m.Content = parts
		out[i] = m
	}
	if !found {
		return nil, fmt.Errorf("no message has a result of call %q", p.ToolCall)
	}
	return out, nil
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/fantasy"

	"github.com/saysohq/sayso/conversation"
)

// request asks the model what comes next.
func (f *family) request(ctx context.Context, id string, e conversation.RequestModel) {
	h, transcript := f.h, f.members[id].transcript
	system, tools := f.brief(id)
	f.begin(ctx, id+"/"+e.Key(), func(ctx context.Context) []mail {
		reply, err := h.requestAfter(ctx, id, e, system, tools, transcript)
		f.after(id, e)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil // cancelled, and the conversation knows, or the host stops
		case err != nil:
			return happened(id, conversation.ModelFailed{Step: e.Step, Attempt: e.Attempt, Error: err.Error(), Retryable: retryable(err)})
		}
		reply.Step = e.Step
		return happened(id, reply)
	})
}

// brief is what a member is told and offered.
func (f *family) brief(id string) (system string, tools []fantasy.Tool) {
	h := f.h
	thread := conversation.ThreadOf(f.members[id].state)
	tools = append(tools, h.offer...)
	if thread.Asking != conversation.AskNobody {
		tools = append(tools, h.own.ask[thread.Parent != ""])
	}
	if f.depth(id) < h.o.SubAgents.MaxDepth {
		tools = append(tools, h.own.spawn)
	}
	if thread.Parent == "" {
		return h.o.System, tools
	}
	if h.o.SubAgents.System != "" {
		return h.o.SubAgents.System, tools
	}
	return strings.TrimSpace("You are a sub-agent. Work on your task and end with a report of what you found or did; it is all that is read of you.\n\n" + h.o.System), tools
}

// ownTools are those that the host offers of itself.
type ownTools struct {
	ask   map[bool]fantasy.Tool // for a sub-agent, and for the one at the top
	spawn fantasy.Tool
}

func (h *Host) ownTools() (own ownTools, err error) {
	spec := h.ask.Spec()
	own.ask = map[bool]fantasy.Tool{}
	for _, subAgent := range []bool{false, true} {
		if own.ask[subAgent], err = offer(spec.Name, spec.Description+h.askersNote(subAgent), spec.Schema); err != nil {
			return own, fmt.Errorf("options: tool %s: %w", spec.Name, err)
		}
	}
	own.spawn, err = offer(spawnTool, spawnDescription, json.RawMessage(fmt.Sprintf(spawnSchema, h.o.SubAgents.MaxCount)))
	return own, err
}

// askersNote is what the description of the asking tool leaves open: what it is for
// a sub-agent, and whether sub-agents have it.
func (h *Host) askersNote(subAgent bool) string {
	switch s := h.o.SubAgents; {
	case subAgent && s.MayAnswer:
		return "\n\nYou are a sub-agent. The agent that started you is asked first, and the person if it has no answer."
	case subAgent:
		return "\n\nYou are a sub-agent. The person is asked on behalf of the agents above you."
	case s.Deny && s.MaxDepth > 0:
		return "\n\nSub-agents cannot use this tool."
	}
	return ""
}

func (h *Host) requestAfter(ctx context.Context, id string, e conversation.RequestModel, system string, tools []fantasy.Tool, entries []conversation.Entry) (conversation.ModelReplied, error) {
	if e.Attempt > 1 {
		select {
		case <-time.After(h.o.RetryDelay << (e.Attempt - 2)):
		case <-ctx.Done():
			return conversation.ModelReplied{}, ctx.Err()
		}
	}
	if h.o.Recall != nil {
		var err error
		if entries, err = h.o.Recall(ctx, id, entries); err != nil {
			return conversation.ModelReplied{}, fmt.Errorf("recall the transcript: %w", err)
		}
	}
	prompt, err := promptOf(system, entries)
	if err != nil {
		return conversation.ModelReplied{}, err
	}
	return h.generate(ctx, id, fantasy.Call{Prompt: prompt, Tools: tools})
}

// generate asks the model and collects what it says.
func (h *Host) generate(ctx context.Context, id string, call fantasy.Call) (conversation.ModelReplied, error) {
	if h.o.MaxTokens > 0 {
		call.MaxOutputTokens = &h.o.MaxTokens
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.ModelTimeout)
	defer cancel()
	stream, err := h.o.Model.Stream(ctx, call)
	if err != nil {
		return conversation.ModelReplied{}, err
	}
	var c collector
	for part := range stream {
		if err := c.add(part); err != nil {
			return conversation.ModelReplied{}, err
		}
		if part.Type == fantasy.StreamPartTypeTextDelta && id != "" {
			root, _, _ := strings.Cut(id, agentMark)
			h.publish(Update{Conversation: root, Member: id, Delta: part.Delta})
		}
	}
	if err := ctx.Err(); err != nil {
		return conversation.ModelReplied{}, err
	}
	return c.reply()
}

// retryable reports whether a failed request may go better next time.
func retryable(err error) bool {
	var p *fantasy.ProviderError
	if errors.As(err, &p) {
		return p.IsRetryable() || p.StatusCode == 0 && !p.IsContextTooLarge()
	}
	var own *ownError
	return !errors.As(err, &own)
}

// ownError is a failure of ours, which the next attempt would meet again.
type ownError struct{ error }

func (e *ownError) Unwrap() error { return e.error }

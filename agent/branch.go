package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// branchMark stands before the last part of the id of a branch; what is before it
// is the conversation that it was branched from.
const branchMark = "."

// ParentOf returns the conversation that one was branched from, "" if it was not.
func ParentOf(id string) string {
	i := strings.LastIndex(id, branchMark)
	return id[:max(i, 0)]
}

// Branch makes a new conversation of all that was said and answered in another one
// before its n-th question (see [Host.Questions]), and asks that question anew.
// Nothing before it is done or asked again; the other conversation stays as it is.
// The name is that of the branch among its parent's, and the result the new id.
func (h *Host) Branch(ctx context.Context, from string, n int, name string) (id string, err error) {
	if id = from + branchMark + name; !validID(id) || name == "" || strings.Contains(name, branchMark) {
		return "", ErrID
	}
	c, err := h.Get(ctx, from)
	if err != nil {
		return "", err
	}
	all := h.Questions(c)
	if n < 1 || n > len(all) {
		return "", fmt.Errorf("agent: the conversation has %d questions", len(all))
	}
	var closed []journal.Closed
	for _, q := range all[:n-1] {
		if q.Outcome != nil {
			closed = append(closed, journal.Closed{Ask: q.Ask, Outcome: q.Outcome})
		}
	}
	entries, state := before(c.Transcript, all[n-1], id)
	if err := h.plant(ctx, id, entries, closed, state); err != nil {
		return "", fmt.Errorf("agent: branch: %w", err)
	}
	h.post(id, mail{})
	return id, nil
}

// before returns the transcript up to a question, and the state in which the tool
// that asks it is about to run.
func before(transcript []conversation.Entry, q Question, id string) ([]conversation.Entry, conversation.State) {
	reply := transcript[q.entry]
	s := conversation.ToolExecuting{
		Thread:    conversation.Thread{Conversation: id, Revision: 1},
		Current:   reply.Calls[q.call],
		Remaining: slices.Clone(reply.Calls[q.call+1:]),
	}
	entries := slices.Clone(transcript[:q.entry+1])
	for _, call := range reply.Calls[:q.call] {
		if r := resultOf(transcript[q.entry+1:], call.ID); r != nil {
			entries = append(entries, conversation.Entry{Role: conversation.RoleTool, Results: []conversation.ToolResult{*r}})
			s.Done = append(s.Done, call.ID)
		}
	}
	for _, e := range entries {
		switch e.Role {
		case conversation.RoleModel:
			s.Step++
		case conversation.RoleUser:
			s.Message = e.ID
		}
	}
	return entries, s
}

// plant writes a conversation that begins in the middle. Its last record names an
// owner that is not there, so that a host goes on with it, even if this one dies
// here.
func (h *Host) plant(ctx context.Context, id string, entries []conversation.Entry, closed []journal.Closed, s conversation.State) error {
	state, err := conversation.MarshalState(s)
	if err != nil {
		return err
	}
	unborn, err := conversation.MarshalState(conversation.New(id, nil))
	if err != nil {
		return err
	}
	var last uint64
	write := func(r journal.Record) error {
		r.Conversation, r.At = id, time.Now().UTC()
		if r.State == nil {
			r.State, r.Status = unborn, conversation.Name(conversation.New(id, nil))
		}
		last, err = h.o.Journal.Append(ctx, id, r, last)
		return err
	}
	for i := range closed {
		if err := write(journal.Record{Closed: &closed[i]}); err != nil {
			return err
		}
	}
	part, size := []conversation.Entry(nil), 0
	for _, e := range entries {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if len(part) > 0 && size+len(b) > journal.MaxRecord/2 {
			if err := write(journal.Record{Entries: part}); err != nil {
				return err
			}
			part, size = nil, 0
		}
		part, size = append(part, e), size+len(b)
	}
	return write(journal.Record{State: state, Entries: part, Status: conversation.Name(s), Owner: journal.Owner{Name: h.owner.Name, Life: "branch"}})
}
